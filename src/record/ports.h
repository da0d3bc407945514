/* SPDX-License-Identifier: ISC */
/* Nested objects that leave a record: services that a scan no longer shows, and old ones. */
#ifndef RECORD_PORTS_H
#define RECORD_PORTS_H

#include "record/record.h"

/* A set of ports of each transport. */
struct record_ports;

struct record_ports *record_ports_new(struct arena *a);
/* Adds ports of one transport, "22,80,8000-8100". False: the text is no such list. */
bool record_ports_add(struct record_ports *ports, struct str transport, struct str list) MUST_USE;
/* The set of "22,80,8000-8100,53/udp", where a port without a transport is of TCP. NULL: the text
   is no such list. */
const struct record_ports *record_ports_parse(struct arena *a, struct str text);

/* The proof that a scan is about the host in a record: a service that the record lacks has gone
   when its port was scanned. */
struct record_scan {
	const struct record_ports *ports; /* scanned ones. NULL: the record proves nothing */
	struct ts began; /* services seen since then stay. TS_NULL: those seen after the record */
	const uint16_t *silent; /* UDP ports that gave no answer, as many do that are open */
	size_t nsilent;
	bool udp_silent; /* the ports without an answer are not listed */
	bool known_only; /* the record is stored only where its host is known */
};

/* Removes from old the services that have gone by this scan. A new record without last_seen counts
   as the latest. Both are finished records of one host (C-407, C-126). */
void record_drop_ports(
    struct arena *a, struct record *old, const struct record *new, const struct record_scan *scan);

/* Keeps the first nested objects, and everything else as it is. Returns whether there were more. */
bool record_nested_cut(struct record *r, size_t most);
/* Removes the nested objects for which keep returns false, and returns their number. */
size_t record_nested_keep(struct arena *a, struct record *r,
    bool (*keep)(void *arg, const struct record_object *o), void *arg);

#endif
