/* SPDX-License-Identifier: ISC */
/* Reads nmap -oX as a stream through expat, with one host in memory at a time. The file may be
   hostile or cut off:

     entities      a declaration ends the reading. nmap writes none, and without entities nothing expands and no other
                   file is opened
     depth, tags   more than DEPTH levels, or a tag above IMPORT_LINE, end it too: expat keeps an open tag in memory
     a host        above HOST_BYTES it is reported and left out, and the reading goes on
     a text        above TEXT its rest is dropped; only elements that are used collect text at all

   nmap nests its facts: the state of a port is an element inside the port, and the host name of a
   certificate is inside a table inside a script inside a port. The struct nmap therefore remembers
   the present host, port, script and tables, and the handlers of elements fill them. */
#include "config.h"

#include <openssl/evp.h> /* first, since it declares a member rand, which base.h forbids */

#include "cli/import/masscan.h"
#include "cli/import/tool_host.h"

#include <expat.h>
#include <openssl/sha.h>

enum { DEPTH = 64, TEXT = 65536, HOST_BYTES = 8 * 1024 * 1024, KEY = 48, SERVICE_BYTES = 1024 };

/* The table of a script that the next elem belongs to. */
struct tables {
	char key[8][KEY];
	int depth;
};

struct nmap {
	struct records *rs;
	XML_Parser xml;
	struct record host;
	struct record_object *service; /* the service of the present port, or NULL */
	struct str
	    transport; /* with port: a port whose service is made once it is known to be open */
	int64_t port;  /* 0: it is closed, or its service is there already */
	bool in_host, in_port, up, os_done, too_big;
	bool vulnerable; /* the present script found what the table around it describes */
	uint64_t line;   /* first line of the host */
	struct str script;
	char subject[512], issuer[512]; /* all parts of the present certificate's names */
	struct tables tables;
	char elem[KEY];
	struct str name; /* name of the present extension */
	struct buf text; /* characters of the present element */
	bool wants_text;
	int depth;
	int64_t started; /* start of the scan in seconds since 1970; 0: unknown */
	const char *refused;
	size_t used; /* bytes of the arena that the present host uses */
	bool masscan;
	struct gather gather;     /* masscan's hosts */
	struct sighting sighting; /* the present host element of masscan */
};

static void
refuse_document(struct nmap *x, const char *why)
{
	if (x->refused == NULL)
		x->refused = why;
	XML_StopParser(x->xml, XML_FALSE);
}

static const char *
attribute(const char **atts, const char *name)
{
	for (; *atts != NULL; atts += 2)
		if (strcmp(atts[0], name) == 0)
			return atts[1];
	return NULL;
}

/* A copy in the memory of the host; unset if the text is absent or empty. */
static struct str
copy_for_host(struct nmap *x, struct str s)
{
	if (s.n == 0)
		return STR_NULL;
	x->used += s.n + 16;
	if (x->used > HOST_BYTES) {
		x->too_big = true;
		return STR_NULL;
	}
	return arena_str(x->rs->a, s);
}

static struct str
copy_attribute(struct nmap *x, const char **atts, const char *name)
{
	return copy_for_host(x, str_of(attribute(atts, name)));
}

static int64_t
parse_number(const char *z)
{
	int64_t v;

	return z != NULL && str_int64(str_of(z), &v) && v >= 0 && v <= TS_NEWEST_US / 1000000 ? v
											      : 0;
}

static void
set_time(struct nmap *x, const char *name, int64_t seconds)
{
	if (seconds > 0)
		record_set_time(x->rs->a, x->host.root, name, (struct ts){ seconds * SECOND_US });
}

static void
add_text(struct nmap *x, struct record_object *o, const char *list, struct str s)
{
	s = copy_for_host(x, s);
	if (s.p != NULL && record_texts(o, list, &(const struct str *){ NULL }) < LIM_LIST)
		record_add(x->rs->a, o, list, s);
}

static void
set_text(struct nmap *x, struct record_object *o, const char *name, struct str s)
{
	record_set_text(x->rs->a, o, name, copy_for_host(x, s));
}

