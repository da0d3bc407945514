/* SPDX-License-Identifier: ISC */
/* The record whose history is asked for. */
#ifndef API_HISTORY_H
#define API_HISTORY_H

#include "http/http.h"
#include "record/record.h"

struct history_subject {
	enum dataset dataset;
	struct str name, key; /* the address or domain in its canonical form; the record's key */
	struct ts since;      /* from when on the history has all changes */
};

/* Reads the host in the path; fails with not_found when there is neither a host nor an event.
   share_begin is done. */
int history_host(struct req *rq, struct history_subject *s);
/* The key as a parameter. */
struct bytes history_key(const struct history_subject *s);

extern const enum error history_errors[];

#endif
