/* SPDX-License-Identifier: ISC */
/* Functions that the readers of DNS tools share (zdns.c, massdns.c, dnsx.c, sonar.c, cof.c). A line of such a tool is an
 * answer of a server, and becomes one record for each resource record, or one that tells that there is none:
 *
 *     www.a.org  A?   CNAME chain                      www.a.org    CNAME  NOERROR   web.b.org
 *                     www.a.org CNAME web.b.org   -->  web.b.org    A      NOERROR   192.0.2.1
 *                     web.b.org A 192.0.2.1
 *
 *     www.c.org  A?   NXDOMAIN                         www.c.org    CNAME  NOERROR   gone.d.org
 *                     www.c.org CNAME gone.d.org  -->  gone.d.org   A      NXDOMAIN
 *
 * The code of an answer belongs to the end of its chain (RFC 6604); the names before it exist, or they could not be
 * aliases. Where a tool does not tell the type that it asked for, --type does, and without it no such record is made. */
#ifndef CLI_IMPORT_DNS_H
#define CLI_IMPORT_DNS_H

#include "cli/import/records.h"
#include "cli/import/tool_json.h"

struct dns_line {
	struct str host, type, rcode, answer; /* STR_NULL: unknown; rcode then is NOERROR */
	struct opt ttl;
	struct ts seen; /* TS_NULL: unknown */
};

/* Makes a record and hands it over. A host that is an address is its name in in-addr.arpa or ip6.arpa when the type is
   PTR. */
void dns_emit(struct records *rs, const struct dns_line *l, uint64_t line);

/* Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size. False: no time. */
bool dns_time_of_number(int64_t n, struct ts *out) MUST_USE;

/* Puts a text into quotes, for the presentation form; escapes that the text has stay. */
struct str dns_quote(struct arena *a, struct str s);
/* The last name of the chain of aliases that begins at name. The records have the members name, type, and target, the name
   of the third member. */
struct str dns_chain_end(const struct json_value *records, struct str name, const char *target);
/* Compares names without regard to case and final dots; an empty name equals none. */
bool dns_same_name(struct str a, struct str b);
/* Whether a class is that of the Internet; an unknown class is. */
bool dns_is_internet(struct str class);

#endif