/* The service of the present port, which is made at its first use; NULL: the port is closed. */
static struct record_object *
present_service(struct nmap *x)
{
	if (x->port == 0)
		return x->service;
	x->service = record_nested(x->rs->a, &x->host);
	x->used += SERVICE_BYTES;
	record_set_int(x->rs->a, x->service, "port", x->port);
	record_set_text(x->rs->a, x->service, "transport", x->transport);
	x->port = 0;
	return x->service;
}

static size_t
count_services(const struct nmap *x)
{
	return record_nested_all(&x->host, &(struct record_object *const *){ NULL });
}

/* ---- elements ---- */

static void
begin_host(struct nmap *x, const char **atts)
{
	int64_t start = parse_number(attribute(atts, "starttime")),
		end = parse_number(attribute(atts, "endtime"));

	arena_reset(x->rs->a);
	x->host = record_new(x->rs->a, DATASET_HOSTS);
	x->service = NULL;
	x->port = 0;
	x->in_host = x->up = true;
	x->in_port = false;
	x->os_done = x->too_big = false;
	x->used = 0;
	x->line = XML_GetCurrentLineNumber(x->xml);
	if (start == 0)
		start = x->started;
	set_time(x, "first_seen", start);
	set_time(x, "last_seen", end >= start ? end : start);
}

static void
end_host(struct nmap *x)
{
	x->in_host = false;
	if (!x->up || count_services(x) == 0)
		return; /* the host was down or has no open port */
	x->rs->read++;
	if (x->too_big)
		records_bad(x->rs, x->line, "the host is larger than %d bytes", HOST_BYTES);
	else if (record_text(x->host.root, "ip").p == NULL)
		records_bad(x->rs, x->line, "the host has no IP address");
	else
		records_emit(x->rs, &x->host, STR_NULL, RECORD_LENIENT, x->line);
	if (x->rs->stop)
		XML_StopParser(x->xml, XML_FALSE);
}

static void
set_address(struct nmap *x, const char **atts)
{
	const char *type = attribute(atts, "addrtype");

	if (type != NULL && (strcmp(type, "ipv4") == 0 || strcmp(type, "ipv6") == 0))
		set_text(x, x->host.root, "ip", str_of(attribute(atts, "addr")));
}

static void
add_hostname(struct nmap *x, const char **atts)
{
	const char *type = attribute(atts, "type");
	struct str name = str_of(attribute(atts, "name"));

	if (type != NULL && strcmp(type, "PTR") == 0)
		set_text(x, x->host.root, "ptr", name);
	add_text(x, x->host.root, "hostnames", name);
}

static void
begin_port(struct nmap *x, const char **atts)
{
	int64_t port = parse_number(attribute(atts, "portid"));

	x->service = NULL;
	x->in_port = true;
	x->port = 0;
	if (port < 1 || port > 65535 || count_services(x) >= LIM_LIST)
		return;
	x->port = port;
	x->transport = copy_attribute(x, atts, "protocol");
}

static void
set_state(struct nmap *x, const char **atts)
{
	const char *state = attribute(atts, "state");

	if (state != NULL && strcmp(state, "open") == 0)
		(void)present_service(x);
	else
		x->port = 0;
}

static void
end_port(struct nmap *x)
{
	(void)present_service(x); /* a port without a state is open */
	x->service = NULL;
	x->in_port = false;
}

/* Builds the banner: the description of a service as in nmap's plain output. */
static struct str
build_banner(struct nmap *x, struct str product, struct str version, const char *extra)
{
	struct buf b = { .a = x->rs->a };

	buf_str(&b, product);
	if (version.n > 0) {
		buf_char(&b, ' ');
		buf_str(&b, version);
	}
	if (extra != NULL && *extra != '\0') {
		buf_z(&b, " (");
		buf_z(&b, extra);
		buf_char(&b, ')');
	}
	x->used += b.n;
	return buf_done(&b);
}

