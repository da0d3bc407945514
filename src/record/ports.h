/* SPDX-License-Identifier: ISC */
/* Removes nested objects of a record: services that a scan does not show any more, and old ones. */
#ifndef RECORD_PORTS_H
#define RECORD_PORTS_H

#include "record/record.h"

/* A set of ports of each transport. */
struct record_ports;

struct record_ports *record_ports_new(struct arena *a);
/* Adds ports of one transport, "22,80,8000-8100". False: the text is no such list. */
bool record_ports_add(struct record_ports *ports, struct str transport, struct str list) MUST_USE;
/* Parses "22,80,8000-8100,53/udp", where a port without a transport is of TCP. NULL: the text is no
   such list. */
const struct record_ports *record_ports_parse(struct arena *a, struct str text);

/* The coverage of a scan of the host in a record: if a service is missing in the record although
   its port was scanned, the service has gone. */
struct record_scan {
	const struct record_ports *ports; /* the scanned ports; NULL: no removal is proved */
	struct ts began;        /* services seen since then are kept; TS_NULL: since the record */
	const uint16_t *silent; /* UDP ports without an answer, which may be open nevertheless */
	size_t nsilent;
	bool udp_silent; /* the UDP ports without an answer are not listed */
	bool known_only; /* the record is stored only if its host is in the database */
};

/* Removes from old the services that have gone according to this scan. A new record without
   last_seen counts as the latest. Both are finished records of one host (C-407, C-126). */
void record_drop_ports(
    struct arena *a, struct record *old, const struct record *new, const struct record_scan *scan);

/* Keeps the first `most` nested objects, and everything else unchanged. Returns whether there were
   more. */
bool record_nested_cut(struct record *r, size_t most);
/* Removes the nested objects for which keep returns false, and returns their number. */
size_t record_nested_keep(struct arena *a, struct record *r,
    bool (*keep)(void *arg, const struct record_object *o), void *arg);

#endif
