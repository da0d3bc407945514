/* SPDX-License-Identifier: ISC */
/* Reads the output of zgrab2, an address on each line with what its modules found:

     {"ip":"192.0.2.1","domain":"www.a.org","data":{
        "http":{"status":"success","protocol":"http","port":443,"timestamp":"...","result":{
          "redirect_response_chain":[...],
          "response":{"status_code":200,"headers":{"server":["nginx"],"unknown":[{"key":"x_a","value":["b"]}]},
                      "body":"...","body_sha256":"...","request":{"url":{...},"tls_log":{"handshake_log":{...}}}}}},
        "mine":{"status":"success","protocol":"ssh","result":{"server_id":{"raw":"SSH-2.0-OpenSSH_9.2"}}}}}

   The name of a member of data may be any, "protocol" is the module. Old files have no port: it is
   that of the module, of the line, or the one that the module has by default. Two modules may have
   tried one port, which is one service. A module that has an answer has seen the service, whatever
   its status: http without permission to follow a redirection has "application-error" and the whole
   response. A line without an answer, or without an address, is skipped.

   When redirections were followed, the response is the last one that came from the server of the
   first. */
#include "config.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_host.h"

/* Modules: the port and the transport that they try by default, and the protocol (NULL: it is the
   name of the module; "": the module shows no protocol). version and product: members of the
   result; a text behind an apostrophe is the name of the product itself. */
static const struct module {
	const char *name;
	int port;
	const char *transport, *protocol, *product, *version;
} modules[] = {
	{ "amqp091", 5672, "tcp", "amqp", "server_properties.product",
	    "server_properties.version" },
	{ "bacnet", 47808, "udp", NULL, NULL, NULL },
	{ "banner", 80, "tcp", "", NULL, NULL },
	{ "checkpoint", 264, "tcp", NULL, NULL, NULL },
	{ "codesys2", 1200, "tcp", NULL, NULL, NULL },
	{ "dnp3", 20000, "tcp", NULL, NULL, NULL },
	{ "drda", 50000, "tcp", NULL, NULL, NULL },
	{ "enip", 44818, "tcp", NULL, NULL, NULL },
	{ "fox", 1911, "tcp", NULL, NULL, NULL },
	{ "ftp", 21, "tcp", NULL, NULL, NULL },
	{ "http", 80, "tcp", NULL, NULL, NULL },
	{ "imap", 143, "tcp", NULL, NULL, NULL },
	{ "ipp", 631, "tcp", NULL, NULL, NULL },
	{ "jarm", 443, "tcp", "", NULL, NULL },
	{ "managesieve", 4190, "tcp", "sieve", NULL, NULL },
	{ "memcached", 11211, "tcp", NULL, "'Memcached", "version" },
	{ "modbus", 502, "tcp", NULL, NULL, NULL },
	{ "mongodb", 27017, "tcp", NULL, "'MongoDB", "build_info.version" },
	{ "mqtt", 1883, "tcp", NULL, NULL, NULL },
	{ "mssql", 1433, "tcp", NULL, "'Microsoft SQL Server", "version" },
	{ "mysql", 3306, "tcp", NULL, NULL, "server_version" },
	{ "ntp", 123, "udp", NULL, NULL, NULL },
	{ "omronfins", 9600, "udp", NULL, NULL, NULL },
	{ "oracle", 1521, "tcp", NULL, NULL, NULL },
	{ "pop3", 110, "tcp", NULL, NULL, NULL },
	{ "postgres", 5432, "tcp", "postgresql", NULL, NULL },
	{ "pptp", 1723, "tcp", NULL, NULL, NULL },
	{ "rdp", 3389, "tcp", NULL, NULL, NULL },
	{ "redis", 6379, "tcp", NULL, "'Redis", "version" },
	{ "siemens", 102, "tcp", "s7", NULL, NULL },
	{ "smb", 445, "tcp", NULL, NULL, NULL },
	{ "smtp", 25, "tcp", NULL, NULL, NULL },
	{ "socks5", 1080, "tcp", NULL, NULL, NULL },
	{ "ssh", 22, "tcp", NULL, NULL, NULL },
	{ "telnet", 23, "tcp", NULL, NULL, NULL },
	{ "tls", 443, "tcp", "", NULL, NULL },
};

struct grab {
	struct records *rs;
	struct record r;
	const struct json_value *line_object;
	uint64_t line;
	size_t answers;
};