/* The first guess wins, but "Unix" is less specific than any other. */
static void
guess_os(struct nmap *x, struct str guess)
{
	struct str os = record_text(x->host.root, "os");

	if (guess.n > 0 && (os.p == NULL || str_is(os, "Unix")))
		set_text(x, x->host.root, "os", guess);
}

static void
set_service(struct nmap *x, const char **atts)
{
	struct record_object *s = present_service(x);
	struct arena *a = x->rs->a;
	const char *tunnel = attribute(atts, "tunnel");
	struct str name, product, version;
	bool tls;

	if (s == NULL)
		return;
	name = copy_attribute(x, atts, "name");
	product = copy_attribute(x, atts, "product");
	version = copy_attribute(x, atts, "version");
	tls = (tunnel != NULL && strcmp(tunnel, "ssl") == 0) || str_is(name, "https");
	record_set_text(a, s, "service_name", name);
	record_set_text(a, s, "product", product);
	record_set_text(a, s, "version", version);
	tool_set_protocol(a, s, name, tls);
	record_set_bool(a, s, "tls_enabled", tls);
	if (product.p != NULL)
		record_set_text(a, s, "banner",
		    build_banner(x, product, version, attribute(atts, "extrainfo")));
	guess_os(x, str_of(attribute(atts, "ostype")));
}

/* The first match is the best; it replaces a guess from a service. */
static void
set_os(struct nmap *x, const char **atts)
{
	if (x->os_done)
		return;
	x->os_done = true;
	set_text(x, x->host.root, "os", str_of(attribute(atts, "name")));
}

/* A CPE such as cpe:/a:nginx:nginx:1.22.1. A program (a) belongs to the service, a system (o) or device (h) to the
   host. */
static void
add_cpe(struct nmap *x, struct str s)
{
	struct record_object *service = present_service(x);
	const char *colon;

	if (service == NULL || str_starts(s, STR("cpe:/o:")) || str_starts(s, STR("cpe:/h:"))) {
		add_text(x, x->host.root, "cpe", s);
		return;
	}
	add_text(x, service, "cpe", s);
	if (record_text(service, "vendor").p != NULL || s.n < 8 || !str_starts(s, STR("cpe:/a:")))
		return;
	s = (struct str){ s.p + 7, s.n - 7 };
	colon = memchr(s.p, ':', s.n);
	set_text(
	    x, service, "vendor", (struct str){ s.p, colon == NULL ? s.n : (size_t)(colon - s.p) });
}

/* ---- scripts ---- */

static void
begin_script(struct nmap *x, const char **atts)
{
	struct record_object *service = present_service(x);
	struct str output = str_of(attribute(atts, "output"));

	x->script = STR_NULL;
	x->tables.depth = 0;
	x->vulnerable = false;
	if (service == NULL && x->in_port)
		return; /* the port is closed */
	x->script = copy_attribute(x, atts, "id");
	if (service == NULL)
		return; /* the script describes the host */
	if (str_is(x->script, "banner"))
		set_text(x, service, "banner", output);
	if (str_is(x->script, "http-server-header") &&
	    memchr(output.p == NULL ? "" : output.p, '\n', output.n) == NULL)
		set_text(x, service, "http.server", str_trim(output));
	x->subject[0] = x->issuer[0] = '\0';
}

