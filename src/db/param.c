/* SPDX-License-Identifier: ISC */
/* Parameters: converts C values to libpq's arrays. The server infers the SQL types from the
 * statement, so every value but bytes is sent as text, and lists are array literals that
 * statements cast ($1::text[]::uuid[]).
 *
 * A text without bytes, a UUID of zeros and TS_NULL are SQL NULL; integers and numbers have no
 * such value. PostgreSQL cannot store U+0000: a text with it makes db_values return false, and
 * the call is answered with DB_CONFLICT before anything is sent. */
#include "config.h"

#include "db/db_priv.h"

#include <inttypes.h>

struct db_param
db_param_str(struct str v)
{
	return (struct db_param){ .type = v.p == NULL ? PARAM_NULL : PARAM_STR, .str = v };
}

struct db_param
db_param_uuid(struct uuid v)
{
	static const struct uuid none;

	return (struct db_param){ .type = uuid_cmp(&v, &none) == 0 ? PARAM_NULL : PARAM_UUID,
		.uuid = v };
}

struct db_param
db_param_ts(struct ts v)
{
	return (struct db_param){ .type = ts_is_null(v) ? PARAM_NULL : PARAM_TS, .ts = v };
}

struct db_param
db_param_int(int64_t v)
{
	return (struct db_param){ .type = PARAM_INT, .i = v };
}

struct db_param
db_param_num(double v)
{
	return (struct db_param){ .type = PARAM_NUM, .n = v };
}

struct db_param
db_param_bool(bool v)
{
	return (struct db_param){ .type = PARAM_BOOL, .b = v };
}

struct db_param
db_param_bytes(struct bytes v)
{
	return (struct db_param){ .type = v.p == NULL ? PARAM_NULL : PARAM_BYTES, .bytes = v };
}

struct db_param
db_param_strs(struct strs v)
{
	return (struct db_param){ .type = PARAM_STRS, .strs = v };
}

struct str
db_bytea(struct arena *a, struct str bytes)
{
	char *text = arena_alloc(a, 2 * bytes.n + 3);

	memcpy(text, "\\x", 2);
	hex_print(text + 2, (const unsigned char *)bytes.p, bytes.n);
	return (struct str){ text, 2 * bytes.n + 2 };
}

static bool
has_nul(struct str s)
{
	return s.n > 0 && memchr(s.p, '\0', s.n) != NULL;
}

/* Writes an array literal. Every element is quoted, so none can be read as NULL or as a brace.
   Returns NULL when an element contains a NUL byte. */
static const char *
array_text(struct arena *a, struct strs v)
{
	struct buf b = { .a = a };

	buf_char(&b, '{');
	for (size_t i = 0; i < v.n; i++) {
		if (has_nul(v.p[i]))
			return NULL;
		buf_z(&b, i > 0 ? ",\"" : "\"");
		for (size_t k = 0; k < v.p[i].n; k++) {
			if (v.p[i].p[k] == '"' || v.p[i].p[k] == '\\')
				buf_char(&b, '\\');
			buf_char(&b, v.p[i].p[k]);
		}
		buf_char(&b, '"');
	}
	buf_add(&b, "}", 2); /* with a terminating NUL */
	return buf_done(&b).p;
}

static const char *
ts_text(struct arena *a, struct ts t)
{
	char *text = arena_alloc(a, TS_LEN + 1);

	ts_print(t, text);
	return text;
}

/* The text form of a parameter other than PARAM_NULL and PARAM_BYTES; NULL when PostgreSQL cannot
   store it. */
static const char *
value_text(struct arena *a, const struct db_param *p)
{
	switch (p->type) {
	case PARAM_STR:
		return has_nul(p->str) ? NULL : arena_str(a, p->str).p;
	case PARAM_UUID:
		return arena_uuid(a, &p->uuid).p;
	case PARAM_TS:
		return ts_text(a, p->ts);
	case PARAM_INT:
		return arena_printf(a, "%" PRId64, p->i).p;
	case PARAM_NUM:
		return arena_printf(a, "%.17g", p->n).p;
	case PARAM_BOOL:
		return p->b ? "t" : "f";
	case PARAM_STRS:
		return array_text(a, p->strs);
	case PARAM_NULL:
	case PARAM_BYTES:
		break;
	}
	panic("parameter type %d", (int)p->type);
}

bool
db_values(struct arena *a, struct db_args args, struct db_values *out)
{
	out->values = ARENA_ARRAY(a, args.n, const char *);
	out->lengths = ARENA_ARRAY(a, args.n, int);
	out->formats = ARENA_ARRAY(a, args.n, int);
	for (size_t i = 0; i < args.n; i++) {
		const struct db_param *p = &args.p[i];

		if (p->type == PARAM_NULL)
			continue;
		if (p->type == PARAM_BYTES) {
			out->values[i] =
			    arena_str(a, (struct str){ (const char *)p->bytes.p, p->bytes.n }).p;
			out->lengths[i] = (int)p->bytes.n;
			out->formats[i] = 1;
			continue;
		}
		out->values[i] = value_text(a, p);
		if (out->values[i] == NULL)
			return false;
	}
	return true;
}

struct strs
db_uuid_texts(struct arena *a, const struct list *uuids)
{
	const struct uuid *one = uuids->items;
	struct str *out = ARENA_ARRAY(a, uuids->n + 1, struct str);

	for (size_t i = 0; i < uuids->n; i++)
		out[i] = arena_uuid(a, &one[i]);
	return (struct strs){ out, uuids->n };
}
