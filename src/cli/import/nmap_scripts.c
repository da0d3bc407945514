/* SPDX-License-Identifier: ISC */
/* Reads the scripts in nmap's XML: certificates, vulnerabilities, the names and systems in answers
   of Windows, and the results of some scripts about HTTP. A script is an element of a port or of
   the host, and has tables, which have elements:

     <script id="ssl-cert" output="...">
       <table key="subject">
         <elem key="commonName">www.example.com</elem>

   nmap.c passes the begin and the end of these elements on. */
#include "config.h"

#include <openssl/evp.h> /* first, since it declares a member rand, which base.h forbids */

#include "cli/import/nmap_host.h"
#include "cli/import/tool_host.h"

#include <ctype.h>
#include <openssl/sha.h>

/* Takes headers from lines such as "  Server: nginx"; the last line has the method in brackets. */
static void
add_headers(struct nmap *x, struct record_object *service, struct str output)
{
	struct str line, name;

	if (!nmap_use(x, 2 * output.n))
		return;
	output = nmap_copy(x, output);
	while (str_line(&output, &line)) {
		line = str_trim(line);
		if (memchr(line.p, ':', line.n) != NULL && str_part(&line, ':', &name) &&
		    str_graphic(name))
			tool_add_header(x->rs->a, service, name, line);
	}
}

/* "Unknown favicon MD5: 93B8..."; for a known icon the output has only the name of the program. */
static void
set_favicon(struct nmap *x, struct record_object *service, struct str output)
{
	static const char label[] = "MD5: ";
	const char *at =
	    output.n == 0 ? NULL : memmem(output.p, output.n, label, sizeof(label) - 1);
	size_t digits = 0, left;

	if (at == NULL)
		return;
	at += sizeof(label) - 1;
	left = (size_t)(output.p + output.n - at);
	while (digits < left && isxdigit((unsigned char)at[digits]))
		digits++;
	if (digits == 32)
		nmap_set_text(x, service, "http.favicon_md5", (struct str){ at, digits });
}

void
nmap_begin_script(struct nmap *x, const char **atts)
{
	struct record_object *service = nmap_service(x);
	struct str output = str_of(nmap_attribute(atts, "output"));

	x->script = STR_NULL;
	x->tables.depth = 0;
	x->vulnerable = false;
	if (service == NULL && x->in_port)
		return; /* the port is closed */
	x->script = nmap_copy_attribute(x, atts, "id");
	if (service == NULL)
		return; /* the script describes the host */
	if (str_is(x->script, "banner"))
		nmap_set_text(x, service, "banner", output);
	if (str_is(x->script, "http-headers"))
		add_headers(x, service, output);
	if (str_is(x->script, "http-favicon"))
		set_favicon(x, service, output);
	if (str_is(x->script, "http-server-header") &&
	    memchr(output.p == NULL ? "" : output.p, '\n', output.n) == NULL)
		nmap_set_text(x, service, "http.server", str_trim(output));
	x->subject[0] = x->issuer[0] = '\0';
}

void
nmap_begin_table(struct nmap *x, const char **atts)
{
	const char *key = nmap_attribute(atts, "key");

	if (x->tables.depth < (int)COUNT(x->tables.key))
		snprintf(x->tables.key[x->tables.depth], NMAP_KEY, "%s", key == NULL ? "" : key);
	x->tables.depth++;
}

static bool
is_in_table(const struct nmap *x, int depth, const char *key)
{
	return x->tables.depth == depth && depth <= (int)COUNT(x->tables.key) &&
	       strcmp(x->tables.key[0], key) == 0;
}

/* Appends "key=value\n", so that subject and issuer can be compared as a whole. */
static void
add_part(char *name, size_t room, const char *key, struct str value)
{
	size_t n = strlen(name);

	snprintf(
	    name + n, room - n, "%s=%.*s\n", key, (int)(value.n > 200 ? 200 : value.n), value.p);
}

static void
add_certificate_names(struct nmap *x, struct str list)
{
	struct str name;

	while (str_part(&list, ',', &name)) {
		name = str_trim(name);
		if (str_starts(name, STR("DNS:")))
			nmap_add_text(x, x->service, "tls.certificate.names",
			    (struct str){ name.p + 4, name.n - 4 });
	}
}

/* This release of nmap prints no SHA-256 fingerprint, so it is computed from the certificate in the
   output. The PEM is decoded by hand: EVP_DecodeBlock takes no line ends inside the text, and
   counts the padding as bytes, which are subtracted again. A text that is no base64 leaves the
   fingerprint unset. Where the output has an element "sha256" as well, the later of the two counts,
   and both have the same value. */
