/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "cli/import/tool_host.h"
#include "record/masked.h"

#include "base/ipnet.h"
#include "record/certificate.h"

struct str
tool_address(struct arena *a, struct str text)
{
	return text.n > 0 && text.n < 64 && ipnet_canonical_address(a, &text) ? text : STR_NULL;
}

struct str
tool_host_name(struct str text)
{
	if (str_ends(text, STR(".")))
		text.n--;
	return certificate_host_name(text) ? text : STR_NULL;
}

bool
tool_port(struct str text, int64_t *port, struct str *transport)
{
	struct str part;

	if (!str_part(&text, '/', &part) || !str_int64(part, port))
		return false;
	if (text.n > 0) {
		static const char *const names[] = { "tcp", "udp", "sctp" };
		size_t i = 0;

		while (i < COUNT(names) && !str_is_nocase(text, names[i]))
			i++;
		if (i == COUNT(names))
			return false;
		*transport = str_of(names[i]);
	}
	return *port >= 1 && *port <= 65535;
}

/* ---- services ---- */

struct record_object *
tool_service(struct arena *a, struct record *r, int64_t port, struct str transport)
{
	struct record_object *const *all, *s;
	size_t n = record_nested_all(r, &all);
	int64_t other;

	if (port < 1 || port > 65535 || n >= LIM_HOST_SERVICES)
		return NULL;
	transport = arena_lower(a, transport.n == 0 ? STR("tcp") : transport);
	for (size_t i = 0; i < n; i++)
		if (record_int(all[i], "port", &other) && other == port &&
		    str_eq(record_text(all[i], "transport"), transport))
			return all[i];
	s = record_nested(a, r);
	record_set_int(a, s, "port", port);
	record_set_text(a, s, "transport", arena_str(a, transport));
	return s;
}

void
tool_seen(struct arena *a, struct record_object *o, struct ts t)
{
	int64_t us;

	if (ts_is_null(t))
		return;
	if (!record_int(o, "first_seen", &us) || t.us < us)
		record_set_time(a, o, "first_seen", t);
	if (!record_int(o, "last_seen", &us) || t.us > us)
		record_set_time(a, o, "last_seen", t);
}

void
tool_add_slug(struct arena *a, struct record_object *o, const char *member, struct str name)
{
	struct buf b = { .a = a };

	name = str_trim(name);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool blank = c == ' ' || c == '\t' || c == '_';

		if (blank && b.n > 0 && b.p[b.n - 1] == '-')
			continue;
		buf_char(&b, blank ? '-' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
	}
	if (b.n > 0)
		record_add(a, o, member, buf_done(&b));
}

void
tool_add_cdn(struct arena *a, struct record_object *host, struct str kind, struct str name)
{
	if (name.n == 0)
		return;
	tool_add_slug(a, host, "tags", kind.n == 0 ? STR("cdn") : kind);
	tool_add_slug(a, host, "tags", name);
}

struct record_object *
tool_cpe_owner(struct str cpe, struct record_object *host, struct record_object *service)
{
	bool of_host = str_starts(cpe, STR("cpe:/o:")) || str_starts(cpe, STR("cpe:/h:"));

	return of_host ? host : service;
}

/* Tools escape bytes that are no text, such as \u0000, and a document has no U+0000. */
void
tool_set_bytes(struct arena *a, struct record_object *o, const char *member, struct str text)
{
	char *p;
	size_t n = 0;

	if (text.n == 0)
		return;
	p = arena_alloc(a, text.n + 1);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\0')
			p[n++] = text.p[i];
	if (n > 0)
		record_set_text(a, o, member, (struct str){ p, n });
}

void
tool_set_protocol(struct arena *a, struct record_object *service, struct str protocol, bool tls)
{
	static const struct {
		const char *plain, *tls;
	} names[] = {
		{ "http", "https" },
		{ "imap", "imaps" },
		{ "pop3", "pop3s" },
		{ "smtp", "smtps" },
		{ "ldap", "ldaps" },
		{ "ftp", "ftps" },
		{ "irc", "ircs" },
	};

	if (protocol.n == 0)
		return;
	protocol = arena_lower(a, protocol);
	for (size_t i = 0; tls && i < COUNT(names); i++)
		if (str_is(protocol, names[i].plain))
			protocol = str_of(names[i].tls);
	record_set_text(a, service, "protocol", protocol);
}

/* ---- HTTP ---- */

/* Cookies of several headers are joined by commas in some files, and the date of a cookie has a
   comma too, so a part is a cookie only if it begins with a name. */
static void
add_cookies(struct arena *a, struct record_object *service, struct str value)
{
	struct str cookie;

	while (str_part(&value, ',', &cookie)) {
		struct str rest = str_trim(cookie), name = str_until(&rest, '=');

		if (rest.p != NULL && str_graphic(name) && memchr(name.p, ';', name.n) == NULL)
			record_add(a, service, "http.headers",
			    arena_printf(a, "set-cookie: %.*s", (int)name.n, name.p));
	}
}

void
tool_add_header(struct arena *a, struct record_object *service, struct str name, struct str value)
{
	static const char *const kept[] = { "server", "www-authenticate", "x-powered-by",
		"content-type", "location" };
	char *room = arena_alloc(a, name.n + 1);

	value = str_trim(value);
	if (value.n == 0)
		return;
	for (size_t i = 0; i < name.n; i++)
		room[i] = name.p[i] == '_' ? '-' : name.p[i];
	name.p = room;
	if (str_is_nocase(name, "set-cookie"))
		add_cookies(a, service, value);
	if (str_is_nocase(name, "server") && record_text(service, "http.server").p == NULL)
		server_set(a, service, arena_str(a, value));
	for (size_t i = 0; i < COUNT(kept); i++)
		if (str_is_nocase(name, kept[i]))
			record_add(a, service, "http.headers",
			    arena_printf(a, "%s: %.*s", kept[i], (int)value.n, value.p));
}

