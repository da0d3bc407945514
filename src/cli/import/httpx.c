/* SPDX-License-Identifier: ISC */
/* Reads httpx -json: a request and its response on each line, for hosts, DNS records and
   certificates:

     {"timestamp":"2026-01-02T03:04:05.678+01:00","url":"https://www.a.org:8443/","input":"www.a.org","host":"www.a.org",
      "host_ip":"192.0.2.1","port":"8443","scheme":"https","path":"/","status_code":200,"title":"...","webserver":"nginx",
      "tech":["Nginx:1.22.1","HSTS"],"favicon":"-1277814690","hash":{"body_sha256":"..."},"jarm_hash":"...",
      "tls":{...},"cname":["web.b.org"],"a":["192.0.2.1"],"asn":{"as_number":"AS64500",...},"failed":false}

   The address that answered is host_ip, in older releases host; before that only the list of
   addresses of the name is known. Several lines may be about paths of one port:

     /              the members http of the service
     other paths    only if the file has no line about / of that port; of several the latest one

   So a line about another path gives its host and service at once, and its response is held back
   until the window ends. A capability that its answer shows (tbl/capabilities.h) belongs to the
   service in any case: a record of the time of the latest line, with these capabilities alone,
   completes the service in the merge.

   Bodies are not stored. */
#include "config.h"

#include "base/url.h"
#include "cli/import/dns.h"
#include "cli/import/gather.h"
#include "cli/import/names.h"
#include "cli/import/tlsx.h"
#include "cli/import/tool_host.h"

enum { PORTS = 65536, SHOWN = 16 /* capabilities of a port: no server has so many */ };

/* The responses of a port. */
struct held {
	struct str ip;
	int64_t port;
	struct str text;  /* the record of a path other than /, or STR_NULL */
	struct ts seen;   /* the time of that record */
	struct ts latest; /* the time of the latest line of the port */
	uint64_t line;
	bool root;         /* there was a line about / */
	struct str *shown; /* capabilities that answers of any path showed */
	size_t nshown;
};

struct httpx {
	struct records *rs;
	struct names *ports; /* address and port to 1 + index in held */
	struct held *held;
	struct arena *a; /* of the texts */
	size_t n, bytes;
};

/* A line. */
struct response {
	const struct json_value *o;
	struct str ip, name; /* STR_NULL: the line has no address or no name of a host */
	struct ts seen;
	int64_t port;
	bool tls, root;
	uint64_t line;
};

/* ---- what a line is about ---- */

static struct str
host_of(struct str url)
{
	struct str authority, rest;

	(void)url_split(url, &authority, &rest);
	return url_host(authority);
}

static struct str
address_of(struct arena *a, const struct json_value *o)
{
	const struct str texts[] = { tool_text(tool_get(o, "host_ip")),
		tool_text(tool_get(o, "host")), tool_text(tool_item(tool_get(o, "a"), 0)),
		tool_text(tool_item(tool_get(o, "aaaa"), 0)),
		host_of(tool_text(tool_get(o, "url"))), host_of(tool_text(tool_get(o, "input"))) };
	struct str ip = STR_NULL;

	for (size_t i = 0; i < COUNT(texts) && ip.p == NULL; i++)
		ip = tool_address(a, texts[i]);
	return ip;
}

static struct str
name_of(const struct json_value *o)
{
	const struct str texts[] = { host_of(tool_text(tool_get(o, "url"))),
		tool_text(tool_get(o, "host")), host_of(tool_text(tool_get(o, "input"))) };
	struct str name = STR_NULL;

	for (size_t i = 0; i < COUNT(texts) && name.p == NULL; i++)
		name = tool_host_name(texts[i]);
	return name;
}

static bool
is_root(const struct json_value *o)
{
	struct str path = tool_text(tool_get(o, "path")), authority;

	if (path.p == NULL)
		(void)url_split(tool_text(tool_get(o, "url")), &authority, &path);
	return path.n == 0 || str_is(path, "/");
}

/* Whether redirections were followed to another server, whose response the line then has. */
static bool
is_elsewhere(const struct json_value *o)
{
	struct str end = tool_text(tool_get(o, "final_url"));
	struct str begin = tool_text(tool_get(o, "url")), rest;

	if (end.p == NULL || begin.p == NULL)
		return false;
	(void)url_split(end, &end, &rest);
	(void)url_split(begin, &begin, &rest);
	return !str_eq(end, begin);
}

