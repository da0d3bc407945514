/* SPDX-License-Identifier: ISC */
/* JSON in and out. Only this directory uses json-c.
 *
 * A record is a C struct and a field table: one row for each member, with its JSON name and type,
 * its offset in the struct, its bounds and its flags. The same rows serve four purposes, so that a
 * member cannot be accepted, stored, shown and documented in four different ways:
 *
 *                        const struct field silence_out[] = {
 *                             FIELD(struct silence, uuid, 0),
 *                             TEXT(struct silence, reason, TRIM, 1, 500),
 *                             ...
 *                             FIELD_END };
 *                                     |
 *        +--------------------+-------+------------+----------------------+
 *        |                    |                    |                      |
 *   json_decode          db_one, db_list      json_write            json_describe, json_example
 *   body -> struct       columns -> struct    struct -> JSON        table -> JSON Schema, example
 *   (decode.c)           (db/row.c)           (write.c)             (describe.c, example.c)
 *
 * A table says what is allowed, never what a member means: a rule between two members is code of
 * its operation.
 *
 * The life of a request body:
 *
 *   bytes
 *     |   scan.c checks that they are exactly one RFC 8259 value (UTF-8, depth, duplicate names,
 *     |   lone surrogates) and records the span, offset and length, of each value. A fault is
 *     v   JSON_INVALID with a byte offset.
 *   bytes and spans
 *     |   json-c builds a tree. Only its structure and strings are used: for a number or a raw
 *     |   value the decoder reads the bytes of the span, because json-c saturates integers and
 *     v   reformats values that it prints.
 *   tree
 *     |   decode.c walks the table and the tree together and collects every fault of the body with
 *     |   the path of its member ("items[0].limit"), in the order of the table, then the unknown
 *     v   members in the order of the body: JSON_FIELDS.
 *   struct, whose texts and lists are in the arena of the request
 *
 * Why two parsers: scan.c must run before json-c, because parsers disagree about duplicate names,
 * \u0000 and bad UTF-8, and a check that reads a body differently from its user is no check.
 * Duplicate names cost a client's body little: up to 16 members are compared in pairs, more are
 * sorted by heapsort, which has no slow case and needs no memory. The check takes at most 24 bytes
 * of the arena for each byte.
 *
 * json-c would end a name at \u0000, so json_decode gives it a copy with other bytes there. In a
 * body, such a name is an unknown member and such a text has an invalid format, since PostgreSQL
 * cannot store it; json_scan and json_parse refuse such a name. For documents that this service has
 * written itself (search documents, jsonb), json_parse needs no json-c: the scan builds the tree in
 * the arena, over a copy of the text, with strings unescaped in place and numbers as their exact
 * text.
 *
 * Decoding. An integer is exact: 25.0 and 2.5e1 are 25 and 9007199254740993 is itself; 2.5 has an
 * invalid type, and a number beyond int64_t is out of range. At most 64 faults are reported,
 * without any value of the client; a path may name an unknown member. After JSON_FIELDS only the
 * texts may be read; a bad one is unset. After JSON_OK the struct contains, for a member that is
 *
 *                       STR, UUID,  INT, BOOL  NUM  TS                        OBJECT
 *                       RAW, LIST
 *   not sent            unset       the row's  0    unset; with DEFAULT_NOW   each member as
 *                                   default         the start of the request  if not sent
 *   null, and NULLABLE  unset       the row's  0    unset                     each member as
 *                                   default                                   if not sent
 *
 * "Unset" is a property of the value, not a flag beside it: a text without pointer, the zero UUID,
 * TS_NULL, a list without items pointer. The writer leaves such a member out (OMIT_UNSET), or
 * writes null (NULLABLE), or else "", [] or {}, and null for a type without an empty value.
 * int64_t, double and bool are never unset; where one of them may be null in an answer, the member
 * is a struct json and its row is OPTIONAL. */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/base.h"

/* ---- the check before any parser (C-024 to C-030): no I/O, memory only from the arena ---- */

struct json_fault {
	size_t at;        /* byte offset */
	const char *what; /* "duplicate key" ...: a constant without any of the input */
};

/* True when text is exactly one RFC 8259 value in UTF-8 without a BOM: no duplicate keys at any
   depth (compared after unescaping), no lone surrogates, no \u0000 in keys, at most depth levels of
   brackets. Needs no memory for a usual text, and at worst 24 bytes of the arena for each byte. */
