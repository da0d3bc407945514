/* SPDX-License-Identifier: ISC */
/* Private to the files of reports. */
#ifndef RESOURCE_REPORT_PRIV_H
#define RESOURCE_REPORT_PRIV_H

#include "record/record.h"
#include "resource/report_store.h"

/* Serialises the changes of reports in a transaction. */
extern const struct stmt report_lock;

/* Makes the document that searches find, without revision and times, in canonical form: the
   indicators that are neither ignored nor beyond the limit, and the beginning of the text.
   published: its time where the document has none. False:
   *what is the reason. */
bool report_tree(struct arena *a, const struct report_document *doc, const struct uuid *uuid,
    struct ts published, struct record *out, struct str *what) MUST_USE;

#endif
