/* SPDX-License-Identifier: ISC */
/* What can be searched, and a query as a tree of typed tests. Knows no HTTP and no engine. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "base/base.h"

/* ---- the schema: tbl/datasets.h and tbl/fields.h ---- */

enum dataset {
#define DATASET(id, name, unit) DATASET_##id,
#include "tbl/datasets.h"
#undef DATASET
	DATASETS, /* those that are searched */
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
	const char *relative; /* the name without that prefix */
	unsigned index;       /* its place among the dataset's fields, from 0 */
};

const char *schema_dataset_name(enum dataset d);
enum dataset schema_of_source(struct str source); /* of a rule: one of alert_sources */
const char *schema_count_unit(enum dataset d);    /* "" when it cannot be counted */
/* All of a dataset, in table order. */
size_t schema_fields(enum dataset d, const struct schema_field **first);
/* Exact name, no aliases (C-036); NULL when there is none. */
const struct schema_field *schema_find(enum dataset d, struct str name);
/* Name or alias in any ASCII case, as queries use them. */
const struct schema_field *schema_resolve(enum dataset d, struct str name);
/* The known name nearest to a mistaken one, for hints; NULL when nothing is near. */
const char *schema_nearest(enum dataset d, struct str name);
/* "string", "integer", "number" or "boolean": SPEC 2.2 value_type. */
const char *schema_json_type(enum value_type t);
/* alias, name, alias, name ...; returns the number of pairs. */
size_t schema_aliases(enum dataset d, const char *const **pairs);
/* The dataset's nested object ("services" on hosts), or NULL. */
const char *schema_nested(enum dataset d);
/* Whether a name of a query means that object ("services", "host.services"). */
bool schema_is_nested(enum dataset d, struct str name);
/* A member of the nested object by its relative name, its full name or an alias; NULL otherwise. */
const struct schema_field *schema_member(enum dataset d, struct str name);
/* Conventions of names: a country code has upper case and comma lists, an asn may be "AS15169". */
bool schema_is_country(const struct schema_field *f);
bool schema_is_asn(const struct schema_field *f);

/* ---- values ---- */

/* IPv4 addresses stand as ::ffff:a.b.c.d, so that all addresses sort in one order: IPv4 first among
   themselves by value. bits: prefix length of the 128; 128 for one address. */
struct ipnet {
	unsigned char a[16];
	uint8_t bits;
};

/* Address or CIDR, strictly written; host bits are cleared. */
bool ipnet_parse(struct str s, struct ipnet *out) MUST_USE;
#define IPNET_LEN 49
/* "1.2.3.4", "2001:db8::/32" */
size_t ipnet_print(const struct ipnet *net, char out[IPNET_LEN + 1]);
/* Whether the network holds the address; no IPv4 address is in an IPv6 network (::/0). */
bool ipnet_contains(const struct ipnet *net, const unsigned char a[16]);
/* The order of addresses: every IPv4 before every IPv6, each by value. */
int ip_cmp(const unsigned char a[16], const unsigned char b[16]);

/* Strings: DNS is lower case without the trailing dot; all are folded by text_fold in MATCH and
   WILDCARD, as typed in EXACT (but DNS). */
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

/* Two values of one type by its order; strings by bytes, false before true. */
int value_cmp(const struct value *a, const struct value *b);

/* ---- the query: CONTRACT A9 ---- */

/* MATCH, ":": any of values, as the type compares: keywords without case, text by all its tokens,
   DNS self or subdomain, IP containment. Never on dates: a date is a RANGE, since a day has many
   instants.
   EXACT, "=": any of values to the letter (text: the whole value); on KEYWORD, TEXT and DNS alone,
   other types have MATCH.
   WILDCARD: pattern values, * any characters, ? one, no escapes, without case; on KEYWORD and DNS
   against the whole value, on TEXT against each token.
   RANGE: lo and hi, at least one set; on INTEGER, NUMBER, DATE and IP (by ip_cmp). */
enum node_type {
	NODE_ALL,    /* every document */
	NODE_AND,    /* kids, 2 or more, none of them AND */
	NODE_OR,     /* kids, 2 or more, none of them OR */
	NODE_NOT,    /* kids[0], which is no NOT */
	NODE_NESTED, /* kids[0], with nested fields only, tested on one service at a time */
	NODE_EXISTS, /* field has a value */
	NODE_MATCH,
	NODE_EXACT,
	NODE_WILDCARD,
	NODE_RANGE,
};

struct bound {
	bool set, inclusive;
	struct value v;
};

/* Inside NODE_NESTED fields are still the full "services." fields. Outside it, a test of a nested
   field asks whether any service of the host passes. NOT of such a test: none passes. */
struct node {
	enum node_type type;
	uint32_t at; /* 1-based character position in the query text */
	struct node **kids;
	size_t nkids;
	const struct schema_field *field; /* leaves */
	bool
	    bare; /* the query names no field: this one was chosen with all other texts */
	struct value *values; /* MATCH, EXACT, WILDCARD: at least one, any of them */
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
	struct str text; /* as sent */
	const struct node *root;
	/* Tests that no document can pass: the first ones, in the order of the text (C-418). */
	struct query_warning warnings[QUERY_WARNINGS];
	size_t nwarnings;
};

struct query_fault {
	uint32_t at;        /* 1-based character position */
	struct str message; /* 1 to 400 characters, with the hint; never HTML or SQL */
};

/* now: what now-7d counts from. On false *fault says where and why (C-059: pure, bounded). */
bool query_parse(struct arena *a, enum dataset d, struct str text, struct ts now,
    struct query *out, struct query_fault *fault) MUST_USE;

/* ---- one record against a query: what an alert rule asks (tbl/conditions.h) ---- */

struct json_value;

/* record: an object whose members are named as the dataset's fields. Null and absent members have no value, a
   list has those of its items; what is not of the field's type is none. scratch is reset, many times. */
bool query_matches(struct arena *scratch, const struct query *q,
    const struct json_value *record) MUST_USE;
/* Whether the query asks for the field anywhere. */
bool query_asks(const struct query *q, const char *field) MUST_USE;

/* ---- text: shared by the parser, the index builder and tests ---- */

/* Unicode case folding, one character to one; s itself when nothing changes, else in the arena.
   Bytes that are no UTF-8 stay as they are. Folding twice is folding once. */
struct str text_fold(struct arena *a, struct str s);
/* Calls fn with each folded token (runs of letters, digits and marks; '_' separates), in order.
   Tokens live as long as s and the arena. */
void text_tokens(
    struct arena *a, struct str s, void (*fn)(void *arg, struct str token), void *arg);

/* A whole text against a pattern: * any characters, ? one. */
bool text_glob(struct str pattern, struct str s) MUST_USE;

#endif
