/* SPDX-License-Identifier: ISC */
/* Collects the events of a batch as four arrays of texts, which one call of record_event_add (sql/functions/event.sql)
   stores, coalescing those of a record and day with too many. */
#include "config.h"

#include "cli/import/events.h"

#include "db/param.h"

STMT(add_events, NULL,
    "SELECT record_event_add($1::smallint, $2::boolean, $3::text[]::bytea[],"
    " $4::text[]::timestamptz[], $5::text[]::smallint[], $6::text[])");

static void
append(struct event_batch *b, struct str **to, struct str s)
{
	*to = arena_room(b->a, *to, b->n, sizeof(**to));
	(*to)[b->n] = s;
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
	key = db_bytea(b->a, key);
	for (size_t i = 0; i < n; i++) {
		ts_print(p[i].at, time);
		append(b, &b->keys, key);
		append(b, &b->times, arena_str(b->a, (struct str){ time, TS_LEN }));
		append(b, &b->kinds, arena_printf(b->a, "%d", (int)p[i].kind));
		append(b, &b->texts, arena_str(b->a, p[i].what));
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
