/* SPDX-License-Identifier: ISC */
/* Reads the output of masscan:

     -oJ   an array, but not always valid JSON as a whole: an interrupted run leaves it without its end, and older releases
           wrote no brackets around it
     -oD   one object on each line
     -oL   "open tcp 80 192.0.2.1 1700000000" and "banner tcp 80 192.0.2.1 1700000000 http HTTP/1.1 200 OK..."
     -oX   the XML of nmap with the attribute banner: nmap.c

   The status of a port and each of its banners are separate records, in any order, so those of an
   address are gathered before the host is emitted. An answer to a ping is port 0 and is ignored. */
#include "config.h"

#include "cli/import/masscan.h"

#include "cli/import/json_values.h"
#include "cli/import/tool_host.h"

/* ---- JSON ---- */

/* Handles a port: an item of "ports" (-oJ), or the record itself with its "data" (-oD). */
static const char *
add_port(struct gather *g, struct sighting *r, const struct json_value *port,
    const struct json_value *data, uint64_t line)
{
	const struct json_value *service = tool_get(port, "service");

	if (!tool_number(port, "port", &r->port) || r->port < 0 || r->port > 65535)
		return "ports: an item has no port";
	r->transport = json_get_text(port, "proto");
	if (r->transport.p == NULL)
		r->transport = STR("tcp");
	r->open = str_is(json_get_text(data, "status"), "open");
	r->name =
	    data == port ? json_get_text(service, "name") : json_get_text(data, "service_name");
	r->banner = json_get_text(data == port ? service : data, "banner");
	masscan_add(g, r, line);
	return NULL;
}

static const char *
add_object(struct gather *g, const struct json_value *v, uint64_t line)
{
	const struct json_value *ports = tool_get(v, "ports"), *data = tool_get(v, "data");
	struct str ip = json_get_text(v, "ip");
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

		/* the last line of older releases, which is not JSON */
		if (str_starts(text, STR("{finished:")) || str_starts(text, STR("{ finished:"))) {
			rs->read--;
			continue;
		}
		o = json_parse_with_fault(rs->a, text, &fault);
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
	records_no_ports(rs, rs->src->line);
}