/* ---- hosts ---- */

struct header_target {
	struct arena *a;
	struct record_object *service;
};

static bool
add_named_header(void *arg, struct str name, struct json_value *v)
{
	struct header_target *to = arg;

	tool_add_header(to->a, to->service, name, tool_text(v));
	return true;
}

/* Sets the headers that -irh writes; without it, the few headers that httpx writes as members of
   their own. */
static void
set_httpx_headers(struct records *rs, struct record_object *s, const struct json_value *o)
{
	static const struct {
		const char *member, *header;
	} some[] = {
		{ "content_type", "content-type" },
		{ "location", "location" },
		{ "webserver", "server" },
	};
	const struct json_value *all = tool_get(o, "header");
	struct header_target to = { rs->a, s };

	if (all != NULL && json_type(all) == JSON_OBJECT) {
		json_each(all, add_named_header, &to);
		return;
	}
	for (size_t i = 0; i < COUNT(some); i++) {
		struct str value = tool_text(tool_get(o, some[i].member));

		if (!str_is_nocase(value, "none"))
			tool_add_header(rs->a, s, str_of(some[i].header), value);
	}
}

/* Names of technologies, such as "Nginx:1.22.1". */
static void
add_technologies(struct records *rs, struct record_object *s, const struct json_value *list)
{
	for (size_t i = 0; i < tool_items(list); i++) {
		struct str rest = tool_text(tool_item(list, i)), name = STR_NULL;

		(void)str_part(&rest, ':', &name);
		tool_add_slug(rs->a, s, "http.capabilities", name);
		server_add_technology(rs->a, s, name, rest);
	}
}

static struct web_answer
answer_of(const struct json_value *o)
{
	struct web_answer w = { .path = tool_text(tool_get(o, "path")),
		.body = json_get_text(o, "body") };
	struct str authority;

	if (w.path.n == 0)
		(void)url_split(tool_text(tool_get(o, "url")), &authority, &w.path);
	if (w.path.n == 0)
		w.path = STR("/");
	w.asks = json_get_text(tool_get(o, "header"), "www_authenticate");
	if (!tool_number(o, "status_code", &w.status))
		w.status = 0;
	return w;
}

static void
set_httpx_response(struct records *rs, struct record_object *s, const struct json_value *o)
{
	static const char *const flags[] = { "http2", "websocket", "pipeline" };
	struct str hash = tool_text(tool_get(tool_get(o, "hash"), "body_sha256"));
	struct web_answer w = answer_of(o);
	int64_t n;

	if (w.status > 0)
		record_set_int(rs->a, s, "http.status_code", w.status);
	tool_recognise(rs->a, s, &w);
	tool_set_body(rs->a, s, &w);
	tool_set_bytes(rs->a, s, "http.title", tool_text(tool_get(o, "title")));
	server_set(rs->a, s, tool_text(tool_get(o, "webserver")));
	record_set_text(rs->a, s, "http.body_hash", hash);
	if (tool_number(o, "favicon", &n))
		record_set_int(rs->a, s, "http.favicon_mmh3", n);
	record_set_text(rs->a, s, "http.favicon_md5", tool_text(tool_get(o, "favicon_md5")));
	set_httpx_headers(rs, s, o);
	add_technologies(rs, s, tool_get(o, "tech"));
	for (size_t i = 0; i < COUNT(flags); i++)
		if (tool_true(o, flags[i]))
			record_add(rs->a, s, "http.capabilities", str_of(flags[i]));
}

static void
set_network(struct records *rs, struct record_object *h, const struct json_value *o)
{
	const struct json_value *asn = tool_get(o, "asn");
	struct str number = tool_text(tool_get(asn, "as_number"));
	int64_t n;

	if (str_starts(number, STR("AS")) &&
	    str_int64((struct str){ number.p + 2, number.n - 2 }, &n) && n > 0) {
		record_set_int(rs->a, h, "asn", n);
		record_set_text(rs->a, h, "as_name", tool_text(tool_get(asn, "as_name")));
		record_set_text(rs->a, h, "country_code", tool_text(tool_get(asn, "as_country")));
	}
	tool_add_cdn(
	    rs->a, h, tool_text(tool_get(o, "cdn_type")), tool_text(tool_get(o, "cdn_name")));
}

