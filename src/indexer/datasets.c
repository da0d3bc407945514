/* SPDX-License-Identifier: ISC */
/* Follows all datasets of an index directory in one process, with one connection and one lock. Each
   has a follower of its own (follow.c), so a dataset whose pass fails is tried again by itself, and
   a rebuild in a child keeps no other dataset waiting. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/clickhouse.h"
#include "search/clickhouse/layout.h"
#include "search/index/write/state.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct followers {
	char *directory;
	int lock;
	struct db *db;
	unsigned rebuilds;                /* children that rebuild now */
	struct follower *of[DATASETS];    /* NULL: the dataset is only in ClickHouse */
	struct ch_follower *ch[DATASETS]; /* NULL: the dataset is not in ClickHouse */
	struct freshness_report report;
};

struct followers *
followers_open(const char *directory)
{
	struct followers *all = mem_zero(sizeof(*all));

	all->directory = mem_text(directory);
	copies_keep(strcmp(conf.index_copies, "yes") == 0);
	if (mkdir(directory, 0755) < 0 && errno != EEXIST)
		log_event(
		    LOGP_ERR, "index", "directory=%s error=\"%s\"", directory, strerror(errno));
	all->lock = index_lock(directory);
	if (all->lock < 0) {
		log_event(LOGP_ERR, "index", "directory=%s lock=\"%s\"", directory,
		    errno == EWOULDBLOCK ? "another surfaced-index has it" : strerror(errno));
		free(all->directory);
		free(all);
		return NULL;
	}
	all->db = db_open(conf.database, "surfaced-index");
	db_listen(all->db, "record_changed");
	db_listen(all->db, "tag_changed");
	for (int d = 0; d < DATASETS; d++) {
		if (ch_answers(&conf, (enum dataset)d))
			all->ch[d] = ch_follow_open((enum dataset)d, all->db);
		if (all->ch[d] == NULL || strcmp(conf.index_beside, "yes") == 0)
			all->of[d] =
			    follow_open(all->directory, (enum dataset)d, all->db, &all->rebuilds);
	}
	return all;
}

void
followers_close(struct followers *all)
{
	if (all == NULL)
		return;
	for (int d = 0; d < DATASETS; d++) {
		follow_close(all->of[d]);
		ch_follow_close(all->ch[d]);
	}
	db_close(all->db);
	close(all->lock);
	free(all->directory);
	free(all);
}

enum follow_rc
followers_once(struct followers *all, bool rebuild)
{
	enum follow_rc rc = FOLLOW_DONE;

	(void)db_notified(
	    all->db); /* before the first snapshot: a later notification is for the next round */
	for (int d = 0; d < DATASETS; d++) {
		if (all->of[d] != NULL && follow_once(all->of[d], rebuild) != FOLLOW_DONE)
			rc = FOLLOW_RETRY;
		if (all->ch[d] != NULL && ch_follow_once(all->ch[d], rebuild) != FOLLOW_DONE)
			rc = FOLLOW_RETRY;
	}
	if (db_socket(all->db) >= 0)
		freshness_report(&all->report, all->db, all->of);
	return rc;
}

void
followers_without_child(struct followers *all)
{
	for (int d = 0; d < DATASETS; d++) {
		if (all->of[d] != NULL)
			follow_without_child(all->of[d]);
		if (all->ch[d] != NULL)
			ch_follow_without_child(all->ch[d]);
	}
}

struct db *
followers_db(struct followers *all)
{
	return all->db;
}
