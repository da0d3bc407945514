/* SPDX-License-Identifier: ISC */
/* Reads masscan's -oJ (an array, but not always valid JSON as a whole: an interrupted run leaves it without its end, and
   older releases wrote no brackets around it) and -oD (one object on each line). The status of a port and each of its banners are separate records, in any order, so the
   records of an address are gathered for a window of hosts before the hosts are emitted. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/names.h"
#include "cli/import/source.h"

enum { WINDOW_BYTES = 64 * 1024 * 1024 };

struct gathered {
	struct import_host host;
	uint64_t line;
};

struct window {
	struct importer *im;
	struct arena *arena;
	struct gathered *hosts; /* the first record of a host initialises its element */
	size_t n, bytes;
	uint64_t line;       /* where the present record begins */
	struct names *names; /* address to 1 + index in hosts */
};

struct record {
	struct str ip, transport, name, banner;
	int64_t port, seconds;
	bool open;
};

/* Emits the gathered hosts and begins a new window. A host whose records are
   spread over two windows is emitted twice; the import then merges the second
   document into the first (store.c), so nothing is lost but a little time. The
   arenas are reset in this order: import_emit prints from the window's arena into
   that of the importer, and the names in the table point into neither. */
static void
window_flush(struct window *w)
{
	for (size_t i = 0; i < w->n && !w->im->stop; i++) {
		import_emit(w->im, &w->hosts[i].host, IMPORT_LENIENT, w->hosts[i].line);
		arena_reset(w->im->arena);
	}
	arena_reset(w->arena);
	names_clear(w->names);
	w->n = w->bytes = 0;
}

static struct import_host *
window_host(struct window *w, struct str ip)
{
	uint32_t *at = names_at(w->names, ip);

	if (*at == 0) {
		*at = (uint32_t)++w->n;
		w->hosts[w->n - 1] =
		    (struct gathered){ { .ip = arena_str(w->arena, ip) }, w->line };
	}
	return &w->hosts[*at - 1].host;
}

static struct import_service *
host_service(struct window *w, struct import_host *h, const struct record *r)
{
	struct import_service *s;

	for (size_t i = 0; i < h->nservices; i++)
		if (h->services[i].port.v == r->port &&
		    str_eq(h->services[i].transport, r->transport))
			return &h->services[i];
	s = import_service_add(w->arena, h);
	w->bytes += 2 * sizeof(*s);
	s->port = (struct opt){ true, r->port };
	s->transport = arena_str(w->arena, r->transport);
	return s;
}

static void
update_times(struct opt *first, struct opt *last, int64_t seconds)
{
	struct opt t = { true, seconds * 1000000 };

	if (seconds <= 0)
		return;
	if (!first->set || t.v < first->v)
		*first = t;
	if (!last->set || t.v > last->v)
		*last = t;
}

/* "HTTP/1.1 301 Moved ..." */
static void
set_http_status(struct import_service *s, struct str head)
{
	int64_t code;

	if (head.n >= 12 && str_starts(head, STR("HTTP/")) &&
	    str_int64((struct str){ head.p + 9, 3 }, &code) && code >= 100)
		s->http.status_code = (struct opt){ true, code };
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
set_banner(struct import_service *s, struct str name, struct str text)
{
	if (str_is(name, "title")) {
		s->http.title = text;
	} else if (str_is(name, "http.server")) {
		s->http.server = text;
	} else if (str_is(name, "X509") || str_is(name, "ssl") || str_is(name, "X509CA")) {
		s->tls_enabled = (struct opt){ true, true };
	} else if (str_is(name, "html") || str_is(name, "vuln") || str_is(name, "unknown")) {
		if (s->banner.p == NULL)
			s->banner = text;
	} else {
		s->service_name = s->protocol = name;
		s->banner = text;
		if (str_is(name, "http"))
			set_http_status(s, text);
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
add_record_to_window(struct window *w, const struct record *r)
{
	struct import_host *h;
	struct import_service *s;

	if (!r->open && r->name.p == NULL)
		return;
	h = window_host(w, r->ip);
	if (h->nservices >= IMPORT_ITEMS)
		return;
	s = host_service(w, h, r);
	update_times(&h->first_seen, &h->last_seen, r->seconds);
	update_times(&s->first_seen, &s->last_seen, r->seconds);
	if (r->name.p != NULL)
		set_banner(s, copy_to_window(w, r->name), remove_nul(w, r->banner));
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
port_record(struct window *w, struct record *r, const struct json_value *port,
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
	struct record r = { .port = 0 };

	if (json_type(v) != JSON_OBJECT)
		return "must be an object";
	r.ip = member_text(v, "ip");
	if (r.ip.p == NULL)
		return "ip: is missing";
	r.seconds = int_of(v, "timestamp");
	if (r.seconds > TS_NEWEST_US / 1000000)
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

static void
take_object(void *arg, struct str text, uint64_t line)
{
	struct window *w = arg;
	struct importer *im = w->im;
	struct json_fault fault;
	struct json_value *v;
	const char *why;

	/* the last line of older releases, which is not JSON */
	if (str_starts(text, STR("{finished:")) || str_starts(text, STR("{ finished:")))
		return;
	im->read++;
	w->line = line;
	if (!json_scan(im->arena, text, IMPORT_DEPTH, &fault)) {
		import_bad(im, line, "no valid JSON: %s", fault.what);
		return;
	}
	v = json_parse(im->arena, text);
	why = v == NULL ? "no valid JSON" : handle_record(w, v);
	if (why != NULL)
		import_bad(im, line, "%s", why);
	else if (w->n >= im->window || w->bytes > WINDOW_BYTES)
		window_flush(w);
}

void
import_masscan(struct importer *im)
{
	struct window w = { .im = im, .arena = arena_new(SIZE_MAX / 2) };

	w.hosts = mem_array(im->window, sizeof(w.hosts[0]));
	w.names = names_new(im->window);
	import_values(im, take_object, &w);
	if (!im->stop)
		window_flush(&w);
	names_free(w.names);
	free(w.hosts);
	arena_free(w.arena);
}