static struct record
make_host(struct records *rs, const struct response *q, bool with_response)
{
	const struct json_value *o = q->o, *tls = tool_get(o, "tls");
	struct record r = record_new(rs->a, DATASET_HOSTS);
	struct str jarm = tool_text(tool_get(o, "jarm_hash"));
	struct record_object *s;

	record_set_text(rs->a, r.root, "ip", q->ip);
	tool_seen(rs->a, r.root, q->seen);
	set_network(rs, r.root, o);
	s = tool_service(rs->a, &r, q->port, STR("tcp"));
	if (s == NULL)
		return r;
	record_set_bool(rs->a, s, "tls_enabled", q->tls);
	tool_set_protocol(rs->a, s, STR("http"), q->tls);
	if (q->name.p != NULL)
		record_add(rs->a, s, "extra_names", q->name);
	if (!is_elsewhere(o)) {
		if (tls != NULL && json_type(tls) == JSON_OBJECT)
			tlsx_set_service(rs, s, tls);
		if (with_response)
			set_httpx_response(rs, s, o);
	}
	tool_set_jarm(rs->a, s, jarm.p != NULL ? jarm : tool_text(tool_get(o, "jarm")));
	return r;
}

/* ---- responses that are held back ---- */

static void
emit_held(struct records *rs, const struct held *h)
{
	struct record r;
	struct str what;

	arena_reset(rs->a);
	if (!record_parse(rs->a, DATASET_HOSTS, h->text, RECORD_LENIENT, &r, &what))
		panic("a record that was printed cannot be read");
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, h->line);
}

/* A record without a time would be later than the response. httpx gives each line a time. */
static void
emit_shown(struct records *rs, const struct held *h)
{
	struct record r;
	struct record_object *s;

	arena_reset(rs->a);
	r = record_new(rs->a, DATASET_HOSTS);
	record_set_text(rs->a, r.root, "ip", h->ip);
	tool_seen(rs->a, r.root, h->latest);
	s = tool_service(rs->a, &r, h->port, STR("tcp"));
	if (s == NULL)
		return;
	for (size_t i = 0; i < h->nshown; i++)
		record_add(rs->a, s, "http.capabilities", h->shown[i]);
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, h->line);
}

/* Emits the responses of ports without a line about /, and begins a new window. */
static void
end_window(struct httpx *x)
{
	struct records *rs = x->rs;

	for (size_t i = 0; i < x->n && !rs->stop; i++) {
		const struct held *h = &x->held[i];

		if (!h->root && h->text.p != NULL)
			emit_held(rs, h);
		if (h->nshown > 0 && !ts_is_null(h->latest) && !rs->stop)
			emit_shown(rs, h);
	}
	arena_reset(x->a);
	names_clear(x->ports);
	x->n = x->bytes = 0;
}

static struct held *
held_of(struct httpx *x, const struct response *q)
{
	uint32_t *at = names_at(
	    x->ports, arena_printf(x->rs->a, "%.*s %d", (int)q->ip.n, q->ip.p, (int)q->port));

	if (*at == 0) {
		*at = (uint32_t)++x->n;
		x->held[x->n - 1] = (struct held){ .text = STR_NULL,
			.seen = TS_NULL,
			.latest = TS_NULL,
			.ip = arena_str(x->a, q->ip),
			.port = q->port,
			.line = q->line };
	}
	return &x->held[*at - 1];
}

/* Keeps the capabilities that the answer shows, each once. */
static void
keep_shown(struct httpx *x, struct held *h, const struct json_value *o)
{
	struct web_answer w = answer_of(o);
	struct str names = is_elsewhere(o) ? STR_NULL : capability_of_answer(&w), name;

	while (str_part(&names, ' ', &name)) {
		size_t i = 0;

		while (i < h->nshown && !str_eq(h->shown[i], name))
			i++;
		if (i < h->nshown || i == SHOWN)
			continue;
		if (h->shown == NULL) {
			h->shown = ARENA_ARRAY(x->a, SHOWN, struct str);
			x->bytes += SHOWN * sizeof(name);
		}
		h->shown[h->nshown++] = name; /* the table's own text */
	}
}

