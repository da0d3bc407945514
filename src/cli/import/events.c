/* SPDX-License-Identifier: ISC */
/* Collects the events of a batch as four arrays of texts, which one call of record_event_add
   (sql/functions/event.sql) stores, coalescing those of a record and day with too many. A host may
   have 60,000 events at once, of which a day keeps DAY_EVENTS; of the others the function needs
   only their number and the latest time, so they are sent as one:

     events of a record and day    1  2 ... 32   33 34 35
     sent                          1  2 ... 32   a coalesced one with the count 3, at the latest of the three
                                                 times */
#include "config.h"

#include "cli/import/events.h"

#include "db/param.h"

enum { DAY_EVENTS = 32 };

STMT(add_events, NULL,
    "SELECT record_event_add($1::smallint, $2::boolean, $3::text[]::bytea[],"
    " $4::text[]::timestamptz[], $5::text[]::smallint[], $6::text[])");

static void
append_event(struct event_batch *b, struct str **to, struct str s)
{
	*to = arena_room(b->a, *to, b->n, sizeof(**to));
	(*to)[b->n] = s;
}

struct dated {
	int64_t day;
	size_t i;
};

static int
by_day(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	return x->day != y->day ? (x->day < y->day ? -1 : 1) : (x->i > y->i) - (x->i < y->i);
}

/* Replaces the events of a day beyond DAY_EVENTS by a coalesced one, at the place of the first of
   them. Returns how many events are left. */
static size_t
coalesce(struct arena *scratch, struct record_event *p, size_t n)
{
	struct dated *sorted = ARENA_ARRAY(scratch, n, struct dated);
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct dated){ p[i].at.us / DAY_US - (p[i].at.us % DAY_US < 0), i };
	qsort(sorted, n, sizeof(sorted[0]), by_day);
	for (size_t from = 0, to; from < n; from = to) {
		struct record_event *rest;

		for (to = from + 1; to < n && sorted[to].day == sorted[from].day; to++)
			;
		if (to - from <= DAY_EVENTS)
			continue;
		rest = &p[sorted[from + DAY_EVENTS].i];
		rest->kind = EVENT_COALESCED;
		rest->what = arena_printf(scratch, "{\"count\":%zu}", to - from - DAY_EVENTS);
		for (size_t k = from + DAY_EVENTS + 1; k < to; k++) {
			struct record_event *e = &p[sorted[k].i];

			if (e->at.us > rest->at.us)
				rest->at = e->at;
			e->kind = EVENT_NONE;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (p[i].kind != EVENT_NONE)
			p[left++] = p[i];
	return left;
}

void
event_batch_add(struct event_batch *b, struct arena *scratch, struct str key,
    const struct record_change *change)
{
	size_t n;
	struct record_event *p = record_events(scratch, change, &n);
	char time[TS_LEN + 1];

	if (n == 0)
		return;
	if (n > DAY_EVENTS)
		n = coalesce(scratch, p, n);
	key = db_bytea(b->a, key);
	for (size_t i = 0; i < n; i++) {
		ts_print(p[i].at, time);
		append_event(b, &b->keys, key);
		append_event(b, &b->times, arena_str(b->a, (struct str){ time, TS_LEN }));
		append_event(b, &b->kinds, arena_printf(b->a, "%d", (int)p[i].kind));
		append_event(b, &b->texts, arena_str(b->a, p[i].what));
		b->n++;
	}
}

enum db_rc
event_batch_store(struct db *db, enum dataset d, bool fresh, const struct event_batch *b)
{
	if (b->n == 0)
		return DB_OK;
	return db_do(db, &add_events, NULL, P(record_dataset_number(d)), P(fresh),
	    P(((struct strs){ b->keys, b->n })), P(((struct strs){ b->times, b->n })),
	    P(((struct strs){ b->kinds, b->n })), P(((struct strs){ b->texts, b->n })));
}
