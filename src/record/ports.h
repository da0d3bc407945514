/* SPDX-License-Identifier: ISC */
/* Nested objects that leave a record: services that a scan no longer shows, and old ones. */
#ifndef RECORD_PORTS_H
#define RECORD_PORTS_H

#include "record/record.h"

/* The ports that a scan has covered: "22,80,8000-8100,53/udp". A port without a transport is of TCP. */
struct record_ports;

/* NULL: the text is no such list. */
const struct record_ports *record_ports_parse(struct arena *a, struct str text);

/* Removes from old the services on these ports that new does not have, but those whose last_seen is later than that of
   new. A new record without last_seen counts as the latest. Both are finished records of one host (C-407). */
void record_drop_ports(struct arena *a, struct record *old, const struct record *new,
    const struct record_ports *ports);

/* Keeps the first nested objects, and everything else as it is. Returns whether there were more. */
bool record_nested_cut(struct record *r, size_t most);
/* Removes the nested objects for which keep returns false, and returns their number. */
size_t record_nested_keep(struct arena *a, struct record *r,
    bool (*keep)(void *arg, const struct record_object *o), void *arg);

#endif
