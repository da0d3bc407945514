/* SPDX-License-Identifier: ISC */
/* Reads the data sets FDNS and RDNS of Rapid7's Project Sonar, one record on each line:

     {"timestamp":"1700000000","name":"www.a.org","type":"a","value":"192.0.2.1"}
     {"timestamp":"1700000000","name":"192.0.2.1","type":"ptr","value":"www.a.org"}

   Types are in lower case, names have no final dot. In RDNS the name is the address whose PTR was asked for. */
#include "config.h"

#include "cli/import/dns.h"

static void
read_sonar_line(void *arg, const struct json_value *o, uint64_t line)
{
	static const char *const members[] = { "name", "type", "value" };
	struct dns_line l = { .seen = TS_NULL };
	struct records *rs = arg;
	int64_t stamp;

	for (size_t i = 0; i < COUNT(members); i++)
		if (tool_member(o, members[i]).p == NULL) {
			records_bad(rs, line, "%s: must be a string", members[i]);
			return;
		}
	if (json_get(o, "timestamp") != NULL &&
	    (!tool_number(o, "timestamp", &stamp) || !dns_time_of_number(stamp, &l.seen))) {
		records_bad(rs, line, "timestamp: is no time");
		return;
	}
	l.host = tool_member(o, "name");
	l.type = tool_member(o, "type");
	l.answer = tool_member(o, "value");
	dns_emit(rs, &l, line);
}

void
read_sonar(struct records *rs)
{
	records_json(rs, NULL, read_sonar_line, rs);
}
