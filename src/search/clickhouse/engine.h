/* SPDX-License-Identifier: ISC */
/* ClickHouse as an engine (search/engine.h). */
#ifndef SEARCH_CLICKHOUSE_ENGINE_H
#define SEARCH_CLICKHOUSE_ENGINE_H

#include "search/clickhouse/http.h"
#include "search/engine.h"

struct ch_options {
	struct ch_server server;
	int64_t threads, memory; /* bounds of one statement on each server */
	bool partial;            /* answer while a shard is unavailable, with RELATION_GTE */
	int64_t shards;          /* the number of shards of the cluster */
};

/* Makes ClickHouse answer for the datasets that the parameters engine_... name. No connection is
   opened before the first query. */
void ch_engine_join(struct engine *e);
/* Makes ClickHouse answer for these datasets, with these options. */
void ch_engine_use(struct engine *e, const struct ch_options *o, const bool datasets[DATASETS]);

#endif
