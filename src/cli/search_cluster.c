/* SPDX-License-Identifier: ISC */
/* The servers of ClickHouse, for the commands of surfacectl search. */
#include "config.h"

#include "cli/search.h"
#include "daemon/conf.h"

enum dataset
search_dataset(struct cli *c, struct str name)
{
	enum dataset d = record_dataset(name);

	if (d == DATASETS)
		(void)cli_usage(
		    c, "%.*s is no dataset; see surfacectl search status", (int)name.n, name.p);
	return d;
}

struct ch_cluster *
search_cluster(void)
{
	if (conf.clickhouse_url[0] == '\0') {
		(void)cli_fail(EXIT_FAILED, "the parameter clickhouse_url names no server");
		return NULL;
	}
	return ch_cluster_open(&conf);
}

int
search_fail(struct ch_cluster *cluster)
{
	return cli_fail(EXIT_FAILED, "clickhouse: %s", cluster->message);
}
