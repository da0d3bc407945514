/* SPDX-License-Identifier: ISC */
/* Reads masscan's -oJ (an array, but not always valid JSON as a whole: an interrupted run leaves it without its end, and
   older releases wrote no brackets around it) and -oD (one object on each line). The status of a port and each of its
   banners are separate records, in any order, so the records of an address are gathered for a window of hosts before the
   hosts are emitted. */
#include "config.h"

#include "cli/import/json_values.h"
#include "cli/import/names.h"
#include "cli/import/records.h"

enum { WINDOW = 20000, WINDOW_BYTES = 64 * 1024 * 1024, SERVICE_BYTES = 1024 };

struct gathered {
	struct record host;
	uint64_t line;
};

struct window {
	struct records *rs;
	struct arena *arena;
	struct gathered *hosts; /* the first record of a host initialises its element */
	size_t n, most, bytes;
	uint64_t line;       /* where the present record begins */
	struct names *names; /* address to 1 + index in hosts */
};

/* A record of masscan. */
struct sighting {
	struct str ip, transport, name, banner;
	int64_t port, seconds;
	bool open;
};

/* Emits the gathered hosts and begins a new window. A host whose records are spread over two windows is emitted twice, and
   the import merges both. */
static void
window_flush(struct window *w)
{
	for (size_t i = 0; i < w->n && !w->rs->stop; i++) {
		arena_reset(w->rs->a);
		records_emit(w->rs, &w->hosts[i].host, STR_NULL, RECORD_LENIENT, w->hosts[i].line);
	}
	arena_reset(w->arena);
	names_clear(w->names);
	w->n = w->bytes = 0;
}

static struct record *
window_host(struct window *w, struct str ip)
{
	uint32_t *at = names_at(w->names, ip);

	if (*at == 0) {
		struct gathered *g = &w->hosts[w->n];

		*at = (uint32_t)++w->n;
		*g = (struct gathered){ record_new(w->arena, DATASET_HOSTS), w->line };
		record_set_text(w->arena, g->host.root, "ip", arena_str(w->arena, ip));
	}
	return &w->hosts[*at - 1].host;
}

/* NULL: the host has too many. */
static struct record_object *
host_service(struct window *w, struct record *h, const struct sighting *r)
{
	struct record_object *const *all;
	size_t n = record_nested_all(h, &all);
	struct record_object *s;
	int64_t port;

	for (size_t i = 0; i < n; i++)
		if (record_int(all[i], "port", &port) && port == r->port &&
		    str_eq(record_text(all[i], "transport"), r->transport))
			return all[i];
	if (n >= LIM_LIST)
		return NULL;
	s = record_nested(w->arena, h);
	w->bytes += SERVICE_BYTES;
	record_set_int(w->arena, s, "port", r->port);
	record_set_text(w->arena, s, "transport", arena_str(w->arena, r->transport));
	return s;
}

static void
widen_times(struct window *w, struct record_object *o, int64_t seconds)
{
	int64_t t = seconds * SECOND_US, first, last;

	if (seconds <= 0)
		return;
	if (!record_int(o, "first_seen", &first) || t < first)
		record_set_int(w->arena, o, "first_seen", t);
	if (!record_int(o, "last_seen", &last) || t > last)
		record_set_int(w->arena, o, "last_seen", t);
}

/* "HTTP/1.1 301 Moved ..." */
static void
set_http_status(struct window *w, struct record_object *s, struct str head)
{
	int64_t code;

	if (head.n >= 12 && str_starts(head, STR("HTTP/")) &&
	    str_int64((struct str){ head.p + 9, 3 }, &code) && code >= 100)
		record_set_int(w->arena, s, "http.status_code", code);
}

/* Stores a banner. masscan names most banners after their protocol, and others after a part of the
   response:

     title                http.title
     http.server          http.server
     X509, ssl, X509CA    the service has TLS; the text itself is not kept
     html, vuln, unknown  the banner, unless a better one is there
     any other            the banner, and the protocol and name of the service; "http" also has the status

   The records of one port come in any order, so a row may not depend on another one having come
   before. */
static void
set_banner(struct window *w, struct record_object *s, struct str name, struct str text)
{
	struct arena *a = w->arena;

	if (str_is(name, "title")) {
		record_set_text(a, s, "http.title", text);
	} else if (str_is(name, "http.server")) {
		record_set_text(a, s, "http.server", text);
	} else if (str_is(name, "X509") || str_is(name, "ssl") || str_is(name, "X509CA")) {
		record_set_bool(a, s, "tls_enabled", true);
	} else if (str_is(name, "html") || str_is(name, "vuln") || str_is(name, "unknown")) {
		if (record_text(s, "banner").p == NULL)
			record_set_text(a, s, "banner", text);
	} else {
		record_set_text(a, s, "service_name", name);
		record_set_text(a, s, "protocol", name);
		record_set_text(a, s, "banner", text);
		if (str_is(name, "http"))
			set_http_status(w, s, text);
	}
}

