/* SPDX-License-Identifier: ISC */
/* The schema of the searchable datasets, and the query language. This part knows neither HTTP nor engines.
 *
 * The life of a query:
 *
 *   "os:linux -services:(port:22 product:ssh)"                 the text of a request or of an alert rule
 *        |  query_parse: lexer, grammar, fields, values        query_priv.h
 *        v
 *   AND                                                        struct query: a tree of typed tests, with
 *    +- MATCH os "linux"                                       the position of each in the text, and
 *    +- NOT                                                    warnings about tests that nothing can pass
 *        +- NESTED
 *            +- AND
 *                +- MATCH services.port 22
 *                +- MATCH services.product "ssh"
 *        |                                 |
 *        v  search/engine.h                v  query_matches
 *   hosts of the index                one record in memory, for alert rules
 *
 * Every value has the type of its field when the tree exists: a name has become a struct schema_field, a date such as
 * now-7d a time, a network its bits. So an engine has no errors of users to report. The parser is a pure function with
 * bounded work, and its limits (LIM_QUERY_...) bound the size and the depth of the tree.
 *
 * Both evaluations have to agree, so they share text_fold, text_tokens, text_glob and value_cmp below. A test compares
 * the index with a naive evaluation of random queries (t/unit/index_naive.c). */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "base/base.h"

/* ---- the schema: tbl/datasets.h and tbl/fields.h ---- */

enum dataset {
#define DATASET(id, name, unit) DATASET_##id,
#include "tbl/datasets.h"
#undef DATASET
	DATASETS, /* the number of searchable datasets; those of alert conditions follow */
#define CONDITIONS(id, name) DATASET_##id,
#include "tbl/conditions.h"
#undef CONDITIONS
	DATASETS_AND_CONDITIONS,
};

enum value_type {
	VALUE_KEYWORD,
	VALUE_TEXT,
	VALUE_DNS,
	VALUE_IP,
	VALUE_INTEGER,
	VALUE_NUMBER,
	VALUE_BOOLEAN,
	VALUE_DATE,
};

struct schema_field {
	enum dataset dataset;
	const char *name;
	enum value_type type;
	bool aggregatable;
	bool nested;          /* a member of "services." */
	const char *relative; /* the name without "services." */
	unsigned index;       /* the place among the fields of the dataset, from 0 */
};

const char *schema_dataset_name(enum dataset d);
/* The dataset of a source of alert rules, "finding" or "service". */
enum dataset schema_of_source(struct str source);
/* The unit of counts; "" for a dataset without counts. */
const char *schema_count_unit(enum dataset d);
/* All fields of a dataset, in the order of the table. */
size_t schema_fields(enum dataset d, const struct schema_field **first);
/* Finds a field by its exact name, without aliases (C-036); NULL when there is none. */
const struct schema_field *schema_find(enum dataset d, struct str name);
/* Finds a field by its name or alias in any ASCII case, as queries do. */
const struct schema_field *schema_resolve(enum dataset d, struct str name);
/* The known name most similar to an unknown one, for hints; NULL when no name is similar. */
const char *schema_nearest(enum dataset d, struct str name);
/* "string", "integer", "number" or "boolean": SPEC 2.2 value_type. */
const char *schema_json_type(enum value_type t);
/* alias, name, alias, name ...; returns the number of pairs. */
size_t schema_aliases(enum dataset d, const char *const **pairs);
/* The dataset's nested object ("services" on hosts), or NULL. */
const char *schema_nested(enum dataset d);
/* Whether a name in a query means the nested object ("services", "host.services"). */
bool schema_is_nested(enum dataset d, struct str name);
/* Finds a member of the nested object by its relative name, its full name or an alias; NULL when there is none. */
const struct schema_field *schema_member(enum dataset d, struct str name);
/* Fields with a special syntax of values: lists of country codes with commas, and asn with the prefix "AS". */
bool schema_is_country(const struct schema_field *f);
bool schema_is_asn(const struct schema_field *f);

/* ---- values ---- */

/* An address or a network of either family. An IPv4 address is stored as ::ffff:a.b.c.d. bits: the length of the prefix
   of these 128 bits; 128 for one address. */
struct ipnet {
	unsigned char a[16];
	uint8_t bits;
};

/* Parses an address or a CIDR in strict notation. Host bits are cleared. */
bool ipnet_parse(struct str s, struct ipnet *out) MUST_USE;
#define IPNET_LEN 49
/* Prints "1.2.3.4" or "2001:db8::/32"; returns the length. */
size_t ipnet_print(const struct ipnet *net, char out[IPNET_LEN + 1]);
/* Whether the network contains the address. An IPv6 network such as ::/0 contains no IPv4 address. */
bool ipnet_contains(const struct ipnet *net, const unsigned char a[16]);
/* Compares addresses: every IPv4 address is before every IPv6 address, and each family is ordered by value. */
int ip_cmp(const unsigned char a[16], const unsigned char b[16]);

