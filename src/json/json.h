/* SPDX-License-Identifier: ISC */
/* JSON in and out. A record is a field table: the same rows decode a body, read a database row,
   write a response and describe themselves as JSON Schema. Only this directory uses json-c. */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/base.h"

/* ---- one bounded pass before any parser (C-024 to C-030): no I/O, no allocation but the arena ---- */

struct json_fault {
	size_t at;        /* byte offset */
	const char *what; /* "duplicate key" ...: a constant, safe to show */
};

/* True when text is exactly one RFC 8259 value in UTF-8 without a BOM: no duplicate keys at any
   depth (compared after unescaping), no lone surrogates, no \u0000 in keys, at most depth levels of
   brackets. Usually takes nothing of the arena, at worst 24 bytes for each byte of text. */
bool json_scan(
    struct arena *a, struct str text, unsigned depth, struct json_fault *fault) MUST_USE;

/* ---- field tables ---- */

enum field_type {
	FIELD_STR,  /* struct str */
	FIELD_UUID, /* struct uuid; all zero is null */
	FIELD_TS,   /* struct ts; TS_NULL is null */
	FIELD_INT,  /* int64_t */
	FIELD_NUM,  /* double */
	FIELD_BOOL, /* bool */
	FIELD_RAW,  /* struct json: any JSON text, passed through */
	FIELD_LIST, /* struct list of items described by .sub (or of scalars: see .item) */
	FIELD_OBJECT, /* an embedded struct described by .sub */
	FIELD_NONE,   /* end of a table */
};

/* JSON text that is already valid; a null p is JSON null. */
struct json {
	struct str text;
};

struct list {
	void *items; /* an array of .size-byte elements, in the arena */
	size_t n;
};

enum field_flags {
	REQUIRED = 1 << 0,
	NULLABLE = 1 << 1,    /* null may be sent, and is written when unset */
	TRIM = 1 << 2,        /* str_trim before the bounds are checked */
	LOWER = 1 << 3,       /* ASCII lower case after trimming */
	DEFAULT_NOW = 1 << 4, /* an absent timestamp is the request's start */
	OMIT_UNSET = 1 << 5,  /* writing: leave the member out when it is null */
	BYTES_TOO = 1 << 6,   /* hi bounds bytes and characters, both before TRIM */
};

struct field {
	const char *name;
	enum field_type type;
	unsigned flags;
	size_t offset;
	int64_t lo, hi; /* characters, value, or items; lo == hi == 0: unbounded */
	int64_t def;    /* FIELD_INT and FIELD_BOOL when absent */
	const struct field *sub; /* of a RAW: the name of its documents' schema alone */
	size_t size;             /* LIST: of one element */
	enum field_type
	    item; /* LIST of scalars: their type (sub == NULL); RAW: see OPTIONAL; a RAW
		      with bounds alone is a scalar, whose texts they bound */
	const char *const *values; /* of a STR or its LIST: up to a NULL; NULL for any */
	const char *pattern;       /* of a STR, for OpenAPI alone; may be NULL */
	const char *help;          /* for OpenAPI; may be NULL */
};

/* The JSON type follows from the member's C type: a wrong member does not compile. */
/* clang-format off */
#define FIELD_TYPE(s, m)                                                                 \
	_Generic(((s *)0)->m, struct str: FIELD_STR, struct uuid: FIELD_UUID,            \
	    struct ts: FIELD_TS, int64_t: FIELD_INT, double: FIELD_NUM, bool: FIELD_BOOL, \
	    struct json: FIELD_RAW)
#define ITEM_TYPE(t)                                                                     \
	_Generic(*(t *)0, struct str: FIELD_STR, struct uuid: FIELD_UUID,                \
	    struct ts: FIELD_TS, int64_t: FIELD_INT, double: FIELD_NUM, bool: FIELD_BOOL, \
	    struct json: FIELD_RAW)
/* clang-format on */

#define FIELD(s, m, fl)                                                                  \
	{                                                                                \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl),                     \
		.offset = offsetof(s, m)                                                 \
	}
#define TEXT(s, m, fl, min, max)                                                         \
	{                                                                                \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl),                     \
		.offset = offsetof(s, m), .lo = (min), .hi = (max)                       \
	}
/* list: the values it may have; NULL ends it. */
#define ONE_OF(s, m, fl, list, about)                                                    \
	{                                                                                \
		.name = #m, .type = FIELD_STR, .flags = (fl), .offset = offsetof(s, m),  \
		.values = (list), .help = (about)                                        \
	}
#define NUMBER(s, m, fl, min, max, deflt)                                                \
	{                                                                                \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl),                     \
		.offset = offsetof(s, m), .lo = (min), .hi = (max), .def = (deflt)       \
	}
/* A switch that has a default. */
#define SWITCH(s, m, fl, deflt)                                                          \
	{                                                                                \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl),                     \
		.offset = offsetof(s, m), .def = (deflt)                                 \
	}
/* For answers: JSON that PostgreSQL writes of a value that may be null, which no int64_t, double or bool
   can say; kind is FIELD_INT, FIELD_NUM, FIELD_BOOL or FIELD_OBJECT. */
#define OPTIONAL(s, m, kind, fl, min, max)                                               \
	{                                                                                \
		.name = #m, .type = FIELD_RAW, .flags = (fl), .offset = offsetof(s, m),  \
		.lo = (min), .hi = (max), .item = (kind)                                 \
	}
