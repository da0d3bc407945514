/* SPDX-License-Identifier: ISC */
/* Rows: decodes PostgreSQL's binary format into structs by field table. The binary format does
 * not depend on DateStyle or the session's time zone and needs no parsing.
 *
 * A column that does not fit its field is a fault of our SQL, found by the tests: panic. Nothing
 * is converted for convenience, not even int4 from text, because a statement that happens to
 * work would fail with the next value. NULL becomes the empty value of the field's type
 * (store_null). */
#include "config.h"

#include "db/db_priv.h"

#include <arpa/inet.h>
#include <sys/socket.h>

/* Types of the server's catalogue; their numbers never change. */
enum type_oid {
	OID_BOOL = 16,
	OID_BYTEA = 17,
	OID_NAME = 19,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_JSON = 114,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_INET = 869,
	OID_BPCHAR = 1042,
	OID_VARCHAR = 1043,
	OID_TIMESTAMPTZ = 1184,
	OID_UUID = 2950,
	OID_JSONB = 3802,
	OID_XID8 = 5069,
	OID_OURS = 16384, /* the first type that is not built in: our enums, sent as their text */
};

/* Microseconds from 1970 to PostgreSQL's 2000-01-01. */
static const int64_t PG_EPOCH_US = INT64_C(946684800) * 1000000;

struct value {
	struct arena *a;
	const char *where; /* statement, for the panic */
	unsigned type;
	const unsigned char *p;
	size_t n;
};

_Noreturn static void
misfit(const struct value *v, const char *wanted)
{
	panic("%s: a column of type %u is read as %s", v->where, v->type, wanted);
}

static uint64_t
big_endian(const unsigned char *p, size_t n)
{
	uint64_t u = 0;

	for (size_t i = 0; i < n; i++)
		u = u << 8 | p[i];
	return u;
}

static int64_t
read_int(const struct value *v)
{
	if (v->type == OID_INT8 && v->n == 8)
		return (int64_t)big_endian(v->p, 8);
	if (v->type == OID_XID8 && v->n == 8)
		return (int64_t)big_endian(v->p, 8);
	if (v->type == OID_INT4 && v->n == 4)
		return (int32_t)big_endian(v->p, 4);
	if (v->type == OID_INT2 && v->n == 2)
		return (int16_t)big_endian(v->p, 2);
	misfit(v, "an integer");
}

static double
read_num(const struct value *v)
{
	uint64_t wide;
	uint32_t narrow;
	double d;
	float f;

	if (v->type == OID_FLOAT8 && v->n == 8) {
		wide = big_endian(v->p, 8);
		memcpy(&d, &wide, sizeof(d));
		return d;
	}
	if (v->type == OID_FLOAT4 && v->n == 4) {
		narrow = (uint32_t)big_endian(v->p, 4);
		memcpy(&f, &narrow, sizeof(f));
		return (double)f;
	}
	misfit(v, "a number");
}

/* Layout: family (2: IPv4, 3: IPv6), prefix length, "is a cidr", length, address. */
static struct str
read_inet(const struct value *v)
{
	char text[INET6_ADDRSTRLEN];
	int family = v->n > 0 && v->p[0] == 2 ? AF_INET : AF_INET6;
	size_t want = family == AF_INET ? 4 : 16;

	if (v->n != want + 4 || inet_ntop(family, v->p + 4, text, sizeof(text)) == NULL)
		misfit(v, "an address");
	if (v->p[1] == want * 8)
		return arena_str(v->a, str_of(text));
	return arena_printf(v->a, "%s/%u", text, v->p[1]);
}

static struct str
read_str(const struct value *v)
{
	switch (v->type) {
	case OID_TEXT:
	case OID_VARCHAR:
	case OID_BPCHAR:
	case OID_NAME:
	case OID_JSON:
	case OID_BYTEA:
		return (struct str){ (const char *)v->p, v->n };
	case OID_JSONB: /* begins with a version byte */
		if (v->n < 1 || v->p[0] != 1)
			misfit(v, "jsonb version 1");
		return (struct str){ (const char *)v->p + 1, v->n - 1 };
	case OID_INET:
		return read_inet(v);
	}
	if (v->type < OID_OURS)
		misfit(v, "text");
	return (struct str){ (const char *)v->p, v->n };
}

static struct uuid
read_uuid(const struct value *v)
{
	struct uuid u;

	if (v->type != OID_UUID || v->n != sizeof(u.b))
		misfit(v, "a UUID");
	memcpy(u.b, v->p, sizeof(u.b));
	return u;
}

/* infinity and -infinity are read as TS_NULL. */
static struct ts
read_ts(const struct value *v)
{
	int64_t us;

	if (v->type != OID_TIMESTAMPTZ || v->n != 8)
		misfit(v, "a timestamp");
	us = (int64_t)big_endian(v->p, 8);
	if (us == INT64_MAX || us == INT64_MIN)
		return TS_NULL;
	return (struct ts){ us + PG_EPOCH_US };
}

static bool
read_bool(const struct value *v)
{
	if (v->type != OID_BOOL || v->n != 1)
		misfit(v, "a boolean");
	return v->p[0] != 0;
}