static void
begin_table(struct nmap *x, const char **atts)
{
	const char *key = attribute(atts, "key");

	if (x->tables.depth < (int)COUNT(x->tables.key))
		snprintf(x->tables.key[x->tables.depth], KEY, "%s", key == NULL ? "" : key);
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
add_alternative_names(struct nmap *x, struct str list)
{
	while (list.n > 0) {
		const char *comma = memchr(list.p, ',', list.n);
		size_t n = comma == NULL ? list.n : (size_t)(comma - list.p);
		struct str one = str_trim((struct str){ list.p, n });

		if (str_starts(one, STR("DNS:")))
			add_text(x, x->service, "tls.certificate.names",
			    (struct str){ one.p + 4, one.n - 4 });
		n += comma != NULL;
		list = (struct str){ list.p + n, list.n - n };
	}
}

/* This release of nmap prints no SHA-256 fingerprint, so it is computed from the certificate in the
   output. The PEM is decoded by hand: EVP_DecodeBlock takes no line ends inside the text, and counts
   the padding as bytes, which are subtracted again. A text that is no base64 leaves the fingerprint
   unset. Where the output has an element "sha256" as well, the later of the two counts, and both
   have the same value. */
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
	b64 = arena_alloc(x->rs->a, (size_t)(to - from) + 1);
	der = arena_alloc(x->rs->a, (size_t)(to - from) + 4);
	x->used += 2 * (size_t)(to - from);
	for (; from < to; from++)
		if (*from > ' ')
			b64[n++] = *from;
	len = EVP_DecodeBlock(der, (const unsigned char *)b64, (int)n);
	if (len < 3 || n < 4)
		return;
	len -= (b64[n - 1] == '=') + (b64[n - 2] == '=');
	SHA256(der, (size_t)len, sum);
	hex_print(hex, sum, sizeof(sum));
	set_text(x, x->service, "tls.certificate.fingerprint_sha256", str_of(hex));
}

static void
set_not_after(struct nmap *x, struct str when)
{
	struct ts t;
	struct str z = arena_printf(x->rs->a, "%.*sZ", (int)(when.n > 19 ? 19 : when.n), when.p);

	if (ts_parse(z, &t))
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
			set_text(x, s, "tls.certificate.subject_cn", text);
	} else if (is_in_table(x, 1, "issuer")) {
		add_part(x->issuer, sizeof(x->issuer), x->elem, text);
		if (strcmp(x->elem, "commonName") == 0)
			set_text(x, s, "tls.certificate.issuer_cn", text);
	} else if (is_in_table(x, 1, "validity") && strcmp(x->elem, "notAfter") == 0) {
		set_not_after(x, text);
	} else if (is_in_table(x, 2, "extensions") && strcmp(x->elem, "name") == 0) {
		x->name = copy_for_host(x, text);
	} else if (is_in_table(x, 2, "extensions") && strcmp(x->elem, "value") == 0) {
		if (str_is(x->name, "X509v3 Subject Alternative Name"))
			add_alternative_names(x, text);
	} else if (x->tables.depth == 0 && strcmp(x->elem, "pem") == 0) {
		hash_certificate(x, text);
	} else if (x->tables.depth == 0 && strcmp(x->elem, "sha256") == 0) {
		set_text(x, s, "tls.certificate.fingerprint_sha256", text);
	}
}

/* Scripts of nmap's library "vulns" describe each weakness in a table with its state and identifiers; vulners lists those
   that are known for a version. */
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
		add_text(x, host, "vulnerabilities", (struct str){ text.p + 4, text.n - 4 });
	else if (str_is(x->script, "vulners") && strcmp(x->elem, "id") == 0 &&
		 str_starts(text, STR("CVE-")))
		add_text(x, host, "vulnerabilities", text);
}

/* Takes the names and systems in answers of Windows. The system in an answer of SMB is more exact than a
   guess from a service. */
static void
handle_windows_elem(struct nmap *x, struct str text)
{
	bool smb = str_is(x->script, "smb-os-discovery");
	bool ntlm = str_ends(x->script, STR("-ntlm-info"));

	if ((smb && strcmp(x->elem, "fqdn") == 0) ||
	    (ntlm && strcmp(x->elem, "DNS_Computer_Name") == 0))
		add_text(x, x->host.root, "hostnames", tool_host_name(text));
	else if (smb && strcmp(x->elem, "os") == 0 && !x->os_done)
		set_text(x, x->host.root, "os", text);
	else if (ntlm && strcmp(x->elem, "Product_Version") == 0)
		guess_os(x, arena_printf(x->rs->a, "Windows %.*s", (int)text.n, text.p));
}

