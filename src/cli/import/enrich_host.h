/* SPDX-License-Identifier: ISC */
/* Adds to hosts what databases about addresses know. */
#ifndef CLI_IMPORT_ENRICH_HOST_H
#define CLI_IMPORT_ENRICH_HOST_H

#include "enrich/enrich.h"
#include "record/record.h"

/* Adds to a finished host what it lacks, or replaces it (enrich_add). False: nothing has
   changed. */
bool enrich_host(struct enrich *e, struct arena *a, struct record *host, bool replace);

#endif
