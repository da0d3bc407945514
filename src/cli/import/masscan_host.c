/* SPDX-License-Identifier: ISC */
/* Turns the records of masscan into services of gathered hosts. A record of masscan has the status
   of one port, or one banner. The readers of JSON, of the list and of XML use this file. */
#include "config.h"

#include "cli/import/masscan.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_host.h"

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
		server_set_product(a, s);
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

/* A byte becomes the character of its number, as in masscan's JSON. */
struct str
masscan_unescape(struct arena *a, struct str text)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < text.n; i++) {
		int high = i + 3 < text.n ? ascii_hex(text.p[i + 2]) : -1;
		int low = i + 3 < text.n ? ascii_hex(text.p[i + 3]) : -1;
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