static void
end_elem(struct nmap *x)
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
		set_text(x, x->service, "http.title", str_trim(text));
	else if (str_is(x->script, "http-server-header") &&
		 record_text(x->service, "http.server").p == NULL)
		set_text(x, x->service, "http.server", str_trim(text));
}

static void
end_script(struct nmap *x)
{
	if (x->service != NULL && str_is(x->script, "ssl-cert") && x->subject[0] != '\0')
		record_set_bool(x->rs->a, x->service, "tls.certificate.self_signed",
		    strcmp(x->subject, x->issuer) == 0);
	x->script = STR_NULL;
}

/* ---- expat ---- */

enum element {
	HOST,
	STATUS,
	ADDRESS,
	HOSTNAME,
	PORT,
	STATE,
	SERVICE,
	CPE,
	OSMATCH,
	SCRIPT,
	TABLE,
	ELEM,
	RUN,
	OTHER
};

static enum element
begin_element(const char *name)
{
	static const char *const names[] = { "host", "status", "address", "hostname", "port",
		"state", "service", "cpe", "osmatch", "script", "table", "elem", "nmaprun" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum element)i;
	return OTHER;
}

static void
begin_inside(struct nmap *x, enum element what, const char **atts)
{
	const char *state = attribute(atts, "state"), *key = attribute(atts, "key");

	switch (what) {
	case STATUS:
		x->up = state == NULL || strcmp(state, "up") == 0;
		break;
	case ADDRESS:
		set_address(x, atts);
		break;
	case HOSTNAME:
		add_hostname(x, atts);
		break;
	case PORT:
		begin_port(x, atts);
		break;
	case STATE:
		set_state(x, atts);
		break;
	case SERVICE:
		set_service(x, atts);
		break;
	case OSMATCH:
		set_os(x, atts);
		break;
	case SCRIPT:
		begin_script(x, atts);
		break;
	case TABLE:
		begin_table(x, atts);
		break;
	case ELEM:
		snprintf(x->elem, sizeof(x->elem), "%s", key == NULL ? "" : key);
		x->wants_text = true;
		break;
	case CPE:
		x->wants_text = true;
		break;
	case HOST:
	case RUN:
	case OTHER:
		break;
	}
}

static void
begin_masscan(struct nmap *x, enum element what, const char **atts)
{
	struct sighting *r = &x->sighting;
	struct arena *a = x->rs->a;
	const char *state = attribute(atts, "state");

	if (what == HOST) {
		arena_reset(a);
		x->line = XML_GetCurrentLineNumber(x->xml);
		*r = (struct sighting){ .seconds = parse_number(attribute(atts, "endtime")) };
		x->in_host = true;
	} else if (what == ADDRESS) {
		r->ip = tool_address(a, arena_str(a, str_of(attribute(atts, "addr"))));
	} else if (what == PORT) {
		r->port = parse_number(attribute(atts, "portid"));
		r->transport = arena_str(a, str_of(attribute(atts, "protocol")));
	} else if (what == STATE) {
		r->open = state != NULL && strcmp(state, "open") == 0;
	} else if (what == SERVICE && attribute(atts, "name") != NULL) {
		r->name = arena_str(a, str_of(attribute(atts, "name")));
		r->banner = masscan_unescape(a, str_of(attribute(atts, "banner")));
	}
}

static void
end_masscan(struct nmap *x, enum element what)
{
	if (what != HOST)
		return;
	x->in_host = false;
	x->rs->read++;
	if (x->sighting.ip.p == NULL)
		records_bad(x->rs, x->line, "the host has no IP address");
	else
		masscan_add(&x->gather, &x->sighting, x->line);
	gather_line(&x->gather);
	if (x->rs->stop)
		XML_StopParser(x->xml, XML_FALSE);
}

static void
begin_run(struct nmap *x, const char **atts)
{
	const char *scanner = attribute(atts, "scanner");

	x->started = parse_number(attribute(atts, "start"));
	if (x->depth > 1 || scanner == NULL || strcmp(scanner, "masscan") != 0)
		return;
	x->masscan = true;
	gather_open(&x->gather, x->rs);
}

