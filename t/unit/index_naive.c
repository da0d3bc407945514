/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/index_naive.h"
#include "search/index/format/keys.h"
#include "search/text.h"

static const char *const countries[] = { "GB", "US", "DE", "FR", "CN", "JP" };
static const char *const names[] = { "EXAMPLE-AS", "Example-as", "\xc3\x89tat", "\xc3\xa9tat",
	"zed", "" };
static const char *const hosts[] = { "www.example.com", "example.com", "a.b.example.com",
	"ample.com", "example.org", "com", "www.example.co.uk", "xexample.com", "b.example.com" };
static const char *const tags[] = { "c2", "phish", "login", "vpn", "unknown-tag" };
static const char *const products[] = { "nginx", "Nginx", "NGINX", "OpenSSH", "openssl",
	"Apache httpd", "lighttpd" };
static const char *const texts[] = { "Welcome to nginx", "welcome", "Login - Router",
	"login page \"quoted\"\n",
	"Stra\303\237e und \303\204rger", /* an octal escape ends after three digits */
	"nginx error 404", "...", "" };
static const char *const patterns[] = { "*ng*", "n*", "*x", "open*", "o?en*", "*.example.com",
	"w*.com", "*t*t*", "wel*", "?ogin", "*", "e*a?le*", "\xc3\xa9*" };
static const char *const queried[] = { "country_code", "as_name", "asn", "hostnames", "os", "tags",
	"tags.category", "tags.classification", "last_seen", "ip", "services.port",
	"services.product", "services.tags", "services.tags.category", "services.banner",
	"services.http.title", "services.tls_enabled", "services.tls.certificate.names",
	"services.tls.certificate.not_after", "services.transport" };

#define PICK(n, list) str_of((list)[naive_random((n), COUNT(list))])

uint32_t
naive_random(struct naive *n, uint32_t below)
{
	n->random = n->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((n->random >> 33) % below);
}

static const struct schema_field *
field(const char *name)
{
	const struct schema_field *f = schema_find(DATASET_HOSTS, str_of(name));

	if (f == NULL)
		panic("no field %s", name);
	return f;
}

/* ---- documents ---- */

static void
add(struct naive_values *to, const char *name, struct str s, int64_t i)
{
	to->v[to->n++] = (struct naive_value){ field(name), s, i };
}

static void
put_string(struct buf *b, struct str s)
{
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_printf(b, "\\%c", s.p[i]);
		else if ((unsigned char)s.p[i] < 0x20)
			buf_printf(b, "\\u%04x", s.p[i]);
		else
			buf_char(b, s.p[i]);
	}
	buf_char(b, '"');
}

static void
member(struct buf *b, const char *name)
{
	if (b->p[b->n - 1] != '{')
		buf_z(b, ", ");
	buf_printf(b, "\"%s\": ", name);
}

static void
text(struct buf *b, struct naive_values *to, const char *path, struct str s)
{
	member(b, strrchr(path, '.') == NULL ? path : strrchr(path, '.') + 1);
	put_string(b, s);
	add(to, path, s, 0);
}

static void
number(struct buf *b, struct naive_values *to, const char *path, int64_t v)
{
	member(b, strrchr(path, '.') == NULL ? path : strrchr(path, '.') + 1);
	buf_printf(b, "%lld", (long long)v);
	add(to, path, STR_NULL, v);
}

static void
date(struct buf *b, struct naive_values *to, const char *path, int64_t day)
{
	struct ts t = { day * 86400000000 };
	char out[TS_LEN + 1];

	ts_print(t, out);
	member(b, strrchr(path, '.') == NULL ? path : strrchr(path, '.') + 1);
	put_string(b, str_of(out));
	add(to, path, STR_NULL, t.us);
}

struct several {
	struct naive *n;
	struct buf *b;
	struct naive_values *to;
	const char *path, *const *list;
	uint32_t nlist;
};

static void
several(const struct several *s, uint32_t most)
{
	uint32_t k = naive_random(s->n, most + 1);

	if (k == 0)
		return;
	member(s->b, strrchr(s->path, '.') == NULL ? s->path : strrchr(s->path, '.') + 1);
	buf_char(s->b, '[');
	for (uint32_t i = 0; i < k; i++) {
		struct str v = str_of(s->list[naive_random(s->n, s->nlist)]);

		if (i > 0)
			buf_z(s->b, ", ");
		put_string(s->b, v);
		add(s->to, s->path, v, 0);
	}
	buf_char(s->b, ']');
}

