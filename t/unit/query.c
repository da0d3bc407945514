/* SPDX-License-Identifier: ISC */
/* src/search/query*.c: the query language (C-720 to C-729). */
#include "config.h"

#include "base/limits.h"
#include "t/unit/query_print.h"
#include "t/unit/tap.h"

static struct arena *arena;
static const struct ts now = { 1767225600LL * 1000000 }; /* 2026-01-01T00:00:00Z */

static bool
parse(struct str text, struct query *q, struct query_fault *fault)
{
	*fault = (struct query_fault){ 0 };
	return query_parse(arena, DATASET_HOSTS, text, now, q, fault);
}

/* The canonical text, or "position: message". */
static struct str
outcome(struct str text)
{
	struct buf b = { .a = arena };
	struct query_fault fault;
	struct query q;

	if (!parse(text, &q, &fault))
		return arena_printf(
		    arena, "%u: %.*s", fault.at, (int)fault.message.n, fault.message.p);
	query_print(&b, &q);
	return buf_done(&b);
}

struct example {
	const char *query, *expected;
};

static void
each(const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str got = outcome(str_of(examples[i].query));

		if (!str_is(got, examples[i].expected)) {
			printf("# query:    %s\n# expected: %s\n# got:      %.*s\n",
			    examples[i].query, examples[i].expected, (int)got.n, got.p);
			CU_FAIL("another outcome");
		}
		arena_reset(arena);
	}
}

#define EACH(examples) each(examples, COUNT(examples))

static void
all_is_all(void) /* C-039 */
{
	static const struct example examples[] = {
		{ "", "*" },
		{ " \t\r\n\v\f\xc2\xa0\xe3\x80\x80\xc2\x85\xe2\x80\xa8", "*" },
		{ "*", "*" },
		{ "*:*", "*" },
		{ "NOT *", "NOT *" },
		{ "(*)", "*" },
		{ "* AND port:22", "* AND services.port:22" },
	};

	EACH(examples);
}

static void
operators_bind_as_they_should(void)
{
	static const struct example examples[] = {
		{ "asn:1 asn:2", "asn:1 AND asn:2" },
		{ "asn:1 and asn:2 Or asn:3", "asn:1 AND asn:2 OR asn:3" },
		{ "asn:1 OR asn:2 asn:3", "asn:1 OR asn:2 AND asn:3" },
		{ "(asn:1 OR asn:2) asn:3", "(asn:1 OR asn:2) AND asn:3" },
		{ "NOT asn:1 asn:2", "NOT asn:1 AND asn:2" },
		{ "not(asn:1 asn:2)", "NOT (asn:1 AND asn:2)" },
		{ "-asn:1 !asn:2 +asn:3", "NOT asn:1 AND NOT asn:2 AND asn:3" },
		{ "! asn:1", "NOT asn:1" },
		{ "NOT NOT asn:1", "asn:1" },
		{ "-!asn:1", "asn:1" },
		{ "NOT (NOT (asn:1 asn:2)) asn:3", "asn:1 AND asn:2 AND asn:3" },
		{ "((asn:1 OR (asn:2 OR asn:3)))", "asn:1 OR asn:2 OR asn:3" },
		{ "asn:1 (asn:2 AND asn:3)", "asn:1 AND asn:2 AND asn:3" },
		{ "asn:1(asn:2)", "asn:1 AND asn:2" },
		{ "os:\"a\"os:\"b\"", "os:\"a\" AND os:\"b\"" },
	};

	EACH(examples);
}

static void
addresses_come_before_fields(void)
{
	static const struct example examples[] = {
		{ "fd00::1", "ip:fd00::1" },
		{ "10.0.0.0/8", "ip:10.0.0.0/8" },
		{ "10.1.2.3/8 -10.2.0.1", "ip:10.0.0.0/8 AND NOT ip:10.2.0.1" },
		{ "10.0.0.1,fd00::/8", "ip:{10.0.0.1,fd00::/8}" },
		{ "ip:10.0.0.1,10.0.0.2", "ip:{10.0.0.1,10.0.0.2}" },
		{ "net:fd00::/8", "ip:fd00::/8" },
		{ "ip:\"10.0.0.0/8\"", "ip:10.0.0.0/8" },
		{ "ip=10.0.0.1", "ip:10.0.0.1" },
		{ "ip!=10.0.0.1", "NOT ip:10.0.0.1" },
		{ "ip=10.0.0.0/8", "4: = takes one address; write ip:10.0.0.0/8" },
		{ "ip:[10.0.0.1 TO 10.0.0.9]", "ip:[10.0.0.1 TO 10.0.0.9]" },
		{ "ip:[10.0.0.0/8 TO *]",
		    "5: a range of addresses takes no CIDR; write ip:10.0.0.0/8" },
		{ "ip:10.1.*", "4: ip takes no wildcards; write a CIDR such as 10.1.0.0/16" },
		{ "ip:x", "4: ip takes an address or CIDR, not \"x\"" },
		{ "10.0.0.0/33", "1: \"10.0.0.0/33\" is not an address or CIDR" },
		{ "fd00::zz", "1: unknown field \"fd00\"; /search/schemas lists them, and text "
			      "with : or = needs quotes" },
		{ "services:(10.0.0.1)", "11: an address cannot be tested here; put it "
					 "in quotes to search text" },
	};

	EACH(examples);
}

