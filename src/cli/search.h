/* SPDX-License-Identifier: ISC */
/* surfacectl search: which engine answers, the layouts of ClickHouse, exports to standard
   output. */
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include "cli/cli.h"
#include "record/dataset.h"
#include "search/clickhouse/layout.h"

/* ---- search_cluster.c ---- */

/* The dataset of that name; DATASETS after a message. */
enum dataset search_dataset(struct cli *c, struct str name);
/* The servers of the configuration; NULL after a message when it names none. */
struct ch_cluster *search_cluster(void);
/* Prints the last failure, and returns the status. */
int search_fail(struct ch_cluster *cluster);

/* ---- search_check.c ---- */

int search_check(struct cli *c, int argc, char **argv);
int search_export(struct cli *c, int argc, char **argv);

#endif