static void
imply(struct naive *n, struct naive_values *to, const char *tag_field, const char *category,
    const char *classification)
{
	size_t count = to->n;

	for (size_t i = 0; i < count; i++) {
		const struct tag *t = index_tags_find(&n->tags, to->v[i].s);

		if (to->v[i].field != field(tag_field) || t == NULL)
			continue;
		for (size_t k = 0; k < t->ncategories; k++)
			add(to, category, t->categories[k], 0);
		if (classification != NULL)
			add(to, classification, t->classification, 0);
	}
}

static void
service(struct naive *n, struct buf *b, struct naive_values *to, uint32_t port)
{
	buf_char(b, '{');
	number(b, to, "services.port", 20 + port);
	text(b, to, "services.transport", naive_random(n, 4) ? STR("tcp") : STR("udp"));
	if (naive_random(n, 3))
		text(b, to, "services.product", PICK(n, products));
	if (naive_random(n, 2))
		text(b, to, "services.banner", PICK(n, texts));
	several(&(struct several){ n, b, to, "services.tags", tags, COUNT(tags) }, 2);
	imply(n, to, "services.tags", "services.tags.category", NULL);
	if (naive_random(n, 3) == 0) {
		bool v = naive_random(n, 2);

		member(b, "tls_enabled");
		buf_z(b, v ? "true" : "false");
		add(to, "services.tls_enabled", STR_NULL, v);
	}
	if (naive_random(n, 2)) {
		member(b, "http");
		buf_char(b, '{');
		text(b, to, "services.http.title", PICK(n, texts));
		buf_char(b, '}');
	}
	if (naive_random(n, 3) == 0) {
		member(b, "tls");
		buf_z(b, "{\"certificate\": {");
		several(&(struct several){ n, b, to, "services.tls.certificate.names", hosts,
			    COUNT(hosts) },
		    3);
		date(b, to, "services.tls.certificate.not_after", naive_random(n, 20));
		buf_z(b, "}}");
	}
	buf_char(b, '}');
}

static void
services(struct naive *n, struct buf *b, struct naive_doc *d)
{
	d->nservices = naive_random(n, 20) == 0 ? NAIVE_SERVICES : naive_random(n, 4);
	if (d->nservices == 0)
		return;
	member(b, "services");
	buf_char(b, '[');
	for (uint32_t i = 0; i < d->nservices; i++) {
		if (i > 0)
			buf_char(b, ',');
		service(n, b, &d->services[i], i + naive_random(n, 3));
	}
	buf_char(b, ']');
}

void
naive_doc(struct naive *n, const struct ipnet *ip, struct naive_doc *d)
{
	struct buf b = { .a = n->a };
	char out[IPNET_LEN + 1];
	uint32_t as = naive_random(n, 5);
	struct segment_key key;

	*d = (struct naive_doc){ .ip = *ip };
	d->key = arena_str(n->a, address_key(ip->a, &key));
	add(&d->own, "ip", d->key, 0);
	ipnet_print(ip, out);
	buf_char(&b, '{');
	member(&b, "ip");
	put_string(&b, str_of(out));
	member(&b, "unknown");
	buf_z(&b, "{\"a\": [1, {\"b\": null}], \"ip\": \"x\"}");
	if (naive_random(n, 8))
		text(&b, &d->own, "country_code", PICK(n, countries));
	if (naive_random(n, 8)) {
		number(&b, &d->own, "asn", (int64_t)as * 1000 - 1000);
		text(&b, &d->own, "as_name", str_of(names[as]));
	}
	if (naive_random(n, 2))
		text(&b, &d->own, "region",
		    arena_printf(n->a, "r%u-%u", n->epoch, (unsigned)naive_random(n, 4)));
	several(&(struct several){ n, &b, &d->own, "hostnames", hosts, COUNT(hosts) }, 3);
	several(&(struct several){ n, &b, &d->own, "tags", tags, COUNT(tags) }, 3);
	imply(n, &d->own, "tags", "tags.category", "tags.classification");
	if (naive_random(n, 2))
		text(&b, &d->own, "os", PICK(n, products));
	if (naive_random(n, 4))
		date(&b, &d->own, "last_seen", naive_random(n, 30));
	services(n, &b, d);
	buf_char(&b, '}');
	d->json = buf_done(&b);
}