static void
bare_words_search_text(void)
{
	static const struct example examples[] = {
		{ "Nginx", "\"nginx\"" },
		{ "\"login page\"", "\"login page\"" },
		{ "services.banner:x OR services.http.title:x OR services.http.body:x", "\"x\"" },
		{ "services.banner:x OR services.http.title:x",
		    "services.banner:\"x\" OR services.http.title:\"x\"" },
		{ "services.http.title:x OR services.banner:x",
		    "services.http.title:\"x\" OR services.banner:\"x\"" },
		{ "a b OR -c", "\"a\" AND \"b\" OR NOT \"c\"" },
		{ "a OR port:22", "\"a\" OR services.port:22" },
		{ "NOT (a OR port:22)", "NOT (\"a\" OR services.port:22)" },
		{ "ngi*", "ngi*" },
		{ "services:(ngi* -x)", "services:(ngi* AND NOT \"x\")" },
		{ "http://x.org/a?b=c", "\"http://x.org/a?b=c\"" },
		{ "a?b=c", "1: a pattern on text covers one word: letters, digits, * and ?" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
		{ "a :x",
		    "3: a field is expected before this :, as in field:value; text with : needs "
		    "quotes" },
		{ "[1 TO 2]", "1: a range or set needs a field before it, as in field:[1 TO 9] or "
			      "field:{a,b}; text with [ needs quotes" },
		{ "-{1,2}", "2: a range or set needs a field before it, as in field:[1 TO 9] or "
			    "field:{a,b}; text with { needs quotes" },
		{ "https://x.org/a", "\"https://x.org/a\"" },
		{ "server://x", "\"server://x\"" },
		{ "/x", "\"/x\"" },
		{ "os:/x/", "os:\"/x/\"" },
		{ "12:30", "\"12:30\"" },
		{ "\xd0\x9f:x", "\"\xd0\xbf:x\"" },
		{ "1.2.3.4.5", "\"1.2.3.4.5\"" },
		{ "android", "\"android\"" },
		{ "a\\:b", "\"a:b\"" },
		{ "a\\\"b\\ c\\\\", "\"a\\\"b c\\\\\"" },
		{ "\"a\\n\\t\\rb\"", "\"a\n\t\rb\"" },
		{ "&&", "1: write AND" },
		{ "a || b", "3: write OR" },
		{ ">=", "1: no white space can stand before : and other operators" },
		{ "port : 22", "6: no white space can stand before : and other operators" },
		{ "\"\"", "1: \"\" has no letter, digit or symbol to search for" },
		{ "a*", "1: a pattern needs two characters besides * and ?" },
		{ "**", "1: a pattern needs two characters besides * and ?" },
		{ "ab\\*c*", "1: a pattern cannot hold an escaped * or ?; quote the whole value" },
	};

	EACH(examples);
}

static void
keywords_and_text_and_names(void)
{
	static const struct example examples[] = {
		{ "os:Linux", "os:\"linux\"" },
		{ "os:=Linux", "os=\"Linux\"" },
		{ "os=Linux", "os=\"Linux\"" },
		{ "os!=Linux", "NOT os=\"Linux\"" },
		{ "os=*", "os=\"*\"" },
		{ "os:\"\"", "os:\"\"" },
		{ "os: Linux", "os:\"linux\"" },
		{ "OS:a,b", "os:\"a,b\"" },
		{ "os:AND", "os:\"and\"" },
		{ "os:win*", "os:win*" },
		{ "os:\"win*\"", "os:\"win*\"" },
		{ "os:win\\*", "os:\"win*\"" },
		{ "os:a?\\ \\(\xc3\xa9\\)", "os:a?\\ \\(\\\xc3\xa9\\)" },
		{ "os:{a, \"b c\" ,de*,ef*}", "os:{\"a\",\"b c\"} OR os:{de*,ef*}" },
		{ "os:{a,b*}", "7: a pattern needs two characters besides * and ?" },
		{ "cpe:cpe:/o:linux", "cpe:\"cpe:/o:linux\"" },
		{ "title:\"Log In\"", "services.http.title:\"log in\"" },
		{ "title=\"Log In\"", "services.http.title=\"Log In\"" },
		{ "title:log*", "services.http.title:log*" },
		{ "title:\"--\"", "7: \"--\" has no letter, digit or symbol to search for" },
		{ "title:a-b*", "7: a pattern on text covers one word: letters, digits, * and ?" },
		{ "hostname:Example.COM.", "hostnames:\"example.com\"" },
		{ "hostname=Example.COM", "hostnames=\"example.com\"" },
		{ "hostname:*.example.com.", "hostnames:*.example.com" },
		{ "hostname:\"a b\"", "10: hostnames takes a DNS name, not \"a b\"" },
		{ "hostname:"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		    "10: hostnames takes a DNS name, not "
		    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
		    "\"" },
		{ "hostname=*.Example.com", "hostnames=\"*.example.com\"" },
		{ "hostname:\"*.example.com\"", "hostnames:\"*.example.com\"" },
		{ "hostname:\"*.\"", "10: hostnames takes a DNS name, not \"*.\"" },
		{ "hostname=a.*", "10: hostnames takes a DNS name, not \"a.*\"" },
		{ "hostname:.a", "10: hostnames takes a DNS name, not \".a\"" },
		{ "hostname:*a.", "10: a pattern needs two characters besides * and ?" },
		{ "hostname:*ab..", "10: hostnames takes a DNS name, not \"*ab..\"" },
		{ "hostname:[a TO b]", "11: hostnames has no order: ranges are for "
				       "numbers, dates and addresses; a set is {a,b}" },
		{ "country:gb", "country_code:\"gb\"" },
		{ "country_code:GB,us", "country_code:{\"gb\",\"us\"}" },
		{ "country_code=GB,us", "country_code=\"GB\",\"us\"" },
		{ "country_code!=GB", "NOT country_code=\"GB\"" },
	};

	EACH(examples);
}

static void
integers_are_integers(void)
{
	static const struct example examples[] = {
		{ "port:22", "services.port:22" },
		{ "port:22,80", "services.port:{22,80}" },
		{ "port:{ 22 , 80 }", "services.port:{22,80}" },
		{ "port={22}", "6: services.port takes an integer, not \"{22}\"" },
		{ "port!=22,80", "NOT services.port:{22,80}" },
		{ "port:=22", "services.port:22" },
		{ "port:(22 OR 80)", "services.port:22 OR services.port:80" },
		{ "port:(22 OR NOT (80 OR 443))",
		    "services.port:22 OR NOT (services.port:80 OR services.port:443)" },
		{ "port:(*)", "_exists_:services.port" },
		{ "asn:-5", "asn:-5" },
		{ "asn:(-5)", "asn:-5" },
		{ "asn:AS15169,as1", "asn:{15169,1}" },
		{ "asn:AS-1", "5: asn takes an integer, not \"AS-1\"" },
		{ "service_count:AS1", "15: service_count takes an integer, not \"AS1\"" },
		{ "asn:abc", "5: asn takes an integer, not \"abc\"" },
		{ "asn:9223372036854775808", "5: asn takes an integer of at most 64 "
					     "bits, not \"9223372036854775808\"" },
		{ "asn:9223372036854775807", "asn:9223372036854775807" },
		{ "asn:-9223372036854775808", "asn:-9223372036854775808" },
		{ "port:22.5", "6: services.port takes an integer, not \"22.5\"" },
		{ "port:22-80", "6: services.port takes an integer, or a range such as [1 TO 9], "
				"not \"22-80\"" },
		{ "port:\"\"", "6: services.port takes an integer, not \"\"" },
		{ "port:2*", "6: services.port takes no wildcards; write a value, a "
			     "range such as [a TO b], or * alone" },
		{ "port:22,", "9: services.port needs a value here" },
		{ "port:", "6: services.port needs a value here" },
		{ "port: )", "7: services.port needs a value here" },
		{ "port:\"22", "6: this quote is never closed" },
	};

	EACH(examples);
}

static void
ranges_have_ends(void)
{
	static const struct example examples[] = {
		{ "port:[1 TO 9]", "services.port:[1 TO 9]" },
		{ "port:{1 to 9]", "services.port:{1 TO 9]" },
		{ "port:[ 1 TO 9 }", "services.port:[1 TO 9}" },
		{ "port:{1 TO 9}", "services.port:{1 TO 9}" },
		{ "port:[* TO 9]", "services.port:[* TO 9]" },
		{ "port:{1 TO *}", "services.port:{1 TO *]" },
		{ "port:[* TO *]", "_exists_:services.port" },
		{ "port:>=5", "services.port:[5 TO *]" },
		{ "port:> 5", "services.port:{5 TO *]" },
		{ "port:<=5", "services.port:[* TO 5]" },
		{ "port:<5", "services.port:[* TO 5}" },
		{ "port>=5 port<9", "services.port:[5 TO *] AND services.port:[* TO 9}" },
		{ "port>5", "services.port:{5 TO *]" },
		{ "port<=5", "services.port:[* TO 5]" },
		{ "port:[9 TO 1]", "services.port:[9 TO 1]" },
		{ "port:>=x", "8: services.port takes an integer, not \"x\"" },
		{ "port:[1 9]", "9: a range is written [a TO b], {a TO b} without its ends" },
		{ "port:{1 9]", "9: a range is written [a TO b], {a TO b} without its "
				"ends; a set {a,b}" },
		{ "port:[1 TO ]", "12: a range is written [a TO b]; * leaves an end open" },
		{ "port:[1 TO 9", "13: a range is written [a TO b]; * leaves an end open" },
		{ "port:[1 TO 9,", "13: a range is written [a TO b]; * leaves an end open" },
		{ "port:[x TO 9]", "7: services.port takes an integer, not \"x\"" },
		{ "port:[1 TO y]", "12: services.port takes an integer, not \"y\"" },
		{ "port:[1 TO \"y", "12: this quote is never closed" },
		{ "port:[\"y", "7: this quote is never closed" },
		{ "port:{1,2", "10: a set is written {a,b}; put values with spaces in quotes" },
		{ "port:{1,2]", "10: a set is written {a,b}; put values with spaces in quotes" },
		{ "asn:{1,x}", "8: asn takes an integer, not \"x\"" },
		{ "port:{1,}", "9: services.port needs a value here" },
		{ "port:{1,\"", "9: this quote is never closed" },
		{ "port:{}", "7: services.port needs a value here" },
		{ "os>=5", "5: os has no order: ranges are for numbers, dates and "
			   "addresses; a set is {a,b}" },
		{ "tls_enabled:>1", "1: unknown field \"tls_enabled\"; did you mean "
				    "\"services.tls_enabled\"?" },
		{ "services.tls_enabled:>1",
		    "23: services.tls_enabled has no order: ranges are for numbers, "
		    "dates and addresses" },
		{ "port>=(5)",
		    "7: a group of values stands after a colon: services.port:(a OR b)" },
	};

	EACH(examples);
}

#define DAY(from, to) "last_seen:[" from "T00:00:00.000000Z TO " to "T23:59:59.999999Z]"
#define DATE_HINT "last_seen takes a date (2026-01-31, 2026-01-31T12:00:00Z, now or now-7d), not "

static void
dates_cover_their_day(void)
{
	static const struct example examples[] = {
		{ "last_seen:2026-01-02", DAY("2026-01-02", "2026-01-02") },
		{ "last_seen=2026-01-02", DAY("2026-01-02", "2026-01-02") },
		{ "last_seen!=2026-01-02", "NOT " DAY("2026-01-02", "2026-01-02") },
		{ "last_seen:[2026-01-02 TO 2026-01-31]", DAY("2026-01-02", "2026-01-31") },
		{ "last_seen:{2026-01-02 TO 2026-01-31}",
		    "last_seen:{2026-01-02T23:59:59.999999Z TO "
		    "2026-01-31T00:00:00.000000Z}" },
		{ "last_seen:>2026-01-02", "last_seen:{2026-01-02T23:59:59.999999Z TO *]" },
		{ "last_seen:>=2026-01-02", "last_seen:[2026-01-02T00:00:00.000000Z TO *]" },
		{ "last_seen:<2026-01-02", "last_seen:[* TO 2026-01-02T00:00:00.000000Z}" },
		{ "last_seen:<=9999-12-31", "last_seen:[* TO 9999-12-31T23:59:59.999999Z]" },
		{ "last_seen:2026-01-02T03:04:05+01:00",
		    "last_seen:[2026-01-02T02:04:05.000000Z TO "
		    "2026-01-02T02:04:05.000000Z]" },
		{ "last_seen>=now-7d", "last_seen:[2025-12-25T00:00:00.000000Z TO *]" },
		{ "last_seen>=NOW", "last_seen:[2026-01-01T00:00:00.000000Z TO *]" },
		{ "last_seen>=now-90s", "last_seen:[2025-12-31T23:58:30.000000Z TO *]" },
		{ "last_seen>=now-2m", "last_seen:[2025-12-31T23:58:00.000000Z TO *]" },
		{ "last_seen>=now+1h", "last_seen:[2026-01-01T01:00:00.000000Z TO *]" },
		{ "last_seen>=now-1w", "last_seen:[2025-12-25T00:00:00.000000Z TO *]" },
		{ "last_seen:{2026-01-02,2026-01-04}",
		    DAY("2026-01-02", "2026-01-02") " OR " DAY("2026-01-04", "2026-01-04") },
		{ "last_seen:{2026-01-02,x}", "23: " DATE_HINT "\"x\"" },
		{ "last_seen:2026-02-30", "11: " DATE_HINT "\"2026-02-30\"" },
		{ "last_seen:now-", "11: " DATE_HINT "\"now-\"" },
		{ "last_seen:now-7", "11: " DATE_HINT "\"now-7\"" },
		{ "last_seen:now-7y", "11: " DATE_HINT "\"now-7y\"" },
		{ "last_seen:now--7d", "11: " DATE_HINT "\"now--7d\"" },
		{ "last_seen:now7dd", "11: " DATE_HINT "\"now7dd\"" },
		{ "last_seen:now-9223372036854775807w",
		    "11: " DATE_HINT "\"now-9223372036854775807w\"" },
		{ "last_seen:now-9999w9w", "11: " DATE_HINT "\"now-9999w9w\"" },
		{ "last_seen:0001-01-01T00:00:00+01:00",
		    "11: " DATE_HINT "\"0001-01-01T00:00:00+01:00\"" },
		{ "last_seen:9999-12-31T23:59:59-01:00",
		    "11: " DATE_HINT "\"9999-12-31T23:59:59-01:00\"" },
		{ "last_seen:now-999999w",
		    "11: last_seen takes a date in the years 0001 to 9999, not "
		    "\"now-999999w\"" },
		{ "last_seen:2026*", "11: last_seen takes no wildcards; write a value, a "
				     "range such as [a TO b], or * alone" },
	};

	EACH(examples);
}

static void
booleans_have_three_spellings(void)
{
	static const struct example examples[] = {
		{ "services.tls_enabled:TRUE", "services.tls_enabled:true" },
		{ "services.tls_enabled:no", "services.tls_enabled:false" },
		{ "services.tls_enabled=1", "services.tls_enabled:true" },
		{ "services.tls_enabled:maybe",
		    "22: services.tls_enabled takes true or false, not \"maybe\"" },
		{ "services.tls_enabled:certainly-not-a-boolean",
		    "22: services.tls_enabled takes true or false, not "
		    "\"certainly-not-a-boolean\"" },
	};

	EACH(examples);
}

static void
existence_has_two_spellings(void)
{
	static const struct example examples[] = {
		{ "_exists_:os", "_exists_:os" },
		{ "os:*", "_exists_:os" },
		{ "-port:*", "NOT _exists_:services.port" },
		{ "services:*", "services:(*)" },
		{ "_exists_:services", "services:(*)" },
		{ "_exists_:host.services", "services:(*)" },
		{ "services:(_exists_:port)", "services:(_exists_:port)" },
		{ "_exists_:", "10: _exists_ needs the name of a field" },
		{ "_exists_=os", "1: _exists_ is written _exists_:field" },
		{ "_exists_:oss", "10: unknown field \"oss\"; did you mean \"os\"?" },
		{ "_exists_:\"o", "10: this quote is never closed" },
	};

	EACH(examples);
}

static void
nested_tests_are_of_one_service(void)
{
	static const struct example examples[] = {
		{ "services:(port:22 product:openssh)",
		    "services:(port:22 AND product:\"openssh\")" },
		{ "services.port:22 services.product:openssh",
		    "services.port:22 AND services.product:\"openssh\"" },
		{ "host.services:(services.port:22 OR title:x)",
		    "services:(port:22 OR http.title:\"x\")" },
		{ "services:(tags:(a OR b) -cpe:*)",
		    "services:((tags:\"a\" OR tags:\"b\") AND NOT _exists_:cpe)" },
		{ "services:(*)", "services:(*)" },
		{ "-services:(port:22)", "NOT services:(port:22)" },
		{ "services:(port:22) country:GB", "services:(port:22) AND country_code:\"gb\"" },
		{ "services:(country:GB)", "11: \"country\" is not a field of services; "
					   "test it outside services:( )" },
		{ "services:(services:(port:22))",
		    "11: services cannot stand here; write services:( ... ) outside "
		    "other services:( )" },
		{ "services:(prt:22)", "11: unknown field \"prt\"; did you mean \"ptr\"?" },
		{ "services:22", "1: services takes tests in brackets, as in services:(port:...)" },
		{ "services=(port:22)",
		    "1: services takes tests in brackets, as in services:(port:...)" },
		{ "services:(port:22", "10: this ( is never closed" },
		{ "services:()", "11: a test is expected before this )" },
	};

	EACH(examples);
}

static void
faults_have_character_positions(void)
{
	static const struct example examples[] = {
		{ "contry_code:GB",
		    "1: unknown field \"contry_code\"; did you mean \"country_code\"?" },
		{ "\"\xc3\xa9\xf0\x9f\x98\x80\" asn:abc", "10: asn takes an integer, not \"abc\"" },
		{ "asn:1 AND", "10: the query ends where a test is expected" },
		{ "asn:1 OR", "9: the query ends where a test is expected" },
		{ "-", "2: the query ends where a test is expected" },
		{ "NOT", "4: the query ends where a test is expected" },
		{ "AND asn:1", "1: AND and OR need a test on both sides; quote the word "
			       "to search for it" },
		{ "asn:1 AND OR asn:1", "11: AND and OR need a test on both sides; quote "
					"the word to search for it" },
		{ "asn:(1 OR OR 2)", "11: AND and OR need a test on both sides; quote "
				     "the word to search for it" },
		{ "asn:1)", "6: this ) was never opened" },
		{ ")", "1: a test is expected before this )" },
		{ "((asn:1)", "1: this ( is never closed" },
		{ "\"abc", "1: this quote is never closed" },
		{ "x \"abc\\", "7: the query ends with a backslash; write \\\\ for one" },
		{ "abc\\", "4: the query ends with a backslash; write \\\\ for one" },
		{ "\"a\\d\"", "3: unknown escape; write \\\\ for a backslash" },
		{ "a\\W", "2: unknown escape; write \\\\ for a backslash" },
		{ "a\x01", "2: the query holds a control character here" },
		{ "a\x7f", "2: the query holds a control character here" },
		{ "\xc3\xa9\xff", "2: the query is not valid UTF-8 here" },
	};

	EACH(examples);
	CU_ASSERT_TRUE(str_is(outcome(STR("a\0b")), "2: the query holds a control character here"));
}

static void
user_text_in_messages_is_harmless(void) /* C-062 */
{
	static const struct example examples[] = {
		{ "asn:\"<b>&x\"", "5: asn takes an integer, not \"?b??x\"" },
		{ "asn:\"a\\\"\\n\xc2\x85\xe2\x80\x8d\xe2\x80\xa8\xee\x80\x80\xcd\xb8\"",
		    "5: asn takes an integer, not \"a???????\"" },
	};
	struct buf b = { .a = arena };
	struct str got;

	EACH(examples);
	buf_z(&b, "asn:");
	for (unsigned i = 0; i < 2000; i++)
		buf_z(&b, "\xf0\x9f\x98\x80");
	got = outcome(buf_done(&b));
	CU_ASSERT_TRUE(str_ends(got, STR("\xf0\x9f\x98\x80...\"")));
	CU_ASSERT_EQUAL(str_chars(got), strlen("5: asn takes an integer, not \"\"") + 64);
}

static struct str
repeated(const char *before, const char *item, unsigned n, const char *after)
{
	struct buf b = { .a = arena };

	buf_z(&b, before);
	while (n-- > 0)
		buf_z(&b, item);
	buf_z(&b, after);
	return buf_done(&b);
}

static bool
passes(struct str text)
{
	struct query_fault fault;
	struct query q;

	return parse(text, &q, &fault);
}

static bool
fails(struct str text, const char *what)
{
	struct query_fault fault;
	struct query q;

	return !parse(text, &q, &fault) && str_starts(fault.message, str_of(what));
}

static void
warning_is(struct str text, unsigned at, const char *expected)
{
	struct query_fault fault;
	struct query q;

	CU_ASSERT_TRUE(parse(text, &q, &fault));
	CU_ASSERT_EQUAL(q.nwarnings, expected[0] == '\0' ? 0 : 1);
	if (q.nwarnings == 0)
		return;
	CU_ASSERT_EQUAL(q.warnings[0].at, at);
	CU_ASSERT_TRUE(str_is(q.warnings[0].message, expected));
}

static void
values_that_nothing_has_are_warned_of(void) /* C-418 */
{
	struct query_fault fault;
	struct query q;

	warning_is(STR("country:de"), 0, "");
	warning_is(STR("country:{DE,xk} OR country!=FR"), 0, "");
	warning_is(STR("country:G*y"), 0, "");
	warning_is(STR("country:*"), 0, "");
	warning_is(STR("city:Germany"), 0, "");
	warning_is(STR("\"\xc3\xa9\" country:\"united STATES\""), 13,
	    "country_code has two-letter codes and never \"united STATES\"; did you mean "
	    "US?");
	warning_is(STR("country:(DE OR Frence)"), 16,
	    "country_code has two-letter codes and never \"Frence\"; did you mean FR?");
	warning_is(STR("country=1<"), 9,
	    "country_code has two-letter codes of ISO 3166-1 and never \"1?\"");
	warning_is(STR("country!=de"), 10,
	    "country_code has upper-case codes and = compares the case; write "
	    "country_code:de");
	warning_is(STR("services:(transport:UDP)"), 0, "");
	warning_is(STR("services:(transport:icmp)"), 21,
	    "services.transport is one of tcp, udp, sctp and never \"icmp\"");
	warning_is(STR("port:(22 OR https)"), 13,
	    "services.port has numbers such as 443 and never \"https\"");
	CU_ASSERT_TRUE(fails(STR("port:>=https"), "services.port takes an integer"));
	CU_ASSERT_FALSE(
	    query_parse(arena, DATASET_ASSET_SERVICES, STR("port:https"), ts_now(), &q, &fault));
	CU_ASSERT_TRUE(parse(STR("country:{aaa,bbb,ccc,ddd,eee,fff,ggg,hhh,iii}"), &q, &fault));
	CU_ASSERT_EQUAL(q.nwarnings, QUERY_WARNINGS);
}

/* tbl/vocabularies.h has the types of tbl/indicator_types.h, and no other. */
static void
types_of_indicators_are_one_list(void)
{
	static const char *const types[] = {
#define INDICATOR_TYPE(name, form, digits, of) name,
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
	};
	static const char *const fields[] = { "indicators.type", "indicator_types" };
	struct query_fault fault;
	struct query q;

	for (size_t f = 0; f < COUNT(fields); f++) {
		struct buf expected = { .a = arena };

		buf_printf(&expected, "%s is one of ", fields[f]);
		for (size_t i = 0; i < COUNT(types); i++) {
			buf_printf(&expected, "%s%s", i > 0 ? ", " : "", types[i]);
			CU_ASSERT_TRUE(query_parse(arena, DATASET_REPORTS,
			    arena_printf(arena, "%s:%s", fields[f], types[i]), now, &q, &fault));
			CU_ASSERT_EQUAL(q.nwarnings, 0);
		}
		buf_z(&expected, " and never \"mutex\"");
		CU_ASSERT_TRUE(query_parse(arena, DATASET_REPORTS,
		    arena_printf(arena, "%s:mutex", fields[f]), now, &q, &fault));
		CU_ASSERT_EQUAL_FATAL(q.nwarnings, 1);
		CU_ASSERT_TRUE(str_eq(q.warnings[0].message, buf_done(&expected)));
	}
}

static void
limits_hold_at_their_edge(void) /* C-038 */
{
	static const char deep[] = "the query is nested deeper than 32";
	static const char many[] = "the query has more than 256 tests";
	static const char set[] = "a set or list has at most 256";

	CU_ASSERT_TRUE(passes(repeated("x", " ", LIM_QUERY - 1, "")));
	CU_ASSERT_TRUE(fails(repeated("x", " ", LIM_QUERY, ""), "the query is longer than 8192"));
	CU_ASSERT_TRUE(passes(repeated("", "(", 32, repeated("x", ")", 32, "").p)));
	CU_ASSERT_TRUE(fails(repeated("", "(", 33, "x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "(", 8000, ""), deep));
	CU_ASSERT_TRUE(passes(repeated("", "!", 32, "x")));
	CU_ASSERT_TRUE(fails(repeated("", "!", 33, "x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "-", 33, "x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "+", 33, "x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "NOT ", 33, "x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "(x)"), deep));
	CU_ASSERT_TRUE(passes(repeated("", "!", 31, "(x)")));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "os!=x"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "os:{a,bc*}"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "last_seen:{2026-01-01,now}"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "services:*"), deep));
	CU_ASSERT_TRUE(fails(repeated("", "!", 32, "services:(x)"), deep));
	CU_ASSERT_TRUE(fails(repeated("port:", "(", 33, "1"), deep));
	CU_ASSERT_TRUE(passes(repeated("", "asn:1 ", 256, "")));
	CU_ASSERT_TRUE(fails(repeated("", "asn:1 ", 256, "x"), many));
	CU_ASSERT_TRUE(passes(repeated("", "x ", 256, "")));
	CU_ASSERT_TRUE(fails(repeated("", "x ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "* ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "os:* ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "os:x ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "os=x ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "os:ab* ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "os:{ab*,c} ", 129, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "asn>1 ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "asn:[1 TO 2] ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "last_seen:now ", 257, ""), many));
	CU_ASSERT_TRUE(fails(repeated("", "services:* ", 257, ""), many));
	CU_ASSERT_TRUE(passes(repeated("port:{1", ",1", 255, "}")));
	CU_ASSERT_TRUE(fails(repeated("port:{1", ",1", 256, "}"), set));
	CU_ASSERT_TRUE(passes(repeated("port:1", ",1", 255, "")));
	CU_ASSERT_TRUE(fails(repeated("port:1", ",1", 256, ""), set));
	arena_reset(arena);
}

static void
nodes_know_their_place(void)
{
	struct query_fault fault;
	struct query q;

	CU_ASSERT_TRUE_FATAL(parse(STR("\"\xc3\xa9\" OR -port:22,80"), &q, &fault));
	CU_ASSERT_EQUAL(q.root->type, NODE_OR);
	CU_ASSERT_EQUAL(q.root->nkids, 4);
	CU_ASSERT_EQUAL(q.root->kids[3]->type, NODE_NOT);
	CU_ASSERT_EQUAL(q.root->kids[3]->kids[0]->at, 14);
	CU_ASSERT_EQUAL(q.root->kids[3]->kids[0]->nvalues, 2);
	CU_ASSERT_EQUAL(q.root->kids[3]->kids[0]->values[1].i, 80);
	CU_ASSERT_TRUE(str_is(q.text, "\"\xc3\xa9\" OR -port:22,80"));
	arena_reset(arena);
}

/* ---- canonical texts, on random queries ---- */

static uint32_t
dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33) % sides;
}