bool json_scan(struct arena *a, struct str text, unsigned depth, struct json_fault *fault) MUST_USE;

/* ---- field tables ---- */

enum field_type {
	FIELD_STR,    /* struct str */
	FIELD_UUID,   /* struct uuid; all zero is null */
	FIELD_TS,     /* struct ts; TS_NULL is null */
	FIELD_INT,    /* int64_t */
	FIELD_NUM,    /* double */
	FIELD_BOOL,   /* bool */
	FIELD_RAW,    /* struct json: any JSON value, kept as text */
	FIELD_LIST,   /* struct list: objects with the table .sub, or scalars of type .item */
	FIELD_OBJECT, /* an embedded struct with the table .sub */
	FIELD_NONE,   /* end of a table */
};

/* Constant JSON as a C string, without escapes: JSON({ "type": "null" }). */
#define JSON(...) #__VA_ARGS__

/* A JSON value as valid text; without pointer, JSON null. */
struct json {
	struct str text;
};

struct list {
	void *items; /* an array of .size-byte elements, in the arena */
	size_t n;
};

enum field_flags {
	REQUIRED = 1 << 0,
	NULLABLE = 1 << 1,    /* null may be sent, and is written for an unset member */
	TRIM = 1 << 2,        /* decode: str_trim, before the bounds are checked */
	LOWER = 1 << 3,       /* decode: ASCII lower case, after TRIM */
	DEFAULT_NOW = 1 << 4, /* decode: an absent timestamp is the request's start */
	OMIT_UNSET = 1 << 5,  /* write: leave an unset member out */
	BYTES_TOO = 1 << 6,   /* decode: hi limits the bytes, too, before TRIM */
	PROSE = 1 << 7,       /* decode: str_prose (base/char.h) */
	/* decode: no item of a LIST repeats another one, after TRIM and LOWER; objects are compared
	   by the first row of their table */
	DISTINCT = 1 << 8,
};

struct field {
	const char *name;
	enum field_type type;
	unsigned flags;
	size_t offset;
	int64_t lo, hi; /* bounds of characters, value or items; both 0: none */
	int64_t def;    /* value of an absent FIELD_INT or FIELD_BOOL */
	/* LIST and OBJECT: table of the objects. RAW: the table that describes the text, for the
	   schema, and for the example when the item is OBJECT or LIST. */
	const struct field *sub;
	size_t size; /* LIST: bytes of one element */
	/* LIST of scalars: their type (sub == NULL). RAW: see OPTIONAL; a RAW with bounds and
	   without item is a scalar of any type, and the bounds are those of its texts. */
	enum field_type item;
	const char *const *values; /* STR and LIST of STR: allowed texts, up to a NULL */
	const char *pattern;       /* STR: for OpenAPI only; may be NULL */
	const char *help;          /* for OpenAPI; may be NULL */
};

/* The JSON type follows from the C type of the member, so a row with a wrong member does not
   compile. */
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

#define FIELD(s, m, fl)                                                                            \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl), .offset = offsetof(s, m)      \
	}
#define TEXT(s, m, fl, min, max)                                                                   \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl), .offset = offsetof(s, m),     \
		.lo = (min), .hi = (max)                                                           \
	}
/* A text that must be one of list, which NULL ends. */
#define ONE_OF(s, m, fl, list, about)                                                              \
	{                                                                                          \
		.name = #m, .type = FIELD_STR, .flags = (fl), .offset = offsetof(s, m),            \
		.values = (list), .help = (about)                                                  \
	}
#define NUMBER(s, m, fl, min, max, deflt)                                                          \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl), .offset = offsetof(s, m),     \
		.lo = (min), .hi = (max), .def = (deflt)                                           \
	}
/* A boolean with a default. */
#define SWITCH(s, m, fl, deflt)                                                                    \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl), .offset = offsetof(s, m),     \
		.def = (deflt)                                                                     \
	}
/* A value of an answer that may be null, which int64_t, double and bool cannot represent: JSON text
   from PostgreSQL. kind is FIELD_INT, FIELD_NUM, FIELD_BOOL or FIELD_OBJECT, for the schema. */
#define OPTIONAL(s, m, kind, fl, min, max)                                                         \
	{                                                                                          \
		.name = #m, .type = FIELD_RAW, .flags = (fl), .offset = offsetof(s, m),            \
		.lo = (min), .hi = (max), .item = (kind)                                           \
	}