/* The member at the end of a path such as "server_id.raw"; NULL: there is none. */
static const struct json_value *
tool_path(const struct json_value *o, const char *path)
{
	struct str rest = str_of(path), part;
	char name[64];

	while (o != NULL && str_part(&rest, '.', &part) && part.n < sizeof(name)) {
		memcpy(name, part.p, part.n);
		name[part.n] = '\0';
		o = tool_get(o, name);
	}
	return o;
}

static const struct module *
find_module(struct str name)
{
	for (size_t i = 0; i < COUNT(modules); i++)
		if (str_is_nocase(name, modules[i].name))
			return &modules[i];
	return NULL;
}

/* ---- TLS ---- */

/* Emits a certificate, if certificates are wanted, and returns it; .root NULL: it cannot be
   parsed. */
static struct record
take_grab_certificate(struct grab *g, const struct json_value *raw, struct ts seen)
{
	struct record r = { .root = NULL }, copy;
	struct str der;
	const char *why;

	if (tool_text(raw).p == NULL || !certificate_of_base64(g->rs->a, tool_text(raw), &der))
		return r;
	if (!record_certificate(g->rs->a, false, &der, &r, &why)) {
		r.root = NULL;
		if (records_want(g->rs, DATASET_CERTIFICATES))
			records_bad(g->rs, g->line, "the certificate is refused: %s", why);
		return r;
	}
	if (!records_want(g->rs, DATASET_CERTIFICATES) || g->rs->stop)
		return r;
	/* emitting changes the record, and the service needs its names too, so a second copy is
	   parsed */
	if (!record_certificate(g->rs->a, false, &der, &copy, &why))
		panic("a certificate is parsed once alone");
	tool_seen(g->rs->a, copy.root, seen);
	records_emit(g->rs, &copy, der, RECORD_LENIENT, g->line);
	return r;
}

/* log: the TLS log of a module; s may be NULL. */
static void
read_tls_log(struct grab *g, struct record_object *s, const struct json_value *log, struct ts seen)
{
	const struct json_value *shake = tool_get(log, "handshake_log");
	const struct json_value *hello = tool_get(shake, "server_hello");
	const struct json_value *all = tool_get(shake, "server_certificates");
	const struct json_value *chain = tool_get(all, "chain");
	struct str version =
	    tool_text(tool_path(hello, "supported_versions.selected_version.name"));
	struct record leaf = take_grab_certificate(g, tool_path(all, "certificate.raw"), seen);

	for (size_t i = 0; i < tool_items(chain); i++)
		if (records_want(g->rs, DATASET_CERTIFICATES))
			(void)take_grab_certificate(g, tool_get(tool_item(chain, i), "raw"), seen);
	if (s == NULL || hello == NULL)
		return;
	record_set_bool(g->rs->a, s, "tls_enabled", true);
	record_set_text(g->rs->a, s, "tls.version",
	    version.p != NULL ? version : tool_text(tool_path(hello, "version.name")));
	record_set_text(g->rs->a, s, "tls.ja4s", tool_text(tool_get(log, "ja4s")));
	if (leaf.root != NULL)
		tool_set_certificate(g->rs->a, s, &leaf);
}

/* ---- HTTP ---- */

static bool
same_server(const struct json_value *x, const struct json_value *y)
{
	static const char *const parts[] = { "scheme", "host" };

	for (size_t i = 0; i < COUNT(parts); i++)
		if (!str_eq(tool_text(tool_get(tool_path(x, "request.url"), parts[i])),
			tool_text(tool_get(tool_path(y, "request.url"), parts[i]))))
			return false;
	return true;
}

/* Returns the last response of the server to which the first request was sent. */
static const struct json_value *
own_response(const struct json_value *result)
{
	const struct json_value *chain = tool_get(result, "redirect_response_chain");
	const struct json_value *last = tool_get(result, "response"), *first, *own;

	if (tool_items(chain) == 0)
		return last;
	first = own = tool_item(chain, 0);
	for (size_t i = 1; i <= tool_items(chain); i++) {
		const struct json_value *next = i < tool_items(chain) ? tool_item(chain, i) : last;

		if (next == NULL || !same_server(first, next))
			break;
		own = next;
	}
	return own;
}

struct header_list {
	struct arena *a;
	struct record_object *service;
};

static void
add_values(struct header_list *h, struct str name, const struct json_value *values)
{
	for (size_t i = 0; i < tool_items(values); i++)
		tool_add_header(h->a, h->service, name, tool_text(tool_item(values, i)));
}

