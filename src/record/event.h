/* SPDX-License-Identifier: ISC */
/* Events describe the change of a stored record, for its history (C-412). The code
 * that writes a record has the old and the new record, and stores the events in the same
 * transaction (table record_event, sql/0005-records.sql).
 *
 *   stored   {"ip":"192.0.2.1","services":[{"port":80,"http":{"title":"Old"}},{"port":22}]}
 *   written  {"ip":"192.0.2.1","services":[{"port":80,"http":{"title":"New"}},{"port":443}]}
 *
 *   service_changed  {"service":{"port":80},"fields":["http.title"],
 *                     "before":{"http":{"title":"Old"}},"after":{"http":{"title":"New"}}}
 *   service_gone     {"service":{"port":22},"fields":[...],"before":{...},"after":{}}
 *   service_added    {"service":{"port":443},"fields":[...],"before":{},"after":{...}}
 *
 * before and after are parts of the two documents: a member that a side does not have is missing
 * there. A record that was seen again without another change has no event. */
#ifndef RECORD_EVENT_H
#define RECORD_EVENT_H

#include "record/record.h"

enum event_kind {
	EVENT_NONE,
#define EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)                  \
	EVENT_##id = (number),
#define COALESCED_KIND(id, number, name, about) EVENT_##id = (number),
#include "tbl/event_kinds.h"
	EVENT_END, /* the greatest number plus one */
};

enum {
	EVENT_TEXT = 256,    /* bytes of a text that an event shows; the rest is cut */
	EVENT_ITEMS = 32,    /* items of a list; of a longer one, those that the other side lacks */
	EVENT_BYTES = 16384, /* bytes of an event; a larger one lists only its fields */
};

struct record_event {
	enum event_kind kind;
	struct ts at;
	struct str what; /* a JSON object: service (of a nested object), fields, before, after */
};

/* "host_added"; NULL: no kind has this number. */
const char *event_kind_name(int64_t number);
/* Whether records of the dataset have a history, and whether the event of a new record shows the
   record's members. */
bool record_has_events(enum dataset d);
bool record_event_shows_new(enum dataset d);

/* Makes a copy for the old side of a change: members of the original may be set afterwards, but
   everything below them is shared. */
struct record record_copy(struct arena *a, const struct record *r);

/* The old and the new state of a record, both finished and with one key. old is NULL for a new
   record, new is NULL for a removed one. at: the time of the change. The event of a nested object
   with a newer last_seen than before has that time instead. */
struct record_change {
	const struct record *old, *new;
	struct ts at;
};

struct record_event *record_events(struct arena *a, const struct record_change *change, size_t *n);

#endif
