/* SPDX-License-Identifier: ISC */
/* Typed parameters of statements. P(value) selects the type of the parameter by the C type of the
 * value at compile time, so no caller prints a number or a UUID into text by itself, and a value of
 * an unknown type does not compile. */
#ifndef DB_PARAM_H
#define DB_PARAM_H

#include "base/base.h"
#include "json/json.h"

enum param_type {
	PARAM_NULL,
	PARAM_STR,
	PARAM_UUID,
	PARAM_TS,
	PARAM_INT,
	PARAM_NUM,
	PARAM_BOOL,
	PARAM_BYTES,
	PARAM_STRS
};

struct bytes {
	const unsigned char *p;
	size_t n;
};

struct db_param {
	enum param_type type;
	union {
		struct str str;
		struct uuid uuid;
		struct ts ts;
		int64_t i;
		double n;
		bool b;
		struct bytes bytes;
		struct strs strs;
	};
};

struct db_param db_param_str(struct str v); /* p == NULL: SQL NULL; so for TS_NULL */
struct db_param db_param_uuid(struct uuid v);
struct db_param db_param_ts(struct ts v);
struct db_param db_param_int(int64_t v);
struct db_param db_param_num(double v);
struct db_param db_param_bool(bool v);
struct db_param db_param_bytes(struct bytes v);
struct db_param db_param_strs(struct strs v);

/* A text as an item of a list that the statement casts to bytea[]: "\x0a0b". */
struct str db_bytea(struct arena *a, struct str bytes);

/* A list of UUIDs as a parameter that the statement casts: $1::text[]::uuid[]. */
struct strs db_uuid_texts(struct arena *a, const struct list *uuids);

/* The parameter's type follows from the expression's C type. */
#define P(v)                                                                                       \
	_Generic((v), struct str                                                                   \
		 : db_param_str, struct uuid                                                       \
		 : db_param_uuid, struct ts                                                        \
		 : db_param_ts, int                                                                \
		 : db_param_int, int64_t                                                           \
		 : db_param_int, double                                                            \
		 : db_param_num, bool                                                              \
		 : db_param_bool, struct bytes                                                     \
		 : db_param_bytes, struct strs                                                     \
		 : db_param_strs)(v)

struct db_args {
	const struct db_param *p;
	size_t n;
};

#define DB_ARGS(...)                                                                               \
	((struct db_args){ (const struct db_param[]){ __VA_ARGS__ },                               \
	    sizeof((const struct db_param[]){ __VA_ARGS__ }) / sizeof(struct db_param) })
#define DB_NO_ARGS ((struct db_args){ NULL, 0 })

#endif