static void
random_test(struct buf *b, uint64_t *seed, bool nested)
{
	static const char *const host[] = {
		"10.0.0.0/8",
		"fd00::1",
		"country:GB,us",
		"asn:AS1,2",
		"hostnames:*.example.com",
		"last_seen>=now-7d",
		"last_seen:2026-01-02",
		"-os:*",
		"*",
		"ip:[1.1.1.1 TO *}",
		"services:*",
		"first_seen:{2026-01-02,now}",
		"ptr!=Example.com",
		"org=\"A \\\" b\"",
	};
	static const char *const either[] = {
		"word",
		"ngin*",
		"\"two words\"",
		"port:22,80",
		"port:{1 TO 9]",
		"port:(1 OR NOT 2)",
		"product:{a,b,cd*,ef?}",
		"product!=X",
		"services.tls_enabled:no",
		"title:\"Log in\"",
		"title=Login",
		"_exists_:services.banner",
		"services.version:a\\ \\(?b",
		"server:\"\"",
		"services.http.status_code<500",
		"services.tls.certificate.not_after:<now",
	};

	if (!nested && dice(seed, 2) == 0)
		buf_z(b, host[dice(seed, COUNT(host))]);
	else
		buf_z(b, either[dice(seed, COUNT(either))]);
}

static void
random_query(struct buf *b, uint64_t *seed, unsigned depth, bool nested)
{
	static const char *const joints[] = { " ", " AND ", " OR ", " or not ", " -", " +" };
	unsigned n = 1 + dice(seed, 3);

	for (unsigned i = 0; i < n; i++) {
		unsigned kind = depth == 0 ? 3 : dice(seed, 5);

		if (i > 0)
			buf_z(b, joints[dice(seed, COUNT(joints))]);
		if (kind > 2) {
			random_test(b, seed, nested);
			continue;
		}
		buf_z(b, kind == 0 && !nested ? "services:(" : kind == 1 ? "NOT (" : "(");
		random_query(b, seed, depth - 1, nested || kind == 0);
		buf_char(b, ')');
	}
}

