/* SPDX-License-Identifier: ISC */
/* Reads the output of masscan:

     -oJ   an array, but not always valid JSON as a whole: an interrupted run leaves it without its end, and older releases
           wrote no brackets around it
     -oD   one object on each line
     -oL   "open tcp 80 192.0.2.1 1700000000" and "banner tcp 80 192.0.2.1 1700000000 http HTTP/1.1 200 OK..."
     -oX   the XML of nmap with the attribute banner: nmap.c

   The status of a port and each of its banners are separate records, in any order, so those of an address are gathered
   before the host is emitted. An answer to a ping is port 0 and gives nothing. */
#include "config.h"

#include "cli/import/masscan.h"

#include "cli/import/certificates.h"
#include "cli/import/json_values.h"
#include "cli/import/tool_host.h"

/* ---- banners ---- */

/* The first line and the headers of a response. */
static void
set_http_head(struct arena *a, struct record_object *s, struct str head)
{
	struct str line, name;
	int64_t code;

	if (head.n >= 12 && str_starts(head, STR("HTTP/")) &&
	    str_int64((struct str){ head.p + 9, 3 }, &code) && code >= 100)
		record_set_int(a, s, "http.status_code", code);
	while (str_line(&head, &line) && str_trim(line).n > 0) {
		if (memchr(line.p, ':', line.n) == NULL || !str_part(&line, ':', &name))
			continue;
		tool_add_header(a, s, name, line);
		if (str_is_nocase(name, "server") && record_text(s, "http.server").p == NULL &&
		    str_trim(line).n > 0)
			record_set_text(a, s, "http.server", str_trim(line));
	}
}

/* The banner X509 is the certificate in base64. */
static void
set_certificate(struct gather *g, struct record_object *s, struct str text)
{
	struct record r;
	struct str der;
	const char *why;

	record_set_bool(g->a, s, "tls_enabled", true);
	if (text.n <= 2 * CERTIFICATE_DER && certificate_of_base64(g->a, text, &der) &&
	    record_certificate(g->a, false, &der, &r, &why) &&
	    record_text(s, "tls.certificate.fingerprint_sha256").p == NULL)
		tool_set_certificate(g->a, s, &r);
}

/* Stores a banner. masscan names most banners after their protocol, and others after a part of the
   response:

     title                http.title
     http.server          http.server
     X509                 the service has TLS, and this certificate
     ssl, X509CA          the service has TLS; the text itself is not kept
     html, vuln, unknown  the banner, unless a better one is there
     any other            the banner, and the protocol and name of the service; "http" also has the status and headers

   The records of one port come in any order, so a row may not depend on another one having come
   before. */
static void
set_banner(struct gather *g, struct record_object *s, struct str name, struct str text)
{
	struct arena *a = g->a;

	if (str_is(name, "title")) {
		tool_set_bytes(a, s, "http.title", text);
	} else if (str_is(name, "http.server")) {
		tool_set_bytes(a, s, "http.server", text);
	} else if (str_is(name, "X509")) {
		set_certificate(g, s, text);
	} else if (str_is(name, "ssl") || str_is(name, "X509CA")) {
		record_set_bool(a, s, "tls_enabled", true);
	} else if (str_is(name, "html") || str_is(name, "vuln") || str_is(name, "unknown")) {
		if (record_text(s, "banner").p == NULL)
			tool_set_bytes(a, s, "banner", text);
	} else {
		record_set_text(a, s, "service_name", name);
		record_set_text(a, s, "protocol", name);
		tool_set_bytes(a, s, "banner", text);
		if (str_is(name, "http"))
			set_http_head(a, s, text);
	}
}

void
masscan_add(struct gather *g, const struct sighting *r, uint64_t line)
{
	static const char *const transports[] = { "tcp", "udp", "sctp" };
	struct ts seen = TS_NULL;
	struct record_object *s;
	struct record *h;
	size_t i = 0;

	while (i < COUNT(transports) && !str_is(r->transport, transports[i]))
		i++;
	if ((!r->open && r->name.p == NULL) || i == COUNT(transports) || r->port < 1)
		return;
	h = gather_host(g, r->ip, line);
	s = gather_service(g, h, r->port, transports[i]);
	if (s == NULL)
		return;
	if (r->seconds > 0)
		seen.us = r->seconds * SECOND_US;
	tool_seen(g->a, h->root, seen);
	tool_seen(g->a, s, seen);
	if (r->name.p != NULL)
		set_banner(g, s, gather_text(g, r->name), gather_text(g, r->banner));
}

/* ---- JSON ---- */

/* Handles a port: an item of "ports" (-oJ), or the record itself with its "data" (-oD). */
static const char *
add_port(struct gather *g, struct sighting *r, const struct json_value *port,
    const struct json_value *data, uint64_t line)
{
	const struct json_value *service = tool_get(port, "service");

	if (!tool_number(port, "port", &r->port) || r->port < 0 || r->port > 65535)
		return "ports: an item has no port";
	r->transport = tool_member(port, "proto");
	if (r->transport.p == NULL)
		r->transport = STR("tcp");
	r->open = str_is(tool_member(data, "status"), "open");
	r->name = data == port ? tool_member(service, "name") : tool_member(data, "service_name");
	r->banner = tool_member(data == port ? service : data, "banner");
	masscan_add(g, r, line);
	return NULL;
}