/* A typed value. Strings in MATCH and WILDCARD are folded by text_fold; strings in EXACT are as the user typed them. A
   DNS name is always in lower case and without the trailing dot. */
struct value {
	enum value_type type;
	union {
		struct str s;    /* KEYWORD, TEXT, DNS */
		int64_t i;       /* INTEGER */
		double n;        /* NUMBER */
		bool b;          /* BOOLEAN */
		struct ts ts;    /* DATE */
		struct ipnet ip; /* IP */
	};
};

/* Compares two values of the same type; strings by bytes, false before true. */
int value_cmp(const struct value *a, const struct value *b);

/* ---- the query: CONTRACT A9 ---- */

/* MATCH (":") passes when a value matches one of `values`. The type decides how: a keyword matches in any case, a text
   when it has all tokens, a DNS name also as a subdomain, an address when the network contains it. A date is never
   a MATCH but a RANGE, because a day is many instants.
   EXACT ("=") passes when a value equals one of `values` exactly. It occurs on KEYWORD, TEXT (the whole value) and DNS;
   other types use MATCH.
   WILDCARD passes when a value matches one of the patterns: * any characters, ? one character, no escapes, any case. On
   KEYWORD and DNS the pattern covers the whole value, on TEXT one token.
   RANGE passes when a value is between lo and hi, at least one of which is set. It occurs on INTEGER, NUMBER, DATE and
   IP (by ip_cmp). */
enum node_type {
	NODE_ALL,    /* every document */
	NODE_AND,    /* two or more kids, none of them AND */
	NODE_OR,     /* two or more kids, none of them OR */
	NODE_NOT,    /* kids[0], which is not NOT */
	NODE_NESTED, /* kids[0], which tests fields of one service */
	NODE_EXISTS, /* the field has a value */
	NODE_MATCH,
	NODE_EXACT,
	NODE_WILDCARD,
	NODE_RANGE,
};

struct bound {
	bool set, inclusive;
	struct value v;
};

/* A test of a nested field outside of NODE_NESTED passes when any service of the host passes; NOT of it passes when no
   service does. Inside of NODE_NESTED all tests are about the same service. */
struct node {
	enum node_type type;
	uint32_t at; /* 1-based character position in the query text */
	struct node **kids;
	size_t nkids;
	const struct schema_field *field; /* of a test */
	bool bare;                        /* the user named no field: every text field is tested */
	struct value *values;             /* MATCH, EXACT, WILDCARD: at least one */
	size_t nvalues;
	struct bound lo, hi; /* RANGE */
};

struct query_warning {
	uint32_t at;        /* 1-based character position */
	struct str message; /* with the hint; never HTML or SQL */
};

enum { QUERY_WARNINGS = 8 };

struct query {
	enum dataset dataset;
	struct str text; /* as the client sent it */
	const struct node *root;
	/* The first tests that no document can pass, in the order of the text (C-418). */
	struct query_warning warnings[QUERY_WARNINGS];
	size_t nwarnings;
};

struct query_fault {
	uint32_t at;        /* 1-based character position */
	struct str message; /* 1 to 400 characters, with the hint; never HTML or SQL */
};

/* now: the time that "now" means in the text. When this returns false, *fault has the position and the reason. The
   function is pure and its work is bounded (C-059). */
bool query_parse(struct arena *a, enum dataset d, struct str text, struct ts now, struct query *out,
    struct query_fault *fault) MUST_USE;

/* ---- a query on one record: conditions of alert rules (tbl/conditions.h) ---- */

struct json_value;

/* record: an object whose members have the names of the dataset's fields. A member that is null, absent or of another type
   than its field has no value; a list has the values of its items. scratch is reset repeatedly. */
bool query_matches(
    struct arena *scratch, const struct query *q, const struct json_value *record) MUST_USE;
/* Whether any test of the query is on the field. */
bool query_asks(const struct query *q, const char *field) MUST_USE;

/* ---- text: for the parser, the index and tests ---- */

/* Folds the case of a text, one character to one. Returns s itself when nothing changes, otherwise a copy in the arena.
   Bytes that are not UTF-8 are unchanged. Folding is idempotent. */
struct str text_fold(struct arena *a, struct str s);
/* Calls fn with each folded token, in order. A token is a run of letters, digits and marks; '_' is a separator. Tokens
   live as long as s and the arena. */
void text_tokens(struct arena *a, struct str s, void (*fn)(void *arg, struct str token), void *arg);

/* Whether the whole text matches a pattern: * any characters, ? one character. */
bool text_glob(struct str pattern, struct str s) MUST_USE;

#endif
