/* SPDX-License-Identifier: ISC */
/* The place of a member in a record, for messages: "services[2].tls.certificate.names[0]". */
#ifndef RECORD_PLACE_H
#define RECORD_PLACE_H

#include "record/record_priv.h"

#define PLACE_NO_ITEM SIZE_MAX

struct place {
	const struct place *up; /* NULL: a member of the record itself */
	struct str name;
	size_t item; /* the index in a list, or PLACE_NO_ITEM */
};

/* Sets *what to the place and the reason, and returns false. at: NULL for the record itself. */
bool place_fault(struct arena *a, const struct place *at, const char *why, struct str *what);

#endif