static bool
same_value(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		return str_eq(a->s, b->s);
	case VALUE_IP:
		return memcmp(&a->ip, &b->ip, sizeof(a->ip)) == 0;
	case VALUE_INTEGER:
		return a->i == b->i;
	case VALUE_NUMBER:
		return a->n == b->n;
	case VALUE_BOOLEAN:
		return a->b == b->b;
	case VALUE_DATE:
		return ts_cmp(a->ts, b->ts) == 0;
	}
	return false;
}

static bool
same_bound(const struct bound *a, const struct bound *b)
{
	return a->set == b->set && a->inclusive == b->inclusive &&
	       (!a->set || same_value(&a->v, &b->v));
}

static bool
same_tree(const struct node *a, const struct node *b)
{
	if (a->type != b->type || a->field != b->field || a->nkids != b->nkids ||
	    a->nvalues != b->nvalues || !same_bound(&a->lo, &b->lo) || !same_bound(&a->hi, &b->hi))
		return false;
	for (size_t i = 0; i < a->nvalues; i++)
		if (!same_value(&a->values[i], &b->values[i]))
			return false;
	for (size_t i = 0; i < a->nkids; i++)
		if (!same_tree(a->kids[i], b->kids[i]))
			return false;
	return true;
}

/* The form of the tree, on which engines rely (search/query.h). */
static bool
is_normal(const struct node *n, bool nested)
{
	bool joins = n->type == NODE_AND || n->type == NODE_OR;

	if ((joins && n->nkids < 2) || (n->type == NODE_NOT && n->kids[0]->type == NODE_NOT) ||
	    (n->field != NULL && nested && !n->field->nested) || (n->type == NODE_NESTED && nested))
		return false;
	for (size_t i = 0; i < n->nkids; i++)
		if ((joins && n->kids[i]->type == n->type) ||
		    !is_normal(n->kids[i], nested || n->type == NODE_NESTED))
			return false;
	return true;
}

