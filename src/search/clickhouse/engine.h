/* SPDX-License-Identifier: ISC */
/* ClickHouse as an engine (search/engine.h). */
#ifndef SEARCH_CLICKHOUSE_ENGINE_H
#define SEARCH_CLICKHOUSE_ENGINE_H

#include "search/clickhouse/http.h"
#include "search/engine.h"

struct ch_options {
	struct ch_server server;
	int64_t threads, memory; /* bounds of one statement on each server */
	bool partial;            /* answer while a shard is away, with RELATION_GTE */
	int64_t shards;          /* how many there are */
};

/* Makes ClickHouse answer for the datasets that the parameters engine_... name. Nothing is
   connected before the first query. */
void ch_engine_join(struct engine *e);
/* The same for these datasets alone, and by these options. */
void ch_engine_use(struct engine *e, const struct ch_options *o, const bool datasets[DATASETS]);

#endif
