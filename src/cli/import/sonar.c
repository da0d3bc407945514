/* SPDX-License-Identifier: ISC */
/* Reads the data sets FDNS and RDNS of Rapid7's Project Sonar, one record on each line:

     {"timestamp":"1700000000","name":"www.a.org","type":"a","value":"192.0.2.1"}
     {"timestamp":"1700000000","name":"192.0.2.1","type":"ptr","value":"www.a.org"}

   Types are in lower case, names have no final dot. In RDNS the name is the address whose PTR was
   asked for, so such a line also gives the member ptr of a host. */
#include "config.h"

#include "cli/import/dns.h"
#include "cli/import/tool_host.h"

/* False: the line does not give the name of an address. */
static bool
emit_pointer(struct records *rs, const struct dns_line *l, uint64_t line)
{
	struct record r = record_new(rs->a, DATASET_HOSTS);
	struct str ip = tool_address(rs->a, l->host), name = tool_host_name(l->answer);

	if (!str_is_nocase(l->type, "PTR") || ip.p == NULL || name.p == NULL)
		return false;
	record_set_text(rs->a, r.root, "ip", ip);
	record_set_text(rs->a, r.root, "ptr", name);
	tool_seen(rs->a, r.root, l->seen);
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
	return true;
}

static void
read_sonar_line(void *arg, const struct json_value *o, uint64_t line)
{
	static const char *const members[] = { "name", "type", "value" };
	struct dns_line l = { .seen = TS_NULL };
	struct records *rs = arg;
	int64_t stamp;
	bool host;

	for (size_t i = 0; i < COUNT(members); i++)
		if (json_get_text(o, members[i]).p == NULL) {
			records_bad(rs, line, "%s: must be a string", members[i]);
			return;
		}
	if (json_get(o, "timestamp") != NULL &&
	    (!tool_number(o, "timestamp", &stamp) || !dns_time_of_number(stamp, &l.seen))) {
		records_bad(rs, line, "timestamp: is no time");
		return;
	}
	l.host = json_get_text(o, "name");
	l.type = json_get_text(o, "type");
	l.answer = json_get_text(o, "value");
	host = records_want(rs, DATASET_HOSTS) && emit_pointer(rs, &l, line);
	if (records_want(rs, DATASET_DNS))
		dns_emit(rs, &l, line);
	else if (!host)
		rs->skipped++;
}

void
read_sonar(struct records *rs)
{
	records_json(rs, NULL, read_sonar_line, rs);
}