/* ---- queries ---- */

static struct value
some_value(struct naive *n, const struct schema_field *f)
{
	struct value v = { .type = f->type };

	switch (f->type) {
	case VALUE_KEYWORD:
		v.s = strstr(f->name, "tags.") != NULL
			  ? (naive_random(n, 2) ? STR("malware") : STR("benign"))
		      : strstr(f->name, "tags") != NULL ? PICK(n, tags)
		      : strstr(f->name, "country")      ? PICK(n, countries)
		      : strstr(f->name, "as_name")      ? PICK(n, names)
		      : strstr(f->name, "transport")    ? STR("udp")
							: PICK(n, products);
		return v;
	case VALUE_TEXT:
		v.s = PICK(n, texts);
		return v;
	case VALUE_DNS:
		v.s = PICK(n, hosts);
		return v;
	case VALUE_IP:
		(void)!ipnet_parse(naive_random(n, 4) ? STR("10.0.0.0") : STR("2001:db8::"), &v.ip);
		v.ip.a[14] = (unsigned char)naive_random(n, 6);
		v.ip.a[15] = (unsigned char)(naive_random(n, 2) ? 0 : naive_random(n, 255));
		v.ip.bits = v.ip.a[15] != 0 ? 128 : (uint8_t)(naive_random(n, 2) ? 120 : 124);
		return v;
	case VALUE_INTEGER:
		v.i = strcmp(f->name, "asn") == 0 ? (int64_t)naive_random(n, 6) * 1000 - 1000
						  : 20 + naive_random(n, 16);
		return v;
	case VALUE_NUMBER:
		return v;
	case VALUE_BOOLEAN:
		v.b = naive_random(n, 2);
		return v;
	case VALUE_DATE:
		v.ts.us = naive_random(n, 30) * INT64_C(86400000000);
		return v;
	}
	return v;
}

static enum node_type
some_test(struct naive *n, const struct schema_field *f)
{
	bool strings = f->type == VALUE_KEYWORD || f->type == VALUE_TEXT || f->type == VALUE_DNS;
	uint32_t k = naive_random(n, 8);

	if (k == 0)
		return NODE_EXISTS;
	if (strings)
		return k < 4 ? NODE_MATCH : k < 6 ? NODE_EXACT : NODE_WILDCARD;
	if (f->type == VALUE_DATE)
		return NODE_RANGE;
	return f->type == VALUE_BOOLEAN || k < 5 ? NODE_MATCH : NODE_RANGE;
}

/* Any field, or any nested one. A field that is made of another one and not tested here has no values. */
static const struct schema_field *
some_field(struct naive *n, bool nested)
{
	const struct schema_field *f, *fields;
	size_t nfields = schema_fields(n->dataset, &fields);

	do
		f = n->samples == NULL ? field(queried[naive_random(n, COUNT(queried))])
				       : &fields[naive_random(n, (uint32_t)nfields)];
	while (nested && !f->nested);
	return f;
}

/* A value of the field in a random document, or NULL. */
static const struct naive_value *
sample_value(struct naive *n, const struct schema_field *f)
{
	const struct naive_doc *d = &n->samples[naive_random(n, (uint32_t)n->nsamples)];

	for (size_t i = 0; i < d->own.n; i++)
		if (d->own.v[i].field == f)
			return &d->own.v[i];
	for (size_t k = 0; k < d->nservices; k++)
		for (size_t i = 0; i < d->services[k].n; i++)
			if (d->services[k].v[i].field == f)
				return &d->services[k].v[i];
	return NULL;
}

/* The text, or a part of it, in upper case or with another character. */
static struct str
alter(struct naive *n, struct str s)
{
	char *room = arena_alloc(n->a, s.n + 1);
	uint32_t k = naive_random(n, 6);

	memcpy(room, s.p, s.n);
	for (size_t i = 0; k == 0 && i < s.n; i++)
		if (room[i] >= 'a' && room[i] <= 'z')
			room[i] = (char)(room[i] - 'a' + 'A');
	if (k == 1 && s.n > 0)
		room[naive_random(n, (uint32_t)s.n)] = 'x';
	if (k == 2 && memchr(s.p, '.', s.n) != NULL) {
		size_t from = (size_t)((const char *)memchr(s.p, '.', s.n) - s.p) + 1;

		return (struct str){ room + from, s.n - from };
	}
	return (struct str){ room, s.n };
}