void
tool_recognise(struct arena *a, struct record_object *service, const struct web_answer *answer)
{
	struct str names = capability_of_answer(answer), name;

	while (str_part(&names, ' ', &name))
		record_add(a, service, "http.capabilities", name);
}

static bool
is_textual(struct str body)
{
	for (size_t i = 0; i < body.n && i < LIM_BODY; i++)
		if ((unsigned char)body.p[i] < ' ' && !ascii_space(body.p[i]) && body.p[i] != '\f')
			return false;
	return true;
}

void
tool_set_body(struct arena *a, struct record_object *service, const struct web_answer *answer)
{
	struct str body = answer->body;

	if (!str_is(answer->path, "/") || !is_textual(body))
		return;
	if (body.n > LIM_SECRET_TEXT)
		body.n = LIM_SECRET_TEXT;
	tool_set_bytes(a, service, "http.body", body);
	body = record_text(service, "http.body");
	if (body.p != NULL)
		record_set_masked(a, service, "http.body", body, LIM_BODY);
}

/* Returns the text after a name in a page, ignoring case; STR_NULL: the page does not contain
   it. */
static struct str
after_word(struct str page, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= page.n; i++)
		if (page.p[i] == '<' && str_is_nocase((struct str){ page.p + i, n }, word))
			return (struct str){ page.p + i + n, page.n - i - n };
	return STR_NULL;
}

/* Decodes a character such as &amp; or &#169; at the beginning of s. Returns its length; 0: it is
   none. */
static size_t
decode_character(struct buf *b, struct str s)
{
	static const struct {
		struct str name;
		char c;
	} names[] = {
		{ STR_INIT("&amp;"), '&' },
		{ STR_INIT("&lt;"), '<' },
		{ STR_INIT("&gt;"), '>' },
		{ STR_INIT("&quot;"), '"' },
		{ STR_INIT("&apos;"), '\'' },
		{ STR_INIT("&nbsp;"), ' ' },
	};
	bool hex = s.n > 3 && s.p[1] == '#' && (s.p[2] | 32) == 'x';
	size_t i = hex ? 3 : 2, digits = 0;
	uint32_t c = 0;

	for (size_t k = 0; k < COUNT(names); k++)
		if (str_starts(s, names[k].name)) {
			buf_char(b, names[k].c);
			return names[k].name.n;
		}
	if (s.n < 4 || s.p[1] != '#')
		return 0;
	for (; i < s.n && digits < 6; i++, digits++) {
		int d = ascii_hex(s.p[i]);

		if (d < 0 || (d > 9 && !hex))
			break;
		c = c * (hex ? 16 : 10) + (uint32_t)d;
	}
	if (digits == 0 || i == s.n || s.p[i] != ';' || c < ' ' || (c >= 0x7f && c < 0xa0) ||
	    (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	buf_code_point(b, c);
	return i + 1;
}

struct str
tool_title(struct arena *a, struct str page)
{
	struct str title = after_word(page, "<title"), end;
	struct buf b = { .a = a };
	const char *close = title.n == 0 ? NULL : memchr(title.p, '>', title.n);

	if (close == NULL)
		return STR_NULL;
	title = (struct str){ close + 1, (size_t)(title.p + title.n - close) - 1 };
	end = after_word(title, "</title");
	if (end.p != NULL)
		title.n = (size_t)(end.p - title.p) - strlen("</title");
	title = str_trim(title);
	for (size_t i = 0; i < title.n; i++) {
		struct str rest = { title.p + i, title.n - i };
		size_t n = title.p[i] == '&' ? decode_character(&b, rest) : 0;

		if (n > 0)
			i += n - 1;
		else if (!ascii_space(title.p[i]))
			buf_char(&b, title.p[i]);
		else if (b.n > 0 && b.p[b.n - 1] != ' ')
			buf_char(&b, ' ');
	}
	return buf_done(&b);
}

void
tool_set_title(struct arena *a, struct record_object *service, struct str page)
{
	struct str title = tool_title(a, page);

	if (title.p != NULL)
		tool_set_bytes(a, service, "http.title", title);
}

/* ---- TLS ---- */

void
tool_set_certificate(
    struct arena *a, struct record_object *service, const struct record *certificate)
{
	static const struct {
		const char *from, *to;
	} texts[] = {
		{ "fingerprint_sha256", "tls.certificate.fingerprint_sha256" },
		{ "subject.common_name", "tls.certificate.subject_cn" },
		{ "issuer.common_name", "tls.certificate.issuer_cn" },
	};
	const struct str *names;
	size_t n = record_texts(certificate->root, "names", &names);
	int64_t v;

	record_set_bool(a, service, "tls_enabled", true);
	for (size_t i = 0; i < COUNT(texts); i++)
		record_set_text(
		    a, service, texts[i].to, record_text(certificate->root, texts[i].from));
	for (size_t i = 0; i < n; i++)
		record_add(a, service, "tls.certificate.names", names[i]);
	if (record_int(certificate->root, "not_after", &v))
		record_set_time(a, service, "tls.certificate.not_after", (struct ts){ v });
	if (record_int(certificate->root, "self_signed", &v))
		record_set_bool(a, service, "tls.certificate.self_signed", v != 0);
}

void
tool_set_jarm(struct arena *a, struct record_object *service, struct str jarm)
{
	bool known = false;

	for (size_t i = 0; i < jarm.n; i++)
		known = known || jarm.p[i] != '0';
	if (!known)
		return;
	record_set_bool(a, service, "tls_enabled", true);
	record_set_text(a, service, "tls.jarm", jarm);
}
