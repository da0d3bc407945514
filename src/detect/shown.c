/* SPDX-License-Identifier: ISC */
/* The parts of a record that observations and findings show: its readable key, the members that
   identify it, and the tests of the query that it passed. */
#include "config.h"

#include "detect/shown.h"
#include "detection/record_key.h"
#include "json/json.h"
#include "json/tree.h"

enum { MATCHED_MOST = 16, VALUE_MOST = 256, STALE_DAYS = 30 };

const struct json_value *
shown_member(const struct match_document *m, const char *name)
{
	const struct json_value *v = match_member(m->own, name);

	return v == NULL && m->of != NULL ? match_member(m->of, name) : v;
}

struct str
shown_text(const struct match_document *m, const char *name)
{
	const struct json_value *v = shown_member(m, name);

	if (v != NULL && json_type(v) == JSON_ARRAY && json_length(v) > 0)
		v = json_at(v, 0);
	return v != NULL && json_type(v) == JSON_STRING ? json_text(v) : STR_NULL;
}

static int64_t
port_of(const struct match_document *m)
{
	const struct json_value *v = shown_member(m, "port");
	int64_t port = 0;

	return v != NULL && json_int(v, &port) ? port : 0;
}

/* ---- keys ---- */

struct str
shown_key(struct arena *a, enum dataset d, const struct match_document *m)
{
	struct str ip, transport;

	switch (d) {
	case DATASET_HOSTS:
		return shown_text(m, "ip");
	case DATASET_SERVICES:
		ip = shown_text(m, "ip");
		transport = shown_text(m, "transport");
		return arena_printf(a, "%.*s/%jd/%.*s", (int)ip.n, ip.p, (intmax_t)port_of(m),
		    (int)transport.n, transport.p == NULL ? "" : transport.p);
	case DATASET_DNS:
		return rule_dns_key(a, shown_text(m, "host"), shown_text(m, "record_type"),
		    shown_text(m, "answer"), shown_text(m, "rcode"));
	case DATASET_WHOIS:
		return shown_text(m, "domain");
	case DATASET_CERTIFICATES:
		return shown_text(m, "fingerprint_sha256");
	case DATASET_DIRECTORIES:
		return rule_directory_key(a, m->own);
	default:
		panic("rules have no dataset %d", (int)d);
	}
}

/* ---- members ---- */

static const struct {
	enum dataset dataset;
	const char *name, *member;
} shown[] = {
	{ DATASET_HOSTS, "ip", "ip" },
	{ DATASET_HOSTS, "hostname", "hostnames" },
	{ DATASET_SERVICES, "ip", "ip" },
	{ DATASET_SERVICES, "port", "port" },
	{ DATASET_SERVICES, "transport", "transport" },
	{ DATASET_SERVICES, "hostname", "hostnames" },
	{ DATASET_DNS, "host", "host" },
	{ DATASET_DNS, "record_type", "record_type" },
	{ DATASET_DNS, "answer", "answer" },
	{ DATASET_WHOIS, "domain", "domain" },
	{ DATASET_CERTIFICATES, "fingerprint_sha256", "fingerprint_sha256" },
	{ DATASET_DIRECTORIES, "ip", "ip" },
	{ DATASET_DIRECTORIES, "port", "port" },
	{ DATASET_DIRECTORIES, "host", "host" },
	{ DATASET_DIRECTORIES, "url", "url" },
};

void
shown_record(struct buf *b, enum dataset d, const struct match_document *m)
{
	bool first = true;

	for (size_t i = 0; i < COUNT(shown); i++) {
		struct str text = STR_NULL;
		bool is_port = strcmp(shown[i].name, "port") == 0;

		if (shown[i].dataset != d)
			continue;
		if (!is_port)
			text = shown_text(m, shown[i].member);
		if (!is_port && text.p == NULL)
			continue;
		buf_printf(b, "%s\"%s\":", first ? "{" : ",", shown[i].name);
		if (is_port)
			json_write_int(b, port_of(m));
		else
			json_write_str(b, text);
		first = false;
	}
	buf_z(b, first ? "{}" : "}");
}

/* ---- the tests that passed ---- */

