/* SPDX-License-Identifier: ISC */
/* The record of a history. */
#ifndef API_SEARCH_HISTORY_H
#define API_SEARCH_HISTORY_H

#include "http/http.h"
#include "record/record.h"

struct history_subject {
	enum dataset dataset;
	/* name: the address or domain in canonical form; key: the record's key */
	struct str name, key;
	struct ts since; /* the time from which the history is complete */
};

/* Reads the host of the path. Fails with not_found when there is neither a host nor an event. Call
   share_begin before. */
int history_host(struct req *rq, struct history_subject *s);
/* Returns the key as a parameter of a statement. */
struct bytes history_key(const struct history_subject *s);

extern const enum error history_errors[];

#endif
