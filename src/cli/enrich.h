/* SPDX-License-Identifier: ISC */
/* The databases about addresses that surfacectl's configuration names. */
#ifndef CLI_ENRICH_H
#define CLI_ENRICH_H

#include "enrich/enrich.h"

/* Opens the databases, with a message on stderr for each that cannot be used. NULL: none is
   open. */
struct enrich *cli_enrich_open(void);

#endif