static void
set_address(struct naive *n, struct str key, struct value *v)
{
	if (!address_of_key(key, v->ip.a))
		panic("a naive value has no address");
	v->ip.bits = 128;
	if (naive_random(n, 2) == 0)
		return;
	v->ip.bits = (uint8_t)(96 + naive_random(n, 33));
	for (unsigned bit = v->ip.bits; bit < 128; bit++)
		v->ip.a[bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
}

static struct value
some_sample(struct naive *n, const struct schema_field *f)
{
	const struct naive_value *sample = n->samples == NULL ? NULL : sample_value(n, f);
	struct value v = { .type = f->type };

	if (sample == NULL)
		return some_value(n, f);
	if (f->type == VALUE_IP)
		set_address(n, sample->s, &v);
	else if (f->type == VALUE_DATE)
		v.ts.us = sample->i + (int64_t)naive_random(n, 3) - 1;
	else if (f->type == VALUE_BOOLEAN)
		v.b = naive_random(n, 2);
	else if (f->type == VALUE_INTEGER)
		v.i = sample->i + (int64_t)naive_random(n, 3) - 1;
	else
		v.s = f->type == VALUE_DNS ? text_fold(n->a, alter(n, sample->s))
					   : alter(n, sample->s);
	return v;
}

static struct str
some_pattern(struct naive *n, struct str s)
{
	size_t at;

	if (s.n == 0 || str_chars(s) != s.n || naive_random(n, 3) == 0)
		return PICK(n, patterns);
	at = naive_random(n, (uint32_t)s.n);
	return arena_printf(n->a, "%.*s%s%.*s", (int)at, s.p, naive_random(n, 3) ? "*" : "?",
	    (int)(s.n - at - 1), s.p + at + 1);
}

static struct node *
some_leaf(struct naive *n, bool nested)
{
	struct node *q = ARENA_NEW(n->a, struct node);

	q->field = some_field(n, nested);
	q->type = some_test(n, q->field);
	q->nvalues = 1 + (naive_random(n, 4) == 0 ? naive_random(n, 4) : 0);
	q->values = ARENA_ARRAY(n->a, q->nvalues, struct value);
	for (size_t i = 0; i < q->nvalues; i++) {
		q->values[i] = some_sample(n, q->field);
		if (q->type == NODE_WILDCARD)
			q->values[i].s = some_pattern(n, q->values[i].s);
	}
	if (q->type == NODE_RANGE) {
		uint32_t sides = 1 + naive_random(n, 3);

		q->lo = (struct bound){ sides & 1, naive_random(n, 2), some_sample(n, q->field) };
		q->hi = (struct bound){ sides & 2, naive_random(n, 2), some_sample(n, q->field) };
		q->lo.v.ip.bits = q->hi.v.ip.bits =
		    q->field->type == VALUE_IP ? 128 : q->lo.v.ip.bits;
	}
	return q;
}

struct node *
naive_query(struct naive *n, unsigned depth, bool nested)
{
	struct node *q = ARENA_NEW(n->a, struct node);
	uint32_t k = naive_random(n, 10);

	if (depth == 0 || k < 3)
		return some_leaf(n, nested);
	q->nkids = 2 + naive_random(n, 2);
	q->type = k < 6 ? NODE_AND : NODE_OR;
	if (k == 8 || (k == 9 && nested)) {
		q->type = NODE_NOT;
		q->nkids = 1;
	} else if (k == 9 && schema_nested(n->dataset) != NULL) {
		q->type = NODE_NESTED;
		q->nkids = 1;
		nested = true;
	}
	q->kids = ARENA_ARRAY(n->a, q->nkids, struct node *);
	for (size_t i = 0; i < q->nkids; i++)
		q->kids[i] = naive_query(n, depth - 1, nested);
	return q;
}

/* ---- answers ---- */

static bool
glob(struct str p, struct str s)
{
	if (p.n == 0)
		return s.n == 0;
	if (p.p[0] == '*') {
		for (size_t i = 0; i <= s.n; i++)
			if (glob(
				(struct str){ p.p + 1, p.n - 1 }, (struct str){ s.p + i, s.n - i }))
				return true;
		return false;
	}
	if (s.n == 0)
		return false;
	if (p.p[0] == '?') {
		size_t k = 1;

		while (k < s.n && ((unsigned char)s.p[k] & 0xc0) == 0x80)
			k++;
		return glob((struct str){ p.p + 1, p.n - 1 }, (struct str){ s.p + k, s.n - k });
	}
	return p.p[0] == s.p[0] &&
	       glob((struct str){ p.p + 1, p.n - 1 }, (struct str){ s.p + 1, s.n - 1 });
}

struct token_test {
	struct naive *n;
	struct str token, text;
	bool pattern, found, all, any;
};

static void
same_token(void *arg, struct str token)
{
	struct token_test *t = arg;

	t->found |= t->pattern ? glob(t->token, token) : str_eq(t->token, token);
}

static void
has_token(void *arg, struct str token)
{
	struct token_test *t = arg;

	t->any = true;
	t->token = token;
	t->found = false;
	text_tokens(t->n->a, t->text, same_token, t);
	t->all &= t->found;
}

static bool
text_match(struct naive *n, const struct node *q, struct str want, struct str have)
{
	struct token_test t = { .n = n, .text = have, .all = true };

	if (q->type == NODE_WILDCARD) {
		t.pattern = true;
		t.token = text_fold(n->a, want);
		text_tokens(n->a, have, same_token, &t);
		return t.found;
	}
	text_tokens(n->a, want, has_token, &t);
	return t.any && t.all;
}

static bool
string_match(struct naive *n, const struct node *q, struct str want, struct str have)
{
	if (q->type == NODE_EXACT)
		return str_eq(want, have);
	if (q->field->type == VALUE_TEXT)
		return text_match(n, q, want, have);
	have = text_fold(n->a, have);
	want = text_fold(n->a, want);
	if (q->type == NODE_WILDCARD)
		return glob(want, have);
	if (q->field->type == VALUE_KEYWORD || str_eq(want, have))
		return str_eq(want, have);
	return have.n > want.n && str_ends(have, want) && have.p[have.n - want.n - 1] == '.';
}

static int64_t
integer(const struct value *v)
{
	return v->type == VALUE_DATE ? v->ts.us : v->type == VALUE_BOOLEAN ? v->b : v->i;
}

static bool
in_range(const struct node *q, int64_t i)
{
	int64_t lo = integer(&q->lo.v), hi = integer(&q->hi.v);

	return (!q->lo.set || (q->lo.inclusive ? i >= lo : i > lo)) &&
	       (!q->hi.set || (q->hi.inclusive ? i <= hi : i < hi));
}

static bool
ip_match(struct str key, const struct node *q)
{
	unsigned char ip[16];
	int lo, hi;

	if (!address_of_key(key, ip))
		panic("a naive value has no address");
	lo = ip_cmp(ip, q->lo.v.ip.a);
	hi = ip_cmp(ip, q->hi.v.ip.a);
	if (q->type == NODE_RANGE)
		return (!q->lo.set || (q->lo.inclusive ? lo >= 0 : lo > 0)) &&
		       (!q->hi.set || (q->hi.inclusive ? hi <= 0 : hi < 0));
	for (size_t i = 0; i < q->nvalues; i++)
		if (ipnet_contains(&q->values[i].ip, ip))
			return true;
	return false;
}

static bool
value_match(struct naive *n, const struct node *q, const struct naive_value *have)
{
	if (q->type == NODE_EXISTS)
		return true;
	if (q->field->type == VALUE_IP)
		return ip_match(have->s, q);
	if (q->type == NODE_RANGE)
		return in_range(q, have->i);
	for (size_t i = 0; i < q->nvalues; i++) {
		const struct value *want = &q->values[i];

		if (want->type == VALUE_KEYWORD || want->type == VALUE_TEXT ||
			    want->type == VALUE_DNS
			? string_match(n, q, want->s, have->s)
			: integer(want) == have->i)
			return true;
	}
	return false;
}

static bool
any_value(struct naive *n, const struct naive_values *in, const struct node *q)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].field == q->field && value_match(n, q, &in->v[i]))
			return true;
	return false;
}

