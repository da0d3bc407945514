/* SPDX-License-Identifier: ISC */
/* Functions that the readers of DNS tools share (zdns.c, massdns.c, dnsx.c, sonar.c, cof.c). A line
 * of such a tool is the answer of a server. Each resource record of the answer becomes a record. If
 * the answer has none, or its response code is an error, one more record has the response code and
 * no answer:
 *
 *     www.a.org  A?   CNAME chain                      www.a.org    CNAME  NOERROR   web.b.org
 *                     www.a.org CNAME web.b.org   -->  web.b.org    A      NOERROR   192.0.2.1
 *                     web.b.org A 192.0.2.1
 *
 *     www.c.org  A?   NXDOMAIN                         www.c.org    CNAME  NOERROR   gone.d.org
 *                     www.c.org CNAME gone.d.org  -->  gone.d.org   A      NXDOMAIN
 *
 * The response code is that of the last name of the chain (RFC 6604). The aliases before it exist
 * and have NOERROR. A record without an answer needs the type of the question. If the tool does not
 * write that type, the option --type gives it; without the option the record is skipped. */
#ifndef CLI_IMPORT_DNS_H
#define CLI_IMPORT_DNS_H

#include "cli/import/records.h"
#include "cli/import/tool_json.h"

struct dns_line {
	struct str host, type, rcode, answer; /* STR_NULL: unknown; rcode then is NOERROR */
	struct opt ttl;
	struct ts seen; /* TS_NULL: unknown */
};

/* Makes a record and emits it. For the type PTR, a host that is an address is replaced by its name
   in in-addr.arpa or ip6.arpa. */
void dns_emit(struct records *rs, const struct dns_line *l, uint64_t line);

/* Converts a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The unit
   follows from the size of the number: seconds have up to 11 digits, milliseconds 12 to 14,
   microseconds 15 to 17. False: the number is not a time. */
bool dns_time_of_number(int64_t n, struct ts *out) MUST_USE;

/* Quotes a text for the presentation form. Escapes that the text already contains are kept. */
struct str dns_quote(struct arena *a, struct str s);
/* The name to which the error of an answer belongs: the last one of the chain of aliases that begins
   at name. Each record has the members "name" and "type", and the alias's target in the member whose
   name is `target`. STR_NULL: this name has a record in the answer, so it exists; the aliases may be
   a ring. */
struct str dns_missing_name(const struct json_value *records, struct str name, const char *target);
/* Compares two names, ignoring case and final dots. An empty name equals no name. */
bool dns_same_name(struct str a, struct str b);
/* True for the class IN, and when the answer has no class. */
bool dns_is_internet(struct str class);

#endif
