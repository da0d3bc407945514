/* SPDX-License-Identifier: ISC */
/* The elements of nmap -oX, as expat reports them, with one host in memory at a time; nmap_feed.c
   feeds expat. The file may be hostile or cut off:

     entities      a declaration ends the reading. nmap writes none, and without entities nothing expands and no other
                   file is opened
     depth         a host with more than DEPTH levels is left out
     a host        above HOST_BYTES it is reported and left out
     a text        above TEXT its rest is dropped; only elements that are used collect text at all

   nmap nests its facts: the state of a port is an element inside the port, and the host name of a
   certificate is inside a table inside a script inside a port. The struct nmap therefore remembers
   the present host, port, script and tables, and the handlers of elements fill them. */
#include "config.h"

#include "cli/import/nmap_host.h"
#include "cli/import/tool_host.h"

enum { DEPTH = 64, TEXT = 65536 };

static void
refuse_document(struct nmap *x, const char *why)
{
	if (x->refused == NULL)
		x->refused = why;
	XML_StopParser(x->xml, XML_FALSE);
}

/* The reading goes on at the next host. */
static void
refuse_host(struct nmap *x, const char *why)
{
	x->lost = why;
	XML_StopParser(x->xml, XML_FALSE);
}

static void
set_host_time(struct nmap *x, const char *name, int64_t seconds)
{
	if (seconds > 0)
		record_set_time(x->rs->a, x->host.root, name, (struct ts){ seconds * SECOND_US });
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
	int64_t start = nmap_number(nmap_attribute(atts, "starttime")),
		end = nmap_number(nmap_attribute(atts, "endtime"));

	arena_reset(x->rs->a);
	x->host = record_new(x->rs->a, DATASET_HOSTS);
	x->service = NULL;
	x->port = 0;
	x->in_host = x->up = true;
	x->in_port = false;
	x->os_done = x->too_big = false;
	x->used = 0;
	x->line = nmap_line(x);
	nmap_scanned_begin(x, atts);
	if (start == 0)
		start = x->started;
	set_host_time(x, "first_seen", start);
	set_host_time(x, "last_seen", end >= start ? end : start);
}

static void
end_host(struct nmap *x)
{
	bool bare = count_services(x) == 0;

	x->in_host = false;
	if (!x->up || (!nmap_scanned_host(x, bare) && bare))
		return; /* the host was down, or has no open port and proves nothing */
	x->rs->read++;
	if (x->too_big)
		nmap_too_big(x);
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
	const char *type = nmap_attribute(atts, "addrtype");

	if (type != NULL && (strcmp(type, "ipv4") == 0 || strcmp(type, "ipv6") == 0))
		nmap_set_text(x, x->host.root, "ip", str_of(nmap_attribute(atts, "addr")));
}

static void
add_hostname(struct nmap *x, const char **atts)
{
	const char *type = nmap_attribute(atts, "type");
	struct str name = str_of(nmap_attribute(atts, "name"));

	if (type != NULL && strcmp(type, "PTR") == 0)
		nmap_set_text(x, x->host.root, "ptr", name);
	nmap_add_text(x, x->host.root, "hostnames", name);
}

static void
begin_port(struct nmap *x, const char **atts)
{
	int64_t port = nmap_number(nmap_attribute(atts, "portid"));

	x->service = NULL;
	x->in_port = true;
	x->port = 0;
	if (port < 1 || port > 65535 || count_services(x) >= LIM_HOST_SERVICES)
		return;
	x->port = port;
	x->transport = nmap_copy_attribute(x, atts, "protocol");
}

static void
set_state(struct nmap *x, const char **atts)
{
	const char *state = nmap_attribute(atts, "state");

	nmap_scanned_state(x, state, x->port);
	if (state != NULL && strcmp(state, "open") == 0)
		(void)nmap_service(x);
	else
		x->port = 0;
}

static void
end_port(struct nmap *x)
{
	(void)nmap_service(x); /* a port without a state is open */
	x->service = NULL;
	x->in_port = false;
}

/* Builds the banner: the description of a service as in nmap's plain output. */
static struct str
build_banner(struct nmap *x, struct str product, struct str version, struct str extra)
{
	if (!nmap_use(x, product.n + version.n + extra.n + 16))
		return STR_NULL;
	return arena_printf(x->rs->a, "%.*s%s%.*s%s%.*s%s", (int)product.n, product.p,
	    version.n > 0 ? " " : "", (int)version.n, version.p, extra.n > 0 ? " (" : "",
	    (int)extra.n, extra.p, extra.n > 0 ? ")" : "");
}

/* The name of a service is a word of nmap's tables. A service that nmap could not identify has a name
   of its own bytes in some releases, which is left out. */
static struct str
copy_service_name(struct nmap *x, const char **atts)
{
	struct str name = str_of(nmap_attribute(atts, "name"));

	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] <= ' ' || (unsigned char)name.p[i] >= 0x7f)
			return STR_NULL;
	return nmap_copy(x, name);
}