static void
hash_certificate(struct nmap *x, struct str pem)
{
	static const char head[] = "-----BEGIN CERTIFICATE-----";
	unsigned char sum[SHA256_DIGEST_LENGTH], *der;
	char hex[2 * SHA256_DIGEST_LENGTH + 1], *b64;
	const char *from = memmem(pem.p, pem.n, head, sizeof(head) - 1), *to;
	size_t n = 0;
	int len;

	if (from == NULL)
		return;
	from += sizeof(head) - 1;
	to = memmem(from, pem.n - (size_t)(from - pem.p), "-----END", 8);
	if (to == NULL)
		return;
	if (!nmap_use(x, 2 * (size_t)(to - from) + 32))
		return;
	b64 = arena_alloc(x->rs->a, (size_t)(to - from) + 1);
	der = arena_alloc(x->rs->a, (size_t)(to - from) + 4);
	for (; from < to; from++)
		if (*from > ' ')
			b64[n++] = *from;
	len = EVP_DecodeBlock(der, (const unsigned char *)b64, (int)n);
	if (len < 3 || n < 4)
		return;
	len -= (b64[n - 1] == '=') + (b64[n - 2] == '=');
	SHA256(der, (size_t)len, sum);
	hex_print(hex, sum, sizeof(sum));
	nmap_set_text(x, x->service, "tls.certificate.fingerprint_sha256", str_of(hex));
}

static void
set_not_after(struct nmap *x, struct str when)
{
	char z[24];
	struct ts t;

	snprintf(z, sizeof(z), "%.*sZ", (int)(when.n > 19 ? 19 : when.n), when.p);
	if (ts_parse(str_of(z), &t))
		record_set_time(x->rs->a, x->service, "tls.certificate.not_after", t);
}

static void
handle_certificate_elem(struct nmap *x, struct str text)
{
	struct record_object *s = x->service;

	record_set_bool(x->rs->a, s, "tls_enabled", true);
	if (is_in_table(x, 1, "subject")) {
		add_part(x->subject, sizeof(x->subject), x->elem, text);
		if (strcmp(x->elem, "commonName") == 0)
			nmap_set_text(x, s, "tls.certificate.subject_cn", text);
	} else if (is_in_table(x, 1, "issuer")) {
		add_part(x->issuer, sizeof(x->issuer), x->elem, text);
		if (strcmp(x->elem, "commonName") == 0)
			nmap_set_text(x, s, "tls.certificate.issuer_cn", text);
	} else if (is_in_table(x, 1, "validity") && strcmp(x->elem, "notAfter") == 0) {
		set_not_after(x, text);
	} else if (is_in_table(x, 2, "extensions") && strcmp(x->elem, "name") == 0) {
		x->name = nmap_copy(x, text);
	} else if (is_in_table(x, 2, "extensions") && strcmp(x->elem, "value") == 0) {
		if (str_is(x->name, "X509v3 Subject Alternative Name"))
			add_certificate_names(x, text);
	} else if (x->tables.depth == 0 && strcmp(x->elem, "pem") == 0) {
		hash_certificate(x, text);
	} else if (x->tables.depth == 0 && strcmp(x->elem, "sha256") == 0) {
		nmap_set_text(x, s, "tls.certificate.fingerprint_sha256", text);
	}
}

/* Scripts of nmap's library "vulns" describe each weakness in a table with its state and
   identifiers; vulners lists those that are known for a version. */
static void
handle_vulnerability_elem(struct nmap *x, struct str text)
{
	int depth = x->tables.depth;
	bool ids = depth > 0 && depth <= (int)COUNT(x->tables.key) &&
		   strcmp(x->tables.key[depth - 1], "ids") == 0;
	struct record_object *host = x->host.root;

	if (strcmp(x->elem, "state") == 0)
		x->vulnerable = str_starts(text, STR("VULNERABLE")) ||
				str_starts(text, STR("LIKELY VULNERABLE"));
	else if (ids && x->vulnerable && str_starts(text, STR("CVE:")))
		nmap_add_text(x, host, "vulnerabilities", (struct str){ text.p + 4, text.n - 4 });
	else if (str_is(x->script, "vulners") && strcmp(x->elem, "id") == 0 &&
		 str_starts(text, STR("CVE-")))
		nmap_add_text(x, host, "vulnerabilities", text);
}

/* Takes the names and systems in answers of Windows. The system in an answer of SMB is more exact
   than a guess from a service. */