/* service: the one looked at, or NULL outside NODE_NESTED. */
static bool
match(struct naive *n, const struct naive_doc *d, const struct naive_values *service_at,
    const struct node *q)
{
	bool some = false;

	switch (q->type) {
	case NODE_ALL:
		return true;
	case NODE_NOT:
		return !match(n, d, service_at, q->kids[0]);
	case NODE_AND:
		for (size_t i = 0; i < q->nkids; i++)
			if (!match(n, d, service_at, q->kids[i]))
				return false;
		return true;
	case NODE_OR:
		for (size_t i = 0; i < q->nkids; i++)
			some |= match(n, d, service_at, q->kids[i]);
		return some;
	case NODE_NESTED:
		for (size_t i = 0; i < d->nservices; i++)
			some |= match(n, d, &d->services[i], q->kids[0]);
		return some;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		break;
	}
	if (service_at != NULL)
		return any_value(n, service_at, q);
	if (!q->field->nested)
		return any_value(n, &d->own, q);
	for (size_t i = 0; i < d->nservices; i++)
		some |= any_value(n, &d->services[i], q);
	return some;
}

bool
naive_match(struct naive *n, const struct naive_doc *d, const struct node *q)
{
	return match(n, d, NULL, q);
}

bool
naive_service(struct naive *n, const struct naive_values *s, const struct node *q)
{
	/* Inside NODE_NESTED nothing asks for the host. */
	static const struct naive_doc nobody;
	bool some = false;

	if (q->type == NODE_ALL || q->type == NODE_NOT)
		return false;
	if (q->type == NODE_NESTED)
		return match(n, &nobody, s, q->kids[0]);
	if (q->type != NODE_AND && q->type != NODE_OR)
		return q->field->nested && any_value(n, s, q);
	for (size_t i = 0; i < q->nkids; i++)
		some |= naive_service(n, s, q->kids[i]);
	return some;
}