struct matched {
	struct buf *b;
	struct arena *scratch;
	const struct match_document *m;
	struct match_limit *limit;
	size_t n;
};

/* Cuts a text to VALUE_MOST bytes, before the beginning of a character. */
static struct str
cut_value(struct str s)
{
	if (s.n > VALUE_MOST)
		for (s.n = VALUE_MOST; s.n > 0 && ((unsigned char)s.p[s.n] & 0xc0) == 0x80;)
			s.n--;
	return s;
}

static void
write_value(struct matched *w, const struct node *n, const struct json_value *v)
{
	buf_z(w->b, w->n++ == 0 ? "{\"field\":" : ",{\"field\":");
	json_write_str(w->b, str_of(n->field->name));
	buf_z(w->b, ",\"value\":");
	switch (json_type(v)) {
	case JSON_STRING:
		json_write_str(w->b, cut_value(json_text(v)));
		break;
	case JSON_NUMBER:
		json_write_str(w->b, cut_value(json_lexeme(v)));
		break;
	case JSON_BOOL:
		json_write_str(w->b, json_bool(v) ? STR("true") : STR("false"));
		break;
	case JSON_NULL:
	case JSON_ARRAY:
	case JSON_OBJECT:
		json_write_str(w->b, STR(""));
	}
	buf_char(w->b, '}');
}

/* Writes the first value of a member that passes the test. Returns false when no value does. */
static bool
write_member(
    struct matched *w, const struct node *n, const struct json_value *object, const char *name)
{
	const struct json_value *v = match_member(object, name);

	if (v == NULL)
		return false;
	if (json_type(v) == JSON_ARRAY) {
		for (size_t i = 0; i < json_length(v); i++)
			if (match_value(w->scratch, n, json_at(v, i), w->limit)) {
				write_value(w, n, json_at(v, i));
				return true;
			}
		return false;
	}
	if (!match_value(w->scratch, n, v, w->limit))
		return false;
	write_value(w, n, v);
	return true;
}

static void
write_test(struct matched *w, const struct node *n)
{
	const struct schema_field *f = n->field;
	const struct json_value *all;

	if ((f->of == NULL ? f : f->of)->store == STORE_VIRTUAL)
		return;
	if (f->of != NULL) {
		(void)write_member(w, n, f->of->nested ? w->m->own : w->m->of,
		    f->of->nested ? f->name : f->of->name);
	} else if (!f->nested) {
		(void)write_member(w, n, w->m->own, f->name);
	} else {
		all = match_member(w->m->own, schema_nested(f->dataset));
		for (size_t i = 0; all != NULL && i < json_length(all); i++)
			if (write_member(w, n, json_at(all, i), f->relative))
				return;
	}
}

static void
write_tests(struct matched *w, const struct node *n)
{
	if (n->type == NODE_NOT || n->type == NODE_ALL || w->n == MATCHED_MOST)
		return;
	if (n->nkids == 0) {
		write_test(w, n);
		return;
	}
	for (size_t i = 0; i < n->nkids && w->n < MATCHED_MOST; i++)
		write_tests(w, n->kids[i]);
}

void
shown_matched(struct buf *b, struct arena *scratch, const struct query *q,
    const struct match_document *m, struct match_limit *limit)
{
	struct matched w = { .b = b, .scratch = scratch, .m = m, .limit = limit };

	buf_char(b, '[');
	write_tests(&w, q->root);
	buf_char(b, ']');
}

/* ---- times ---- */

static bool
time_of(const struct match_document *m, const char *name, struct ts *out)
{
	struct str text = shown_text(m, name);

	return text.p != NULL && ts_parse(text, out);
}

void
shown_times(const struct match_document *m, struct ts *first, struct ts *last)
{
	if (!time_of(m, "last_seen", last))
		*last = ts_now();
	if (!time_of(m, "first_seen", first) || ts_cmp(*first, *last) > 0)
		*first = *last;
}

bool
shown_is_stale(enum dataset d, const struct match_document *m)
{
	struct ts last;

	return (d == DATASET_HOSTS || d == DATASET_SERVICES) && time_of(m, "last_seen", &last) &&
	       last.us < ts_now().us - STALE_DAYS * DAY_US;
}
