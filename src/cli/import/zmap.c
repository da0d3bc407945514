/* SPDX-License-Identifier: ISC */
/* Reads the output of zmap, CSV and JSON, which have the same members:

     saddr                         all that the default output has; the port is then that of --port
     sport                         the port that answered; dport is a port of the scanner
     classification                synack is TCP; udp, dns, ntp, bacnet, upnp are UDP; anything else has no port
     success                       0 or 1 in CSV, true, false or 1 in JSON; other answers than these are skipped
     timestamp_ts, timestamp_us    the time, better than timestamp_str, whose offset has no colon

   The columns of CSV come in any order. A file of --no-header-row has their names in --columns. */
#include "config.h"

#include "cli/import/csv.h"
#include "cli/import/tool_host.h"

/* protocol: known from the answer; NULL: only the port suggests it. transport NULL: no port
   answered. */
static const struct {
	const char *name, *transport, *protocol;
} classes[] = {
	{ "synack", "tcp", NULL },
	{ "udp", "udp", NULL },
	{ "dns", "udp", "dns" },
	{ "ntp", "udp", "ntp" },
	{ "bacnet", "udp", "bacnet" },
	{ "upnp", "udp", "upnp" },
};

static struct ts
zmap_seen_at(const struct json_value *o)
{
	struct ts t = TS_NULL;
	int64_t s, us = 0;

	if (!tool_number(o, "timestamp_ts", &s))
		return tool_member_time(o, "timestamp_str");
	if (!tool_number(o, "timestamp_us", &us) || us < 0 || us >= SECOND_US)
		us = 0;
	if (s > 0 && s <= TS_NEWEST_US / SECOND_US)
		t.us = s * SECOND_US + us;
	return t;
}

/* Adds the service that answered, if a port did. */
static void
add_service(struct records *rs, struct record *r, const struct json_value *o)
{
	struct str class = tool_text(tool_get(o, "classification")), transport = STR("tcp");
	struct record_object *s;
	size_t i = 0;
	int64_t port = 0;

	if (rs->options.port.p != NULL && !tool_port(rs->options.port, &port, &transport))
		port = 0;
	while (i < COUNT(classes) && !str_is_nocase(class, classes[i].name))
		i++;
	if (class.p != NULL && i == COUNT(classes))
		return;
	if (class.p != NULL)
		transport = str_of(classes[i].transport);
	if (tool_text(tool_get(o, "sport")).p != NULL || tool_get(o, "sport") != NULL)
		if (!tool_number(o, "sport", &port))
			return;
	s = tool_service(rs->a, r, port, transport);
	if (s != NULL && class.p != NULL && classes[i].protocol != NULL)
		record_set_text(rs->a, s, "protocol", str_of(classes[i].protocol));
}

static void
read_zmap_row(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	struct record r = record_new(rs->a, DATASET_HOSTS);
	struct str ip = tool_address(rs->a, tool_text(tool_get(o, "saddr")));

	if (ip.p == NULL) {
		records_bad(rs, line, "saddr: is no IP address");
		return;
	}
	if (tool_get(o, "success") != NULL && !tool_true(o, "success")) {
		rs->skipped++;
		return;
	}
	record_set_text(rs->a, r.root, "ip", ip);
	tool_seen(rs->a, r.root, zmap_seen_at(o));
	add_service(rs, &r, o);
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
}

void
read_zmap(struct records *rs)
{
	char first = source_first_byte(rs->src);
	struct csv form = { .key = "saddr", .columns = rs->options.columns };

	if (first != '{' && first != '[')
		records_csv(rs, &form, read_zmap_row, rs);
	else
		records_json(rs, NULL, read_zmap_row, rs);
}