/* ---- facets ---- */

static int
cmp_value(const struct naive_value *a, const struct naive_value *b)
{
	int c = (a->i > b->i) - (a->i < b->i);

	return c != 0 ? c : str_cmp(a->s, b->s);
}

static int
by_count(const void *x, const void *y)
{
	const struct naive_bucket *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return cmp_value(&a->v, &b->v);
}

struct facet {
	struct naive_bucket *out;
	size_t n, before; /* before: buckets that this document has counted in already */
	uint64_t *seen;
};

static void
facet_values(struct facet *f, const struct naive_values *in, const struct schema_field *field_at,
    uint64_t doc)
{
	for (size_t i = 0; i < in->n; i++) {
		size_t k = 0;

		if (in->v[i].field != field_at)
			continue;
		while (k < f->n && cmp_value(&f->out[k].v, &in->v[i]) != 0)
			k++;
		if (k == f->n) {
			f->out[f->n++] = (struct naive_bucket){ in->v[i], 0 };
			f->seen[k] = UINT64_MAX;
		}
		f->out[k].count += f->seen[k] != doc;
		f->seen[k] = doc;
	}
}

size_t
naive_facet(struct naive *n, const struct naive_doc *docs, const bool *matching, size_t ndocs,
    const struct schema_field *field_at, struct naive_bucket *out, size_t *hidden)
{
	uint64_t seen[NAIVE_BUCKETS];
	struct facet f = { .out = out, .seen = seen };
	size_t k = 0;

	(void)n;
	for (size_t i = 0; i < ndocs; i++) {
		if (!matching[i])
			continue;
		facet_values(&f, &docs[i].own, field_at, i);
		for (size_t s = 0; s < docs[i].nservices; s++)
			facet_values(&f, &docs[i].services[s], field_at, i);
	}
	*hidden = 0;
	for (size_t i = 0; i < f.n; i++) {
		bool strings = field_at->type != VALUE_INTEGER && field_at->type != VALUE_BOOLEAN;

		if (strings && out[i].v.s.n == 0)
			++*hidden;
		else
			out[k++] = out[i];
	}
	qsort(out, k, sizeof(*out), by_count);
	return k;
}