static void
emit_httpx_host(struct httpx *x, const struct response *q)
{
	struct held *h = held_of(x, q);
	struct record r = make_host(x->rs, q, q->root);
	struct buf b = { .a = x->rs->a };

	keep_shown(x, h, q->o);
	if (ts_cmp(q->seen, h->latest) > 0)
		h->latest = q->seen;
	if (q->root)
		h->root = true;
	else if (!h->root && ts_cmp(q->seen, h->seen) >= 0) {
		struct record whole = make_host(x->rs, q, true);

		record_print(&b, &whole, NULL);
		h->text = arena_str(x->a, buf_done(&b));
		h->seen = q->seen;
		h->line = q->line;
		x->bytes += b.n + 16;
	}
	records_emit(x->rs, &r, STR_NULL, RECORD_LENIENT, q->line);
}

/* ---- DNS ---- */

/* The addresses behind an alias belong to its last target, and the list of aliases has no owners:
   so the first alias is the host's, and the addresses are the host's when it has none. In some
   releases "a" has addresses of both families. */
static void
emit_names(struct records *rs, const struct response *q)
{
	static const char *const lists[] = { "a", "aaaa" };
	struct dns_line l = { .host = q->name, .seen = q->seen };
	struct str alias = tool_text(tool_item(tool_get(q->o, "cname"), 0));

	l.type = STR("CNAME");
	l.answer = alias;
	if (alias.p != NULL)
		dns_emit(rs, &l, q->line);
	for (size_t k = 0; alias.p == NULL && k < COUNT(lists); k++) {
		const struct json_value *list = tool_get(q->o, lists[k]);

		for (size_t i = 0; i < tool_items(list) && !rs->stop; i++) {
			l.answer = tool_address(rs->a, tool_text(tool_item(list, i)));
			if (l.answer.p == NULL)
				continue;
			l.type =
			    memchr(l.answer.p, ':', l.answer.n) == NULL ? STR("A") : STR("AAAA");
			dns_emit(rs, &l, q->line);
		}
	}
}

/* ---- lines ---- */

static void
read_response(void *arg, const struct json_value *o, uint64_t line)
{
	struct httpx *x = arg;
	struct records *rs = x->rs;
	const struct json_value *tls = tool_get(o, "tls");
	struct str url = tool_text(tool_get(o, "url"));
	struct response q = { .o = o, .seen = tool_member_time(o, "timestamp"), .line = line };
	bool host, names, certificates;

	q.ip = address_of(rs->a, o);
	q.name = name_of(o);
	q.root = is_root(o);
	q.tls = tool_has(tool_get(o, "scheme"), "https") || str_starts(url, STR("https://"));
	if (!tool_number(o, "port", &q.port))
		q.port = q.tls ? 443 : 80;
	if (url.p == NULL && tool_get(o, "input") == NULL) {
		records_bad(rs, line, "url: is missing");
		return;
	}
	host = records_want(rs, DATASET_HOSTS) && q.ip.p != NULL;
	names = records_want(rs, DATASET_DNS) && q.name.p != NULL &&
		(tool_items(tool_get(o, "a")) > 0 || tool_items(tool_get(o, "aaaa")) > 0 ||
		    tool_items(tool_get(o, "cname")) > 0);
	certificates =
	    records_want(rs, DATASET_CERTIFICATES) &&
	    (tool_get(tls, "fingerprint_hash") != NULL || tool_get(tls, "certificate") != NULL);
	if (tool_true(o, "failed") || (!host && !names && !certificates)) {
		rs->skipped++;
		return;
	}
	if (host)
		emit_httpx_host(x, &q);
	if (names)
		emit_names(rs, &q);
	if (certificates)
		tlsx_emit_certificates(rs, tls, q.seen, line);
	if (x->n == PORTS || x->bytes > GATHER_BYTES)
		end_window(x);
}

void
read_httpx(struct records *rs)
{
	struct httpx x = { .rs = rs, .a = arena_new(SIZE_MAX / 2) };

	x.held = mem_array(PORTS, sizeof(x.held[0]));
	x.ports = names_new(PORTS);
	records_json(rs, NULL, read_response, &x);
	if (!rs->stop)
		end_window(&x);
	names_free(x.ports);
	free(x.held);
	arena_free(x.a);
}