static void
set_service(struct nmap *x, const char **atts)
{
	struct record_object *s = nmap_service(x);
	struct arena *a = x->rs->a;
	const char *tunnel = nmap_attribute(atts, "tunnel");
	struct str name, product, version;
	bool tls;

	if (s == NULL)
		return;
	name = copy_service_name(x, atts);
	product = nmap_copy_attribute(x, atts, "product");
	version = nmap_copy_attribute(x, atts, "version");
	tls = (tunnel != NULL && strcmp(tunnel, "ssl") == 0) || str_is(name, "https");
	record_set_text(a, s, "service_name", name);
	record_set_text(a, s, "product", product);
	record_set_text(a, s, "version", version);
	tool_set_protocol(a, s, name, tls);
	record_set_bool(a, s, "tls_enabled", tls);
	if (product.p != NULL)
		record_set_text(a, s, "banner",
		    build_banner(x, product, version, str_of(nmap_attribute(atts, "extrainfo"))));
	nmap_guess_os(x, str_of(nmap_attribute(atts, "ostype")));
}

/* The first match is the best; it replaces a guess from a service. */
static void
set_os(struct nmap *x, const char **atts)
{
	if (x->os_done)
		return;
	x->os_done = true;
	nmap_set_text(x, x->host.root, "os", str_of(nmap_attribute(atts, "name")));
}

/* Adds a CPE such as cpe:/a:nginx:nginx:1.22.1 to its owner, and the vendor of a program to the
   service. */
static void
add_nmap_cpe(struct nmap *x, struct str s)
{
	struct record_object *service = nmap_service(x);

	if (service == NULL)
		service = x->host.root;
	nmap_add_text(x, tool_cpe_owner(s, x->host.root, service), "cpe", s);
	if (service == x->host.root || record_text(service, "vendor").p != NULL || s.n < 8 ||
	    !str_starts(s, STR("cpe:/a:")))
		return;
	s = (struct str){ s.p + 7, s.n - 7 };
	nmap_set_text(x, service, "vendor", str_until(&s, ':'));
}

/* ---- expat ---- */

static enum element
begin_nmap_element(const char *name)
{
	static const char *const names[] = { "host", "status", "address", "hostname", "port",
		"state", "service", "cpe", "osmatch", "script", "table", "elem", "nmaprun",
		"scaninfo", "extraports" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum element)i;
	return OTHER;
}

static void
begin_inside(struct nmap *x, enum element what, const char **atts)
{
	const char *state = nmap_attribute(atts, "state"), *key = nmap_attribute(atts, "key");

	switch (what) {
	case STATUS:
		x->up = state == NULL || strcmp(state, "up") == 0;
		x->assumed = str_is(str_of(nmap_attribute(atts, "reason")), "user-set");
		break;
	case EXTRAPORTS:
		nmap_scanned_state(x, state, 0);
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
		nmap_begin_script(x, atts);
		break;
	case TABLE:
		nmap_begin_table(x, atts);
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
	case SCANINFO:
	case OTHER:
		break;
	}
}

static void
begin_run(struct nmap *x, const char **atts)
{
	const char *scanner = nmap_attribute(atts, "scanner");

	if (x->depth == 1 && x->resumed)
		return;
	x->started = nmap_number(nmap_attribute(atts, "start"));
	if (x->depth > 1 || scanner == NULL || strcmp(scanner, "masscan") != 0)
		return;
	if (x->rs->whole_hosts) {
		refuse_document(x,
		    "the XML of masscan has several records of a host, and --replace-ports "
		    "needs one; import it without this option");
		return;
	}
	if (!x->gathering)
		gather_open(&x->gather, x->rs);
	x->masscan = x->gathering = true;
}

static void XMLCALL
on_element_start(void *arg, const char *name, const char **atts)
{
	struct nmap *x = arg;
	enum element what = begin_nmap_element(name);

	if (x->depth == 0 && what != RUN) {
		refuse_document(x, "the root element is not nmaprun");
		return;
	}
	if (++x->depth > DEPTH) {
		refuse_host(x, "elements are nested too deep");
		return;
	}
	buf_clear(&x->text);
	x->wants_text = false;
	if (what == RUN)
		begin_run(x, atts);
	else if (what == SCANINFO)
		nmap_scanned_ports(x, atts);
	else if (x->masscan)
		nmap_begin_masscan(x, what, atts);
	else if (what == HOST && !x->in_host)
		begin_host(x, atts);
	else if (x->in_host)
		begin_inside(x, what, atts);
}

static void XMLCALL
on_element_end(void *arg, const char *name)
{
	struct nmap *x = arg;
	enum element what = begin_nmap_element(name);

	x->ended = --x->depth == 0;
	if (!x->in_host)
		return;
	if (x->masscan)
		nmap_end_masscan(x, what);
	else if (what == HOST)
		end_host(x);
	else if (what == PORT)
		end_port(x);
	else if (what == CPE)
		add_nmap_cpe(x, buf_done(&x->text));
	else if (what == ELEM)
		nmap_end_elem(x);
	else if (what == TABLE)
		x->tables.depth--;
	else if (what == SCRIPT)
		nmap_end_script(x);
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

void
nmap_begin_parser(struct nmap *x)
{
	x->service = NULL;
	x->port = x->depth = x->tables.depth = 0;
	x->in_host = x->in_port = x->wants_text = x->ended = false;
	XML_SetUserData(x->xml, x);
	XML_SetElementHandler(x->xml, on_element_start, on_element_end);
	XML_SetCharacterDataHandler(x->xml, characters);
	XML_SetEntityDeclHandler(x->xml, entity);
	XML_SetParamEntityParsing(x->xml, XML_PARAM_ENTITY_PARSING_NEVER);
}
