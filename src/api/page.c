/* SPDX-License-Identifier: ISC */
/* Lists: pages of records, newest first, then by uuid (C-701 to C-704).

     created_at desc, uuid     12:03 a | 12:02 b | 12:02 c | 12:01 d | ...
     limit 2                   page 1: a, b    cursor = (12:02, b)
                               page 2: c, d    "at or before 12:02, and if at 12:02 then behind b"

   The cursor is a position and not a number of rows, so records that appear at the top move no
   page, and the database reads each page from an index. PAGE_SQL has the condition twice in
   different forms: the first is a range that the index can use, the second removes the records of
   the same time that were shown before.

   The number of rows behind a page is never counted: a page selects one row more than it holds. A
   cursor is bound to its key, operation, path and filters; limit may change from page to page. */
#include "config.h"

#include "api/api.h"

enum { FILTERS_MAX = 12 };

/* The payload of a cursor: the position of the last record of a page. The text of its kind is
   behind it where the order of the list has one. */
struct position {
	int64_t us;
	struct uuid uuid;
};

static void
add_sized_bytes(struct buf *b, const void *p, size_t n)
{
	buf_printf(b, "%zu:", n);
	if (n > 0)
		buf_add(b, p, n);
}

static void
add_filter(struct buf *b, const struct field *f, const char *at)
{
	const struct str *s = (const void *)at;

	if (f->type == FIELD_STR)
		add_sized_bytes(b, s->p, s->n);
	else if (f->type == FIELD_UUID)
		add_sized_bytes(b, at, sizeof(struct uuid));
	else
		add_sized_bytes(b, at, sizeof(int64_t));
}

/* Returns the key, operation, path and filters to which cursors of this request are bound. Each
   value has its length before it, so that no two sets of filters are the same bytes: "ab" and "c"
   differ from "a" and "bc". limit and cursor are left out, because both differ from page to page.
   The filters are those after decoding and defaults; a handler that has several spellings of one
   filter brings them into one before (list_asset_services in service.c). */
static struct cursor_for
cursor_binding(const struct req *rq)
{
	struct buf b = { .a = rq->arena };

	for (size_t i = 0; i < rq->ncaptured; i++)
		add_sized_bytes(&b, rq->path[i].b, sizeof(rq->path[i].b));
	for (const struct url_param *p = rq->route->params; p->field.type != FIELD_NONE; p++)
		if (strcmp(p->field.name, "limit") != 0 && strcmp(p->field.name, "cursor") != 0)
			add_filter(&b, &p->field, (const char *)rq->params + p->field.offset);
	return (struct cursor_for){ .key = rq->key->uuid,
		.operation = str_of(rq->route->operation),
		.filters = buf_done(&b) };
}

int
page_begin(struct req *rq, const struct page_args *args, struct page_from *out)
{
	struct cursor_for bound = cursor_binding(rq);
	struct str payload;
	struct position m;

	*out = (struct page_from){ .at = TS_NULL, .want = args->limit + 1 };
	if (args->cursor.p == NULL)
		return PASS;
	if (!cursor_open(rq->arena, &rq->worker->secret, &bound, args->cursor, &payload) ||
	    payload.n < sizeof(m))
		return fail(rq,
		    rq->area == AREA_SEARCH ? ERR_INVALID_SEARCH_CURSOR : ERR_INVALID_PAGINATION);
	memcpy(&m, payload.p, sizeof(m));
	out->at = (struct ts){ m.us };
	out->after = m.uuid;
	out->kind = (struct str){ payload.p + sizeof(m), payload.n - sizeof(m) };
	return PASS;
}

static struct db_param
filter_param(const struct field *f, const char *at)
{
	switch (f->type) {
	case FIELD_STR:
		return P(*(const struct str *)(const void *)at);
	case FIELD_UUID:
		return P(*(const struct uuid *)(const void *)at);
	case FIELD_INT:
		return P(*(const int64_t *)(const void *)at);
	case FIELD_NUM:
	case FIELD_BOOL:
	case FIELD_TS:
	case FIELD_RAW:
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_NONE:
		break;
	}
	panic("filter %s has type %d", f->name,
	    (int)f->type); /* UNCOVERED: no URL parameter has another type */
}