static struct str
copy_to_window(struct window *w, struct str s)
{
	w->bytes += s.n + 16;
	return arena_str(w->arena, s);
}

/* masscan escapes bytes that are not text, such as \u0000, and the stored form has no NUL. */
static struct str
remove_nul(struct window *w, struct str s)
{
	char *p = arena_alloc(w->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\0')
			p[n++] = s.p[i];
	w->bytes += s.n + 16;
	return (struct str){ p, n };
}

static void
add_record_to_window(struct window *w, const struct sighting *r)
{
	struct record *h;
	struct record_object *s;

	if (!r->open && r->name.p == NULL)
		return;
	h = window_host(w, r->ip);
	s = host_service(w, h, r);
	if (s == NULL)
		return;
	widen_times(w, h->root, r->seconds);
	widen_times(w, s, r->seconds);
	if (r->name.p != NULL)
		set_banner(w, s, copy_to_window(w, r->name), remove_nul(w, r->banner));
}

/* ---- records ---- */

static struct str
member_text(const struct json_value *v, const char *name)
{
	const struct json_value *m = v == NULL ? NULL : json_get(v, name);

	return m != NULL && json_type(m) == JSON_STRING ? json_text(m) : STR_NULL;
}

static int64_t
int_of(const struct json_value *v, const char *name)
{
	const struct json_value *m = json_get(v, name);
	int64_t n;

	if (m == NULL)
		return -1;
	if (json_type(m) == JSON_NUMBER && json_int(m, &n))
		return n;
	return json_type(m) == JSON_STRING && str_int64(json_text(m), &n) ? n : -1;
}

/* Handles a port: an item of "ports" (-oJ), or the record itself with its "data" (-oD). */
static const char *
port_record(struct window *w, struct sighting *r, const struct json_value *port,
    const struct json_value *data)
{
	const struct json_value *service = json_get(port, "service");
	struct str status = member_text(data, "status");

	r->port = int_of(port, "port");
	r->transport = member_text(port, "proto");
	if (r->port < 0 || r->port > 65535)
		return "ports: an item has no port";
	if (r->transport.p == NULL)
		r->transport = STR("tcp");
	r->open = str_is(status, "open");
	r->name = data == port ? member_text(service, "name") : member_text(data, "service_name");
	r->banner = member_text(data == port ? service : data, "banner");
	if (r->port > 0 && (str_is(r->transport, "tcp") || str_is(r->transport, "udp") ||
			       str_is(r->transport, "sctp")))
		add_record_to_window(w, r);
	return NULL;
}

static const char *
handle_record(struct window *w, const struct json_value *v)
{
	const struct json_value *ports, *data;
	const char *why = NULL;
	struct sighting r = { .port = 0 };

	if (json_type(v) != JSON_OBJECT)
		return "must be an object";
	r.ip = member_text(v, "ip");
	if (r.ip.p == NULL)
		return "ip: is missing";
	r.seconds = int_of(v, "timestamp");
	if (r.seconds > TS_NEWEST_US / SECOND_US)
		return "timestamp: is out of range";
	data = json_get(v, "data");
	if (data != NULL && json_type(data) == JSON_OBJECT)
		return port_record(w, &r, v, data);
	ports = json_get(v, "ports");
	if (ports == NULL || json_type(ports) != JSON_ARRAY)
		return "ports: must be an array";
	for (size_t i = 0; i < json_length(ports) && why == NULL; i++) {
		const struct json_value *port = json_at(ports, i);

		why = json_type(port) == JSON_OBJECT ? port_record(w, &r, port, port)
						     : "ports: an item is no object";
	}
	return why;
}

/* The last line of older releases, which is not JSON. */
static bool
is_end(struct str text)
{
	return str_starts(text, STR("{finished:")) || str_starts(text, STR("{ finished:"));
}

static void
take_text(struct window *w, struct str text)
{
	struct json_fault fault;
	const struct json_value *v = json_parse_told(w->rs->a, text, &fault);
	const char *why;

	if (v == NULL) {
		records_bad(w->rs, w->line, "no valid JSON: %s", fault.what);
		return;
	}
	why = handle_record(w, v);
	if (why != NULL)
		records_bad(w->rs, w->line, "%s", why);
	else if (w->n >= w->most || w->bytes > WINDOW_BYTES)
		window_flush(w);
}

void
read_masscan(struct records *rs)
{
	struct window w = { .rs = rs,
		.arena = arena_new(SIZE_MAX / 2),
		.most = rs->window > 0 ? rs->window : WINDOW };
	struct json_values v;
	struct str text;

	w.hosts = mem_array(w.most, sizeof(w.hosts[0]));
	w.names = names_new(w.most);
	json_values_open(&v, rs->src, NULL);
	while (records_text(rs, &v, &text)) {
		w.line = v.line;
		if (is_end(text))
			rs->read--;
		else
			take_text(&w, text);
	}
	json_values_close(&v);
	window_flush(&w);
	names_free(w.names);
	free(w.hosts);
	arena_free(w.arena);
}
