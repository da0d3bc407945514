/* SPDX-License-Identifier: ISC */
/* Adds facts of databases about addresses to hosts. */
#ifndef CLI_IMPORT_ENRICH_HOST_H
#define CLI_IMPORT_ENRICH_HOST_H

#include "enrich/enrich.h"
#include "record/record.h"

/* Adds the missing facts to a finished host, or replaces those that it has (enrich_add). False:
   nothing has changed. */
bool enrich_host(struct enrich *e, struct arena *a, struct record *host, bool replace);

#endif