/* A list of objects of C type t, each described by the table fields. */
#define LIST(s, m, fl, t, fields, min, max)                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_LIST, .flags = (fl), .offset = offsetof(s, m),           \
		.lo = (min), .hi = (max), .sub = (fields), .size = sizeof(t)                       \
	}
/* A list of scalars of C type t. */
#define LIST_OF(s, m, fl, t, min, max)                                                             \
	{                                                                                          \
		.name = #m, .type = FIELD_LIST, .flags = (fl), .offset = offsetof(s, m),           \
		.lo = (min), .hi = (max), .size = sizeof(t), .item = ITEM_TYPE(t)                  \
	}
#define OBJECT(s, m, fl, fields)                                                                   \
	{                                                                                          \
		.name = #m, .type = FIELD_OBJECT, .flags = (fl), .offset = offsetof(s, m),         \
		.sub = (fields)                                                                    \
	}
#define FIELD_END                                                                                  \
	{                                                                                          \
		.type = FIELD_NONE                                                                 \
	}
/* Ends a table whose schema has a name in openapi.json, which generated clients use as the name of
   the type. */
#define FIELD_END_OF(schema)                                                                       \
	{                                                                                          \
		.type = FIELD_NONE, .name = (schema)                                               \
	}

/* ---- decode: all faults of a body in one answer (C-098) ---- */

struct field_error {
	struct str code;    /* required, invalid_type, out_of_range, ... */
	struct str field;   /* "viewport.width", "items[0].limit"; "": the body itself */
	struct str message; /* contains no value that the client sent */
};

enum json_rc {
	JSON_OK,
	JSON_INVALID, /* no valid JSON: fault is set */
	JSON_FIELDS,  /* valid JSON that does not fit the table: errors is set */
	JSON_REFUSED, /* valid JSON that json-c refuses, a fault of this program, which is logged:
			 fault is set */
};

struct decoded {
	struct json_fault fault;
	/* In the order of the table, then unknown members. */
	struct field_error *errors;
	size_t nerrors;
};

/* Returns the message "must be one of a, b, c". */
struct str json_one_of(struct arena *a, const char *const *values);
/* Scans text (to the depth LIM_JSON_DEPTH) and decodes it into *out, a struct with the table fields
   that the caller has zeroed. Texts and lists are in the arena. Unknown members and null (unless
   NULLABLE) are errors (C-028, C-029). A name that contains \u0000 is valid JSON and therefore an
   unknown member here, although json_scan refuses it, because PostgreSQL cannot store it. The note
   above describes *out. */
enum json_rc json_decode(struct arena *a, struct str text, const struct field *fields,
    struct ts now, void *out, struct decoded *how) MUST_USE;

/* ---- write ---- */

/* Writes an object. An unset member (no pointer, zero UUID, TS_NULL, or an OBJECT with only unset
   members) is left out with OMIT_UNSET; otherwise it is null with NULLABLE; otherwise it is "" or
   [] or {} if its type has an empty value, and null if not. */
void json_write(struct buf *b, const struct field *fields, const void *in);
/* Adds the members of another record to the object with which the buffer ends. Both have a
   member. */
void json_write_more(struct buf *b, const struct field *fields, const void *in);
void json_write_str(struct buf *b, struct str s); /* quoted, escaped */
void json_write_int(struct buf *b, int64_t n);
void json_write_num(struct buf *b, double n); /* finite; the shortest text that strtod reads as n */

/* For objects that no table describes. Each writes the comma that its place needs: none at the
   beginning of the buffer, of an object or of a list, and none behind a colon. */
void json_begin(struct buf *b, char bracket);
void json_member(struct buf *b, const char *name); /* "name": */
void json_member_begin(struct buf *b, const char *name, char bracket);
void json_member_str(struct buf *b, const char *name, const char *text);
void json_member_int(struct buf *b, const char *name, int64_t n);
void json_member_bool(struct buf *b, const char *name, bool yes);
/* A member whose value is null (STR_NULL, TS_NULL) is left out. json: its text. */
void json_member_text(struct buf *b, const char *name, struct str text);
void json_member_time(struct buf *b, const char *name, struct ts at);
void json_member_json(struct buf *b, const char *name, struct str json);
void json_item_str(struct buf *b, const char *text);
/* A list of texts up to a NULL. */
void json_member_strs(struct buf *b, const char *name, const char *const *texts);
void json_member_texts(struct buf *b, const char *name, struct strs texts);

#endif