static void
canonical_text_gives_the_same_tree(void)
{
	uint64_t seed = 2;

	for (unsigned i = 0; i < 5000; i++) {
		struct buf text = { .a = arena }, canonical = { .a = arena };
		struct query_fault fault;
		struct query q, again;

		random_query(&text, &seed, 4, false);
		if (parse(buf_done(&text), &q, &fault)) {
			query_print(&canonical, &q);
			if (!is_normal(q.root, false) ||
			    (canonical.n <= LIM_QUERY &&
				(!parse(buf_done(&canonical), &again, &fault) ||
				    !same_tree(q.root, again.root)))) {
				CU_FAIL("the canonical text means something else");
				printf("# %.*s\n# %.*s\n# %.*s\n", (int)text.n, text.p,
				    (int)canonical.n, canonical.p, (int)fault.message.n,
				    fault.message.p);
			}
		} else if (text.n <= LIM_QUERY && !str_starts(fault.message, STR("the query "))) {
			CU_FAIL("a query of the grammar was refused");
			printf("# %.*s\n# %.*s\n", (int)text.n, text.p, (int)fault.message.n,
			    fault.message.p);
		}
		arena_reset(arena);
	}
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "an empty query and * match all hosts (C-039)", all_is_all },
		{ "operators bind with the right precedence", operators_bind_as_they_should },
		{ "addresses are recognised before fields", addresses_come_before_fields },
		{ "bare words search text fields", bare_words_search_text },
		{ "keywords, text and names are distinguished", keywords_and_text_and_names },
		{ "integer fields take integers only", integers_are_integers },
		{ "ranges have two ends", ranges_have_ends },
		{ "dates cover their whole day", dates_cover_their_day },
		{ "booleans have three spellings", booleans_have_three_spellings },
		{ "existence has two spellings", existence_has_two_spellings },
		{ "nested tests apply to one service", nested_tests_are_of_one_service },
		{ "faults have character positions", faults_have_character_positions },
		{ "user text in messages is harmless (C-062)", user_text_in_messages_is_harmless },
		{ "values that no host has cause a warning (C-418)",
		    values_that_nothing_has_are_warned_of },
		{ "the types of indicators are one list (C-418)",
		    types_of_indicators_are_one_list },
		{ "limits of queries hold at their edges (C-038)", limits_hold_at_their_edge },
		{ "nodes of the tree have their positions", nodes_know_their_place },
		{ "canonical text gives the same tree", canonical_text_gives_the_same_tree },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new((size_t)64 << 20);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