static void
handle_windows_elem(struct nmap *x, struct str text)
{
	bool smb = str_is(x->script, "smb-os-discovery");
	bool ntlm = str_ends(x->script, STR("-ntlm-info"));

	if ((smb && strcmp(x->elem, "fqdn") == 0) ||
	    (ntlm && strcmp(x->elem, "DNS_Computer_Name") == 0))
		nmap_add_text(x, x->host.root, "hostnames", tool_host_name(text));
	else if (smb && strcmp(x->elem, "os") == 0 && !x->os_done)
		nmap_set_text(x, x->host.root, "os", text);
	else if (ntlm && strcmp(x->elem, "Product_Version") == 0 && nmap_use(x, text.n + 32))
		nmap_guess_os(x, arena_printf(x->rs->a, "Windows %.*s", (int)text.n, text.p));
}

/* ---- answers of web servers ---- */

/* Whether the script's list of probes, such as "FourOhFourRequest, GetRequest", has the one for
   "/". */
static bool
is_get_probe(const struct nmap *x)
{
	struct str list = str_of(x->elem), probe;

	while (str_part(&list, ',', &probe))
		if (str_is(str_trim(probe), "GetRequest"))
			return true;
	return false;
}

static bool
is_header_name(struct str s)
{
	bool ok = s.n > 0;

	for (size_t i = 0; ok && i < s.n; i++)
		ok = isalnum((unsigned char)s.p[i]) || s.p[i] == '-' || s.p[i] == '_';
	return ok;
}

/* Removes the headers from the answer. The script drops empty lines, so the body begins at the
   first line that cannot be a header. */
static void
take_headers(struct nmap *x, struct record_object *service, struct str *answer)
{
	struct str rest = *answer, line, name;

	while (str_line(&rest, &line)) {
		line = str_trim(line);
		if (memchr(line.p, ':', line.n) == NULL || !str_part(&line, ':', &name) ||
		    !is_header_name(name))
			return;
		tool_add_header(x->rs->a, service, name, line);
		*answer = rest;
	}
	*answer = STR("");
}

/* Joins the lines without the indentation that the script adds. */
static struct str
join_lines(struct nmap *x, struct str lines)
{
	struct buf b = { 0 };
	struct str line, out;

	while (str_line(&lines, &line)) {
		while (line.n > 0 && *line.p == ' ')
			line = (struct str){ line.p + 1, line.n - 1 };
		buf_str(&b, line);
		buf_char(&b, '\n');
	}
	out = nmap_copy(x, buf_done(&b));
	buf_free(&b);
	return out;
}

/* Takes the answer to GET / that fingerprint-strings prints for a service that nmap does not
   recognise: "HTTP/1.0 503 Service Unavailable", its headers and its body, a line each. */
static void
add_answer(struct nmap *x, struct record_object *service, struct str text)
{
	struct web_answer w = { .path = STR("/") };
	struct str line;

	if (!nmap_use(x, 2 * text.n) || !str_line(&text, &line))
		return;
	line = str_trim(line);
	if (!str_starts(line, STR("HTTP/1.")) || line.n < 12)
		return;
	w.status = nmap_number(arena_printf(x->rs->a, "%.3s", line.p + 9).p);
	take_headers(x, service, &text);
	w.body = join_lines(x, text);
	if (w.status >= 100)
		record_set_int(x->rs->a, service, "http.status_code", w.status);
	tool_recognise(x->rs->a, service, &w);
	tool_set_body(x->rs->a, service, &w);
	if (record_text(service, "http.title").p == NULL)
		tool_set_title(x->rs->a, service, w.body);
}

void
nmap_end_elem(struct nmap *x)
{
	struct str text = str_trim(buf_done(&x->text));

	if (x->script.p == NULL || text.n == 0)
		return;
	handle_vulnerability_elem(x, text);
	handle_windows_elem(x, text);
	if (x->service == NULL)
		return;
	if (str_is(x->script, "ssl-cert"))
		handle_certificate_elem(x, text);
	else if (str_is(x->script, "http-title") && strcmp(x->elem, "title") == 0)
		nmap_set_text(x, x->service, "http.title", str_trim(text));
	else if (str_is(x->script, "fingerprint-strings") && is_get_probe(x))
		add_answer(x, x->service, text);
	else if (str_is(x->script, "http-server-header") &&
		 record_text(x->service, "http.server").p == NULL)
		nmap_set_text(x, x->service, "http.server", str_trim(text));
}

void
nmap_end_script(struct nmap *x)
{
	if (x->service != NULL)
		server_set_product(x->rs->a, x->service);
	if (x->service != NULL && str_is(x->script, "ssl-cert") && x->subject[0] != '\0')
		record_set_bool(x->rs->a, x->service, "tls.certificate.self_signed",
		    strcmp(x->subject, x->issuer) == 0);
	x->script = STR_NULL;
}