static void
store_scalar(const struct value *v, enum field_type type, void *to)
{
	switch (type) {
	case FIELD_STR:
		*(struct str *)to = read_str(v);
		return;
	case FIELD_UUID:
		*(struct uuid *)to = read_uuid(v);
		return;
	case FIELD_TS:
		*(struct ts *)to = read_ts(v);
		return;
	case FIELD_INT:
		*(int64_t *)to = read_int(v);
		return;
	case FIELD_NUM:
		*(double *)to = read_num(v);
		return;
	case FIELD_BOOL:
		*(bool *)to = read_bool(v);
		return;
	case FIELD_RAW:
		((struct json *)to)->text = read_str(v);
		return;
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		break;
	}
	misfit(v, "a scalar");
}

/* Stores SQL NULL. Integers, numbers and booleans have no null value and become 0. */
static void
store_null(const struct field *f, void *to)
{
	static const size_t sizes[] = {
		[FIELD_STR] = sizeof(struct str),
		[FIELD_UUID] = sizeof(struct uuid),
		[FIELD_TS] = sizeof(struct ts),
		[FIELD_INT] = sizeof(int64_t),
		[FIELD_NUM] = sizeof(double),
		[FIELD_BOOL] = sizeof(bool),
		[FIELD_RAW] = sizeof(struct json),
		[FIELD_LIST] = sizeof(struct list),
		[FIELD_NONE] = 0,
	};

	if (sizes[f->type] == 0)
		panic("a NULL column for a field of type %d", (int)f->type);
	memset(to, 0, sizes[f->type]);
	if (f->type == FIELD_TS)
		*(struct ts *)to = TS_NULL;
}

/* Layout of an array: dimensions, has-nulls, element type; length and lower bound of the one
   dimension; then the elements, each preceded by its length. */
static void
store_list(const struct value *v, const struct field *f, struct list *to)
{
	struct value item = { .a = v->a, .where = v->where };
	const unsigned char *p = v->p, *end = v->p + v->n;

	*to = (struct list){ NULL, 0 };
	if (f->sub != NULL || v->n < 12 || big_endian(p, 4) > 1)
		misfit(v, "a list of scalars");
	if (big_endian(p, 4) == 0)
		return;
	item.type = (unsigned)big_endian(p + 8, 4);
	to->n = v->n < 20 ? 0 : (size_t)big_endian(p + 12, 4);
	to->items = arena_array(v->a, to->n, f->size);
	p += 20;
	for (size_t i = 0; i < to->n; i++) {
		if (end - p < 4)
			misfit(v, "a list");
		item.n = (size_t)big_endian(p, 4);
		item.p = p + 4;
		if (item.n > (size_t)(end - item.p)) /* a NULL element has the length -1 */
			misfit(v, "a list without NULLs");
		store_scalar(&item, f->item, (char *)to->items + i * f->size);
		p = item.p + item.n;
	}
}

struct place {
	struct arena *a;
	const PGresult *res;
	const struct stmt *st;
	int row, column;
};

static void
read_column(struct place *c, const struct field *f, void *to)
{
	struct value v = { .a = c->a, .where = c->st->name };

	if (c->column >= PQnfields(c->res))
		panic("%s: there is no column for %s", c->st->name, f->name);
	v.type = PQftype(c->res, c->column);
	v.p = (const unsigned char *)PQgetvalue(c->res, c->row, c->column);
	v.n = (size_t)PQgetlength(c->res, c->row, c->column);
	if (PQgetisnull(c->res, c->row, c->column))
		store_null(f, to);
	else if (f->type == FIELD_LIST)
		store_list(&v, f, to);
	else
		store_scalar(&v, f->type, to);
	c->column++;
}

/* Reads the columns of a row into the fields of a struct, by position. An object takes its
 * columns from the same row, so the table of a nested struct and the list of columns have the
 * same order:
 *
 *   fields    uuid | name | place { country, city } | seen
 *   columns   uuid   name   country   city            seen
 *
 * The names of the outer fields are compared with the names of the columns, so that two columns
 * of the same type cannot change places unnoticed. Columns of an object may have other names,
 * since two objects in a row may have the same members. */
static void
read_fields(struct place *c, const struct field *fields, void *out)
{
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		void *to = (char *)out + f->offset;

		if (f->type == FIELD_OBJECT) {
			read_fields(c, f->sub, to);
			continue;
		}
		if (fields == c->st->out && c->column < PQnfields(c->res) &&
		    strcmp(PQfname(c->res, c->column), f->name) != 0)
			panic("%s: column %s stands where %s belongs", c->st->name,
			    PQfname(c->res, c->column), f->name);
		read_column(c, f, to);
	}
}

void
db_row(struct arena *a, const PGresult *res, int row, const struct stmt *st, void *out)
{
	struct place c = { .a = a, .res = res, .st = st, .row = row };

	if (st->out == NULL)
		panic("%s returns rows and has no field table", st->name);
	read_fields(&c, st->out, out);
	if (c.column != PQnfields(res))
		panic("%s: %d columns for %d fields", st->name, PQnfields(res), c.column);
}