static const char *
add_object(struct gather *g, const struct json_value *v, uint64_t line)
{
	const struct json_value *ports = tool_get(v, "ports"), *data = tool_get(v, "data");
	struct str ip = tool_member(v, "ip");
	struct sighting r = { .port = 0 };
	const char *why = NULL;

	if (json_type(v) != JSON_OBJECT)
		return "must be an object";
	if (ip.p == NULL)
		return "ip: is missing";
	r.ip = tool_address(g->rs->a, ip);
	if (r.ip.p == NULL)
		return "ip: is no IP address";
	if (!tool_number(v, "timestamp", &r.seconds))
		r.seconds = 0;
	if (r.seconds > TS_NEWEST_US / SECOND_US)
		return "timestamp: is out of range";
	if (data != NULL && json_type(data) == JSON_OBJECT)
		return add_port(g, &r, v, data, line);
	if (ports == NULL || json_type(ports) != JSON_ARRAY)
		return "ports: must be an array";
	for (size_t i = 0; i < json_length(ports) && why == NULL; i++) {
		const struct json_value *port = json_at(ports, i);

		why = json_type(port) == JSON_OBJECT ? add_port(g, &r, port, port, line)
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
read_json(struct records *rs, struct gather *g)
{
	struct json_values v;
	struct str text;

	json_values_open(&v, rs->src, NULL);
	while (records_text(rs, &v, &text)) {
		struct json_fault fault;
		const struct json_value *o;
		const char *why;

		if (is_end(text)) {
			rs->read--;
			continue;
		}
		o = json_parse_told(rs->a, text, &fault);
		why = o == NULL ? NULL : add_object(g, o, v.line);
		if (o == NULL)
			records_bad(rs, v.line, "no valid JSON: %s", fault.what);
		else if (why != NULL)
			records_bad(rs, v.line, "%s", why);
		gather_line(g);
	}
	json_values_close(&v);
}

/* ---- the list of -oL ---- */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A byte becomes the character of its number, as in masscan's JSON. */
struct str
masscan_unescape(struct arena *a, struct str text)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < text.n; i++) {
		int high = i + 3 < text.n ? hex_digit(text.p[i + 2]) : -1;
		int low = i + 3 < text.n ? hex_digit(text.p[i + 3]) : -1;
		int c = high * 16 + low;

		if (text.p[i] != '\\' || high < 0 || low < 0 || text.p[i + 1] != 'x') {
			buf_char(&b, text.p[i]);
			continue;
		}
		buf_code_point(&b, (uint32_t)c);
		i += 3;
	}
	return buf_done(&b);
}

static const char *
add_list_line(struct gather *g, struct str line, uint64_t at)
{
	struct sighting r = { .port = 0 };
	struct str word[5], rest = line;

	if (str_utf8_bad(line) != line.n)
		return "the line is no valid UTF-8";
	for (size_t i = 0; i < COUNT(word); i++)
		if (!str_part(&rest, ' ', &word[i]))
			return "the line must be STATUS TRANSPORT PORT ADDRESS TIME";
	r.transport = word[1];
	r.ip = tool_address(g->rs->a, word[3]);
	if (!str_int64(word[2], &r.port) || r.port < 0 || r.port > 65535)
		return "the third word is no port";
	if (r.ip.p == NULL)
		return "the fourth word is no IP address";
	if (!str_int64(str_trim(word[4]), &r.seconds) || r.seconds < 0 ||
	    r.seconds > TS_NEWEST_US / SECOND_US)
		return "the fifth word is no time";
	r.open = str_is(word[0], "open");
	if (str_is(word[0], "banner") && str_part(&rest, ' ', &r.name))
		r.banner = masscan_unescape(g->rs->a, rest);
	masscan_add(g, &r, at);
	return NULL;
}

static void
read_list(struct records *rs, struct gather *g)
{
	enum source_line how;
	struct str line;

	while (!rs->stop && (how = source_line(rs->src, &line)) != SOURCE_END) {
		const char *why = "the line is too long";

		if (how == SOURCE_LINE && (line.n == 0 || line.p[0] == '#'))
			continue;
		if (!records_next(rs))
			break;
		if (how == SOURCE_LINE)
			why = add_list_line(g, line, rs->src->line);
		if (why != NULL)
			records_bad(rs, rs->src->line, "%s", why);
		gather_line(g);
	}
}

void
read_masscan(struct records *rs)
{
	struct gather g;
	char first = source_first_byte(rs->src);

	if (first == '<' || first == '\xff' || first == '\xfe') {
		read_nmap(rs);
		return;
	}
	gather_open(&g, rs);
	if (first == '{' || first == '[' || first == ',')
		read_json(rs, &g);
	else
		read_list(rs, &g);
	gather_close(&g);
}