/* A list of objects of C type t, each described by the table fields. */
#define LIST(s, m, fl, t, fields, min, max)                                              \
	{                                                                                \
		.name = #m, .type = FIELD_LIST, .flags = (fl), .offset = offsetof(s, m), \
		.lo = (min), .hi = (max), .sub = (fields), .size = sizeof(t)             \
	}
/* A list of scalars of C type t. */
#define LIST_OF(s, m, fl, t, min, max)                                                   \
	{                                                                                \
		.name = #m, .type = FIELD_LIST, .flags = (fl), .offset = offsetof(s, m), \
		.lo = (min), .hi = (max), .size = sizeof(t), .item = ITEM_TYPE(t)        \
	}
#define OBJECT(s, m, fl, fields)                                                         \
	{                                                                                \
		.name = #m, .type = FIELD_OBJECT, .flags = (fl),                         \
		.offset = offsetof(s, m), .sub = (fields)                                \
	}
#define FIELD_END                                                                        \
	{                                                                                \
		.type = FIELD_NONE                                                       \
	}
/* Ends a table whose JSON Schema has a name of its own in openapi.json: the type that generated clients have
   for the record. */
#define FIELD_END_OF(schema)                                                             \
	{                                                                                \
		.type = FIELD_NONE, .name = (schema)                                     \
	}

/* ---- decoding: all faults of a body in one answer (C-098) ---- */

struct field_error {
	const char *code;   /* one of CONTRACT A8: required, invalid_type, ... */
	struct str field;   /* "viewport.width", "items[0].limit"; "": the body itself */
	struct str message; /* never repeats what was sent */
};

enum json_rc {
	JSON_OK,
	JSON_INVALID, /* no valid JSON: fault is set */
	JSON_FIELDS,  /* valid JSON, wrong content: errors is set */
};

struct decoded {
	struct json_fault fault;
	const struct field_error *errors; /* in the table's order, unknown members last */
	size_t nerrors;
};

/* "must be one of a, b, c". */
struct str json_one_of(struct arena *a, const char *const *values);
/* Scans (depth: LIM_JSON_DEPTH) and decodes text into *out (zeroed by the caller), a struct described
   by fields. Strings and lists live as long as the arena's contents. Unknown members and null (unless
   NULLABLE) are errors (C-028, C-029); a name that contains \u0000 is valid JSON and an unknown member,
   which json_scan refuses because PostgreSQL cannot store it; at most 64 errors are reported. Members that were not sent: INT
   is def, TS is TS_NULL, those of an absent OBJECT likewise, everything else stays zero. After
   JSON_FIELDS texts that are faulty are absent in *out, and nothing else of it is to be used. */
enum json_rc json_decode(struct arena *a, struct str text, const struct field *fields,
    struct ts now, void *out, struct decoded *how) MUST_USE;

/* ---- writing ---- */

/* An object. Unset (a null p or items, the zero uuid, TS_NULL; an OBJECT all of whose members are) is
   left out with OMIT_UNSET, else null with NULLABLE, else "" or [] or {} where the type has that. */
void json_write(struct buf *b, const struct field *fields, const void *in);
void json_write_str(struct buf *b, struct str s); /* quoted, escaped */
void json_write_int(struct buf *b, int64_t n);
void json_write_num(
    struct buf *b, double n); /* shortest that reads back the same; finite */

/* ---- JSON Schema (2020-12, as OpenAPI 3.1 uses it) of a table ---- */

/* A document that collects the schemas of tables with a name. */
struct json_names {
	/* Writes a reference to the schema of the table. */
	void (*refer)(void *arg, struct buf *b, const struct field *table);
	/* Writes an example of a document that no table describes member by member: a RAW with .sub. */
	void (*sample)(void *arg, struct buf *b, const struct field *table);
	void *arg;
};

/* The name that ends the table; NULL: it has none. */
const char *json_table_name(const struct field *fields);
/* closed: additionalProperties false. names NULL: every schema stands where it is used. */
void json_describe(struct buf *b, const struct field *fields, bool closed,
    const struct json_names *names);
/* An example of the table's records: each member by its row in tbl/examples.h, or by its type. */
/* The row of tbl/examples.h for a member, or NULL. */
const char *json_example_of(const char *schema, const char *member);
void json_example(
    struct buf *b, const struct field *fields, const struct json_names *names);

/* ---- reading documents of our own, which json_scan has passed or PostgreSQL wrote ---- */

/* A parsed value: valid until the arena is reset, text may go before. NULL never comes back for an
   existing value: JSON null has type JSON_NULL. An accessor of another type answers nothing: "", false,
   0, NULL. Takes the text once and 32 bytes of arena for each value (up to 160 where thousands stand in
   one container). */
struct json_value;

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_value *json_parse(
    struct arena *a, struct str text); /* NULL when json_scan refuses it */
/* The same for a client's body, in which names may contain \u0000 (see json_decode). */
struct json_value *json_parse_body(struct arena *a, struct str text);
enum json_type json_type(const struct json_value *v);
struct str json_text(const struct json_value *v); /* JSON_STRING: unescaped */
bool json_int(
    const struct json_value *v, int64_t *out) MUST_USE; /* from the lexeme; 25.0 is 25 */
double json_num(const struct json_value *v); /* infinite when no double can hold it */
bool json_bool(const struct json_value *v);
size_t json_length(const struct json_value *v); /* of items or members */
struct json_value *json_at(const struct json_value *v, size_t i);
struct json_value *json_get(
    const struct json_value *v, const char *name); /* OBJECT: NULL if absent */
/* OBJECT: calls fn for each member in order until it returns false. */
void json_each(const struct json_value *v,
    bool (*fn)(void *arg, struct str name, struct json_value *member), void *arg);

#endif