/* Headers that zgrab2 has no member for are a list of pairs. */
static bool
add_header_values(void *arg, struct str name, struct json_value *v)
{
	if (!str_is(name, "unknown")) {
		add_values(arg, name, v);
		return true;
	}
	for (size_t i = 0; i < tool_items(v); i++)
		add_values(arg, tool_text(tool_get(tool_item(v, i), "key")),
		    tool_get(tool_item(v, i), "value"));
	return true;
}

/* The response of a path other than / is that of the service only if it is the first. */
static void
set_zgrab2_response(struct grab *g, struct record_object *s, const struct json_value *response)
{
	struct header_list h = { g->rs->a, s };
	struct web_answer w = { .path = tool_text(tool_path(response, "request.url.path")),
		.body = json_get_text(response, "body") };
	const struct json_value *headers = tool_get(response, "headers");
	struct str hash = tool_text(tool_get(response, "body_sha256"));
	struct str other = tool_text(tool_get(response, "body_hash"));
	int64_t n;

	w.path = w.path.n == 0 ? STR("/") : w.path;
	w.asks = tool_text(tool_item(tool_get(headers, "www_authenticate"), 0));
	if (!tool_number(response, "status_code", &w.status))
		w.status = 0;
	tool_recognise(g->rs->a, s, &w);
	if (!str_is(w.path, "/") && record_int(s, "http.status_code", &n))
		return;
	if (w.status > 0)
		record_set_int(g->rs->a, s, "http.status_code", w.status);
	tool_set_title(g->rs->a, s, w.body);
	tool_set_body(g->rs->a, s, &w);
	server_set(g->rs->a, s, tool_text(tool_item(tool_get(headers, "server"), 0)));
	if (hash.p == NULL && str_starts(other, STR("sha256:")))
		hash = (struct str){ other.p + 7, other.n - 7 };
	record_set_text(g->rs->a, s, "http.body_hash", hash);
	if (headers != NULL && json_type(headers) == JSON_OBJECT)
		json_each(headers, add_header_values, &h);
}

/* ---- modules ---- */

/* "OpenSSH_9.2p1" is the product OpenSSH of version 9.2p1. */
static void
set_ssh(struct grab *g, struct record_object *s, const struct json_value *result)
{
	struct str software = tool_text(tool_path(result, "server_id.software")), product;

	tool_set_bytes(g->rs->a, s, "banner", tool_text(tool_path(result, "server_id.raw")));
	if (software.p == NULL || !str_part(&software, '_', &product))
		return;
	record_set_text(g->rs->a, s, "service_name", STR("ssh"));
	record_set_text(g->rs->a, s, "product", product);
	if (software.n > 0)
		record_set_text(g->rs->a, s, "version", software);
}

static void
set_product(struct grab *g, struct record_object *s, const struct module *m,
    const struct json_value *result)
{
	struct str version =
	    m->version == NULL ? STR_NULL : tool_text(tool_path(result, m->version));
	struct str product = STR_NULL;

	if (version.p == NULL)
		return;
	if (m->product != NULL)
		product = m->product[0] == '\'' ? str_of(m->product + 1)
						: tool_text(tool_path(result, m->product));
	record_set_text(g->rs->a, s, "service_name", record_text(s, "protocol"));
	record_set_text(g->rs->a, s, "product", product);
	tool_set_bytes(g->rs->a, s, "version", version);
}

/* The TLS log of a module. */
static const struct json_value *
tls_log_of(struct str module, const struct json_value *result)
{
	if (str_is(module, "http"))
		return tool_path(own_response(result), "request.tls_log");
	return str_is(module, "tls") ? result : tool_get(result, "tls");
}

enum proof { NO_ANSWER, HANDSHAKE, ANSWER };

/* Whether the result of a module shows that its service has answered. A handshake shows that it has
   TLS, but not that it has the protocol of the module. */
static enum proof
proof_of(const struct module *m, struct str name, const struct json_value *o)
{
	const struct json_value *result = tool_get(o, "result");
	int64_t status;

	if (tool_has(tool_get(o, "status"), "success") ||
	    (tool_number(own_response(result), "status_code", &status) && status > 0) ||
	    tool_text(tool_get(result, "banner")).n > 0 ||
	    tool_text(tool_path(result, "server_id.raw")).n > 0 ||
	    (m != NULL && m->version != NULL && tool_text(tool_path(result, m->version)).n > 0))
		return ANSWER;
	return tool_path(tls_log_of(name, result), "handshake_log.server_hello") != NULL
		   ? HANDSHAKE
		   : NO_ANSWER;
}

