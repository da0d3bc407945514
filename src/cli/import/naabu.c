/* SPDX-License-Identifier: ISC */
/* Reads the output of naabu, JSON lines and CSV, one open port on each line:

     {"host":"www.a.org","ip":"192.0.2.1","timestamp":"2026-01-02T03:04:05.678Z","port":443,"protocol":"tcp","tls":true}

   With -sV the members of the service stand beside them: name, product, version, cpes, os_type,
   tunnel. The header of CSV has one column without a name where its rows have those of the service.
   Old lines have neither protocol nor timestamp, and releases between have
   "port":{"Port":443,"Protocol":0,"TLS":false}, where protocol 1 is UDP. "tls": false is ignored,
   because naabu also writes it when it did not test for TLS. A line without a port is a host that
   answered. */
#include "config.h"

#include "cli/import/csv.h"
#include "cli/import/gather.h"
#include "cli/import/tool_host.h"

static const struct csv naabu_csv = {
	.key = "ip",
	.unnamed =
	    "device_type,extra_info,high_version,hostname,low_version,method,name,os_type,product,"
	    "proto,rpc_num,service_fp,tunnel,version,confidence",
};

static void
add_naabu_cpe(struct gather *g, struct record_object *host, struct record_object *s, struct str cpe)
{
	if (str_starts(cpe, STR("cpe:")))
		record_add(g->a, tool_cpe_owner(cpe, host, s), "cpe", gather_text(g, cpe));
}

/* A list, or in CSV a text with semicolons. */
static void
add_cpes(struct gather *g, struct record_object *host, struct record_object *s,
    const struct json_value *v)
{
	struct str text = tool_text(v), part;

	for (size_t i = 0; i < tool_items(v); i++)
		add_naabu_cpe(g, host, s, tool_text(tool_item(v, i)));
	while (str_part(&text, ';', &part))
		add_naabu_cpe(g, host, s, str_trim(part));
}

/* Reads the port of a line; *about becomes the object that has its protocol. False: the value is no
   port. */
static bool
read_port(const struct json_value *o, int64_t *port, const struct json_value **about)
{
	const struct json_value *v = tool_get(o, "port");
	bool object = v != NULL && json_type(v) == JSON_OBJECT;

	*port = 0;
	*about = object ? v : o;
	if (v == NULL)
		return true;
	return tool_number(*about, object ? "Port" : "port", port) && *port >= 0 && *port <= 65535;
}

static void
set_service_members(struct gather *g, struct record_object *host, struct record_object *s,
    const struct json_value *o)
{
	static const struct {
		const char *from, *to;
	} members[] = {
		{ "name", "service_name" },
		{ "product", "product" },
		{ "version", "version" },
	};
	bool tls = tool_true(o, "tls") || tool_has(tool_get(o, "tunnel"), "ssl") ||
		   tool_true(tool_get(o, "port"), "TLS");

	if (tls)
		record_set_bool(g->a, s, "tls_enabled", true);
	for (size_t i = 0; i < COUNT(members); i++) {
		struct str text = tool_text(tool_get(o, members[i].from));

		if (text.p != NULL)
			record_set_text(g->a, s, members[i].to, gather_text(g, text));
	}
	tool_set_protocol(g->a, s, gather_text(g, tool_text(tool_get(o, "name"))), tls);
	add_cpes(g, host, s, tool_get(o, "cpes"));
}

static void
set_host_members(struct gather *g, struct record_object *h, const struct json_value *o)
{
	static const char *const names[] = { "host", "hostname" };
	struct str os = tool_text(tool_get(o, "os_type"));

	for (size_t i = 0; i < COUNT(names); i++) {
		struct str name = tool_host_name(tool_text(tool_get(o, names[i])));

		if (name.p != NULL)
			record_add(g->a, h, "hostnames", gather_text(g, name));
	}
	if (os.p != NULL)
		record_set_text(g->a, h, "os", gather_text(g, os));
	if (tool_true(o, "cdn"))
		tool_add_cdn(
		    g->a, h, STR("cdn"), gather_text(g, tool_text(tool_get(o, "cdn-name"))));
}

static void
read_naabu_row(void *arg, const struct json_value *o, uint64_t line)
{
	struct gather *g = arg;
	struct str ip = tool_text(tool_get(o, "ip"));
	struct ts seen = tool_member_time(o, "timestamp");
	struct record_object *s;
	struct record *r;
	const struct json_value *about;
	int64_t port;
	bool udp;

	ip = tool_address(g->rs->a, ip.p != NULL ? ip : tool_text(tool_get(o, "host")));
	if (ip.p == NULL) {
		records_bad(g->rs, line, "ip: is missing or no IP address");
		return;
	}
	if (!read_port(o, &port, &about)) {
		records_bad(g->rs, line, "port: must be a number from 0 to 65535");
		return;
	}
	r = gather_host(g, ip, line);
	tool_seen(g->a, r->root, seen);
	set_host_members(g, r->root, o);
	udp = tool_has(tool_get(about, "protocol"), "udp") || tool_true(about, "Protocol");
	s = gather_service(g, r, port, udp ? "udp" : "tcp");
	if (s != NULL) {
		tool_seen(g->a, s, seen);
		set_service_members(g, r->root, s, o);
	}
	gather_line(g);
}

void
read_naabu(struct records *rs)
{
	char first = source_first_byte(rs->src);
	struct gather g;

	gather_open(&g, rs);
	if (first != '{' && first != '[')
		records_csv(rs, &naabu_csv, read_naabu_row, &g);
	else
		records_json(rs, NULL, read_naabu_row, &g);
	gather_close(&g);
}