/* The handler of most lists needs no code of its own, because the order of parameters is fixed:

     $1            the project of the path, or the key where the path has no project
     $2, $3, $4    the position and the number of rows (PAGE_P)
     $5 ...        the filters in the order of .params, which begins with limit and cursor

   An absent text or UUID is null, and an absent number is the default of its row; the statement
   tests for them. */
int
page_list(struct req *rq)
{
	const struct route *r = rq->route;
	const struct page_args *args = rq->params; /* the first rows of .params */
	struct db_param p[4 + FILTERS_MAX];
	struct page_from from;
	struct list rows;
	enum db_rc rc;
	size_t n = 4;

	if (page_begin(rq, args, &from) != PASS)
		return FAILED;
	p[0] = P(r->access == ACCESS_PROJECT ? rq->project : rq->key->uuid);
	memcpy(p + 1, DB_ARGS(PAGE_P(from)).p, 3 * sizeof(p[0]));
	for (const struct url_param *u = r->params + 2; u->field.type != FIELD_NONE; u++) {
		if (n == COUNT(p))
			panic("%s has too many filters", r->operation);
		p[n++] = filter_param(&u->field, (const char *)rq->params + u->field.offset);
	}
	rc = db_rows(rq->db, r->st, &rows, (struct db_args){ p, n });
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, args, rows, r->st->size);
}

static const struct field *
find_member(const struct field *f, const char *name)
{
	while (f->type != FIELD_NONE && strcmp(f->name, name) != 0)
		f++;
	if (f->type == FIELD_NONE)
		panic("the records of a list have no member %s", name);
	return f;
}

static struct str
seal_cursor(struct req *rq, const void *last, const struct page_order *by)
{
	const struct field *table = by->fields != NULL ? by->fields : rq->route->out;
	const struct field *second = find_member(table, by->uuid);
	const char *row = last;
	struct position m = { .us = 0 };
	struct cursor_for bound = cursor_binding(rq);
	struct buf payload = { .a = rq->arena };

	memcpy(&m.us, row + find_member(table, by->at)->offset, sizeof(m.us));
	memcpy(&m.uuid, row + second->offset,
	    second->type == FIELD_INT ? sizeof(int64_t) : sizeof(m.uuid));
	buf_add(&payload, (const char *)&m, sizeof(m));
	if (by->kind != NULL)
		buf_str(&payload,
		    *(const struct str *)(const void *)(row +
							find_member(table, by->kind)->offset));
	return cursor_seal(rq->arena, &rq->worker->secret, &bound, buf_done(&payload));
}

struct page_end {
	bool has_more;
	struct str next_cursor;
};

const struct field page_members[] = {
	FIELD(struct page_end, has_more, 0),
	FIELD(struct page_end, next_cursor, NULLABLE),
	FIELD_END,
};

int64_t
page_number(const struct page_from *from)
{
	int64_t n;

	memcpy(&n, &from->after, sizeof(n));
	return n;
}

int
page_reply_by(struct req *rq, const struct page_args *args, struct list rows, size_t size,
    const struct page_order *by)
{
	struct page_end end = { .has_more = rows.n > (size_t)args->limit };
	const struct field list[] = { { .name = rq->route->list,
					  .type = FIELD_LIST,
					  .sub = rq->route->out,
					  .size = size },
		FIELD_END };
	struct buf *b = reply_begin(rq, 200);

	if (end.has_more) {
		rows.n = (size_t)args->limit;
		end.next_cursor =
		    seal_cursor(rq, (const char *)rows.items + (rows.n - 1) * size, by);
	}
	json_write(b, list, &rows);
	json_write_more(b, page_members, &end);
	return PASS;
}

int
page_reply(struct req *rq, const struct page_args *args, struct list rows, size_t size)
{
	static const struct page_order newest = { .at = "created_at", .uuid = "uuid" };

	return page_reply_by(rq, args, rows, size, &newest);
}