/* Stores the result of a module in the service of its port. s is NULL when there is no host, since
   certificates may be wanted without one. */
static void
read_grab_result(
    struct grab *g, const struct module *m, struct record_object *s, const struct json_value *o)
{
	const struct json_value *result = tool_get(o, "result");
	struct ts seen = tool_member_time(o, "timestamp");
	struct str name = m == NULL ? tool_text(tool_get(o, "protocol")) : str_of(m->name);
	const struct json_value *log = tls_log_of(name, result);
	bool http = str_is(name, "http"), tls;

	read_tls_log(g, s, log, seen);
	if (s == NULL || proof_of(m, name, o) == HANDSHAKE)
		return;
	tls = tool_true(result, "implicit_tls") || (http && tool_get(log, "handshake_log") != NULL);
	tool_set_protocol(
	    g->rs->a, s, m != NULL && m->protocol != NULL ? str_of(m->protocol) : name, tls);
	if (http)
		set_zgrab2_response(g, s, own_response(result));
	else if (str_is(name, "ssh"))
		set_ssh(g, s, result);
	else if (str_is(name, "jarm"))
		tool_set_jarm(g->rs->a, s, tool_text(tool_get(result, "fingerprint")));
	else
		tool_set_bytes(g->rs->a, s, "banner", json_get_text(result, "banner"));
	if (m != NULL)
		set_product(g, s, m, result);
}

/* The port of a module: its own, that of the line, or the default. 0: it is unknown. */
static int64_t
port_of_scan(const struct grab *g, const struct module *m, const struct json_value *o)
{
	const struct json_value *response = own_response(tool_get(o, "result"));
	int64_t port;

	if (tool_number(o, "port", &port) && port > 0)
		return port;
	if (tool_number(g->line_object, "port", &port) && port > 0)
		return port;
	if (m == NULL)
		return 0;
	if (str_is(str_of(m->name), "http") &&
	    tool_has(tool_path(response, "request.url.scheme"), "https"))
		return 443;
	return m->port;
}

static bool
read_named_module(void *arg, struct str name, struct json_value *o)
{
	struct grab *g = arg;
	struct str protocol = tool_text(tool_get(o, "protocol"));
	const struct module *m = find_module(protocol.p != NULL ? protocol : name);
	struct ts seen = tool_member_time(o, "timestamp");
	struct record_object *s = NULL;

	if (proof_of(m, m == NULL ? protocol : str_of(m->name), o) == NO_ANSWER)
		return true;
	g->answers++;
	if (g->r.root != NULL)
		tool_seen(g->rs->a, g->r.root, seen);
	if (g->r.root != NULL)
		s = tool_service(g->rs->a, &g->r, port_of_scan(g, m, o),
		    str_of(m == NULL ? "tcp" : m->transport));
	if (s != NULL) {
		struct str domain = tool_host_name(tool_text(tool_get(g->line_object, "domain")));

		tool_seen(g->rs->a, s, seen);
		if (domain.p != NULL)
			record_add(g->rs->a, s, "extra_names", domain);
	}
	read_grab_result(g, m, s, o);
	return !g->rs->stop;
}

static void
read_grab(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	struct grab g = { .rs = rs, .line_object = o, .line = line };
	const struct json_value *data = tool_get(o, "data");
	struct str ip = tool_address(rs->a, tool_text(tool_get(o, "ip")));

	if (data == NULL && tool_get(o, "error") == NULL) {
		records_bad(rs, line, "data: is missing");
		return;
	}
	if (ip.p == NULL && tool_get(o, "ip") != NULL) {
		records_bad(rs, line, "ip: is no IP address");
		return;
	}
	if (records_want(rs, DATASET_HOSTS) && ip.p != NULL) {
		g.r = record_new(rs->a, DATASET_HOSTS);
		record_set_text(rs->a, g.r.root, "ip", ip);
	}
	if (data != NULL && json_type(data) == JSON_OBJECT)
		json_each(data, read_named_module, &g);
	if (g.answers == 0 || (g.r.root == NULL && !records_want(rs, DATASET_CERTIFICATES)))
		rs->skipped++;
	else if (g.r.root != NULL && !rs->stop)
		records_emit(rs, &g.r, STR_NULL, RECORD_LENIENT, line);
}

void
read_zgrab2(struct records *rs)
{
	records_json(rs, NULL, read_grab, rs);
}