static void XMLCALL
on_element_start(void *arg, const char *name, const char **atts)
{
	struct nmap *x = arg;
	enum element what = begin_element(name);

	if (x->depth == 0 && what != RUN) {
		refuse_document(x, "the root element is not nmaprun");
		return;
	}
	if (++x->depth > DEPTH) {
		refuse_document(x, "elements are nested too deep");
		return;
	}
	buf_clear(&x->text);
	x->wants_text = false;
	if (what == RUN)
		begin_run(x, atts);
	else if (x->masscan)
		begin_masscan(x, what, atts);
	else if (what == HOST && !x->in_host)
		begin_host(x, atts);
	else if (x->in_host)
		begin_inside(x, what, atts);
}

static void XMLCALL
on_element_end(void *arg, const char *name)
{
	struct nmap *x = arg;
	enum element what = begin_element(name);

	x->depth--;
	if (!x->in_host)
		return;
	if (x->masscan)
		end_masscan(x, what);
	else if (what == HOST)
		end_host(x);
	else if (what == PORT)
		end_port(x);
	else if (what == CPE)
		add_cpe(x, buf_done(&x->text));
	else if (what == ELEM)
		end_elem(x);
	else if (what == TABLE)
		x->tables.depth--;
	else if (what == SCRIPT)
		end_script(x);
	x->wants_text = false;
}

static void XMLCALL
characters(void *arg, const char *s, int n)
{
	struct nmap *x = arg;

	if (x->wants_text && x->text.n + (size_t)n <= TEXT)
		buf_add(&x->text, s, (size_t)n);
}

static void XMLCALL
entity(void *arg, const XML_Char *name, int parameter, const XML_Char *value, int n,
    const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
	(void)name, (void)parameter, (void)value, (void)n, (void)base;
	(void)system, (void)public, (void)notation;
	refuse_document(arg, "it declares entities");
}

/* Feeds the file to expat chunk by chunk. A tag that never ends would make expat keep all of it;
   the distance between the bytes that were fed and the byte that expat has reached is the length of
   that tag, so the distance is bounded. The last call has no bytes and tells expat that the
   document must be complete. A fault of the XML counts as one bad record, because the hosts before
   it were good and are imported. */
static void
parse_input(struct nmap *x)
{
	uint64_t fed = 0;
	struct str chunk;
	enum XML_Status rc;

	do {
		chunk = source_chunk(x->rs->src);
		fed += chunk.n;
		rc = XML_Parse(x->xml, chunk.p, (int)chunk.n, chunk.n == 0);
		if (rc == XML_STATUS_OK &&
		    fed - (uint64_t)XML_GetCurrentByteIndex(x->xml) > IMPORT_LINE && chunk.n > 0)
			refuse_document(x, "a tag is too long");
	} while (rc == XML_STATUS_OK && x->refused == NULL && chunk.n > 0);
	if (x->rs->stop)
		return;
	if (x->refused == NULL && rc == XML_STATUS_OK)
		return;
	x->rs->read++;
	records_bad(x->rs, XML_GetCurrentLineNumber(x->xml), "%s; the rest of the file is not read",
	    x->refused != NULL ? x->refused : XML_ErrorString(XML_GetErrorCode(x->xml)));
}

void
read_nmap(struct records *rs)
{
	struct nmap x = { .rs = rs };

	x.xml = XML_ParserCreate(NULL);
	if (x.xml == NULL)
		panic("out of memory");
	XML_SetUserData(x.xml, &x);
	XML_SetElementHandler(x.xml, on_element_start, on_element_end);
	XML_SetCharacterDataHandler(x.xml, characters);
	XML_SetEntityDeclHandler(x.xml, entity);
	XML_SetParamEntityParsing(x.xml, XML_PARAM_ENTITY_PARSING_NEVER);
	parse_input(&x);
	XML_ParserFree(x.xml);
	if (x.masscan)
		gather_close(&x.gather);
	buf_free(&x.text);
	arena_reset(rs->a);
}
