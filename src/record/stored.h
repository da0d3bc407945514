/* SPDX-License-Identifier: ISC */
/* Writes answers from stored documents: documents, and services, which have no documents of their
 * own but are objects in the document of their host. The API's pages and exports write the same
 * bytes (C-414). */
#ifndef RECORD_STORED_H
#define RECORD_STORED_H

#include "record/record.h"

/* Whether the stored text is the answer, and can be copied: there is no projection and no
   hidden member. */
bool stored_is_answer(enum dataset d, const struct record_fields *fields);
/* Writes a stored document: its members in the order of the field table, all or those of fields.
   tree contains the parsed document during the call, and is emptied. */
void stored_write(struct buf *b, struct arena *tree, enum dataset d, struct str doc,
    const struct record_fields *fields);

/* ---- services ---- */

#define SERVICE_PREFIX "services."

/* A host's document, parsed in the arena. */
struct services {
	struct record host;
	const struct record_fields *fields;
	/* The members that all services of the host have in their answers, printed once. */
	struct buf address, place;
	struct buf members; /* the members of one service */
	size_t next;        /* where the search for a service begins */
};

void services_open(
    struct services *s, struct arena *a, struct str host, const struct record_fields *fields);
/* Writes a service of the host with the place of the host. False: the host has no such service. */
bool service_write(struct buf *b, struct services *s, int64_t port, struct str transport) MUST_USE;
/* Converts names of fields of services to names in the documents of hosts. */
struct str service_fields(struct arena *a, struct str names);
/* Whether the answer of a service has the field below its member host: "city", but neither "port"
   nor "ip". */
bool service_field_of_place(struct str name);

#endif
