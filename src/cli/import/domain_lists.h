/* SPDX-License-Identifier: ISC */
/* The functions of the commands surfacectl import rankings and import parked-name-servers. */
#ifndef CLI_IMPORT_DOMAIN_LISTS_H
#define CLI_IMPORT_DOMAIN_LISTS_H

#include "cli/cli.h"

int import_rankings(struct cli *c, int argc, char **argv);
int import_parked_name_servers(struct cli *c, int argc, char **argv);

#endif
