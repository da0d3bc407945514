/* SPDX-License-Identifier: ISC */
/* surfacectl import rankings and import parked-name-servers: the lists by which the scores of
 * look-alike domains recognise legitimate domains (C-845). A list replaces its former version
 * completely, in one transaction.
 *
 *   Tranco, Umbrella   1,google.com
 *   Majestic           GlobalRank,TldRank,Domain,TLD,...  and  1,1,google.com,com,...
 *   plain              google.com
 *
 * The domain of a line is its first cell that is a name with a dot; the rank is the number of the
 * line among those with a domain. A name below a registrable domain counts for that domain, which
 * is stored once with its best rank. */
#include "config.h"

#include "cli/import/domain_lists.h"

#include "address/start_url.h"
#include "base/limits.h"
#include "cli/import/source.h"
#include "record/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ROWS_AT_ONCE = 5000, LIST_ROWS = 10000000, LIST_NAME = 200 };

#define LIST_MEMORY ((size_t)1 << 30)
#define LIST_TIME (1800 * SECOND_US)

STMT(ranking_drop, NULL, "DELETE FROM domain_ranking_list WHERE name = $1");
STMT(ranking_add, NULL, "INSERT INTO domain_ranking_list (name) VALUES ($1)");
STMT(ranking_fill, NULL,
    "INSERT INTO domain_ranking (list, domain, rank) SELECT $1, d, min(r) FROM unnest($2::text[],"
    " $3::text[]::integer[]) AS x (d, r) GROUP BY d ON CONFLICT DO NOTHING");
STMT(parked_drop, NULL, "DELETE FROM parked_name_server");
STMT(parked_fill, NULL,
    "INSERT INTO parked_name_server (name) SELECT DISTINCT d FROM unnest($1::text[]) AS x (d)"
    " ON CONFLICT DO NOTHING");

struct listing {
	struct cli *c;
	struct arena *a; /* the memory of the rows that are stored at once */
	struct str list; /* the ranking; NULL: name servers */
	struct str *names, *ranks;
	size_t n;
	int64_t taken, skipped;
};

/* ---- lines ---- */

/* The first cell that is a name of DNS with a dot, in canonical form; STR_NULL: the line has
   none. */
static struct str
line_domain(struct arena *a, struct str line)
{
	while (line.p != NULL) {
		struct str cell = str_trim(str_until(&line, ','));

		if (cell.n > 1 && cell.p[0] == '"' && cell.p[cell.n - 1] == '"')
			cell = (struct str){ cell.p + 1, cell.n - 2 };
		if (memchr(cell.p, '.', cell.n) != NULL && cell.n <= LIM_DNS_NAME &&
		    record_canonical(a, DATASET_WHOIS, "domain", &cell) && host_delegated(a, cell))
			return arena_str(a, cell);
	}
	return STR_NULL;
}

static enum db_rc
store_rows(struct listing *l)
{
	struct strs names = { l->names, l->n }, ranks = { l->ranks, l->n };
	enum db_rc rc = DB_OK;

	if (l->n > 0 && l->list.p != NULL)
		rc = db_do(l->c->db, &ranking_fill, NULL, P(l->list), P(names), P(ranks));
	else if (l->n > 0)
		rc = db_do(l->c->db, &parked_fill, NULL, P(names));
	l->n = 0;
	arena_reset(l->a);
	l->names = ARENA_ARRAY(l->a, ROWS_AT_ONCE, struct str);
	l->ranks = ARENA_ARRAY(l->a, ROWS_AT_ONCE, struct str);
	return rc;
}

static enum db_rc
take_line(struct listing *l, struct str line)
{
	struct str name;

	line = str_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return DB_OK;
	name = str_utf8_bad(line) < line.n ? STR_NULL : line_domain(l->a, line);
	if (name.p == NULL) {
		l->skipped++;
		return DB_OK;
	}
	l->taken++;
	if (l->list.p != NULL && host_registrable(l->a, name).p != NULL)
		name = host_registrable(l->a, name);
	l->names[l->n] = arena_str(l->a, name);
	l->ranks[l->n++] = arena_printf(l->a, "%jd", (intmax_t)l->taken);
	return l->n == ROWS_AT_ONCE ? store_rows(l) : DB_OK;
}

/* ---- files ---- */

static enum db_rc
take_lines(struct listing *l, struct source *s)
{
	enum db_rc rc = l->list.p != NULL ? db_do(l->c->db, &ranking_drop, NULL, P(l->list))
					  : db_run(l->c->db, &parked_drop, NULL, DB_NO_ARGS);
	enum source_line kind;
	struct str line;

	if (rc == DB_OK && l->list.p != NULL)
		rc = db_do(l->c->db, &ranking_add, NULL, P(l->list));
	if (rc == DB_OK)
		rc = store_rows(l);
	while (
	    rc == DB_OK && l->taken < LIST_ROWS && (kind = source_line(s, &line)) != SOURCE_END) {
		if (kind == SOURCE_LINE)
			rc = take_line(l, line);
		else
			l->skipped++;
	}
	return rc == DB_OK ? store_rows(l) : rc;
}

static int
import_listing(struct listing *l, const char *path)
{
	struct cli *c = l->c;
	struct source s = { 0 };
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum db_rc rc;
	int status = EXIT_OK;

	if (fd < 0)
		return cli_fail(EXIT_FAILED, "%s cannot be opened: %s", path, strerror(errno));
	l->a = arena_new(LIST_MEMORY);
	source_open(&s, fd, -1);
	db_use(c->db, l->a, mono_us() + LIST_TIME);
	rc = db_begin(c->db);
	if (rc == DB_OK)
		rc = take_lines(l, &s);
	if (rc == DB_OK && (s.failed != NULL || l->taken == 0))
		status = cli_fail(EXIT_FAILED, "%s %s; nothing was imported", path,
		    s.failed != NULL ? s.failed : "has no domains");
	if (rc == DB_OK && status == EXIT_OK)
		rc = db_commit(c->db);
	if (rc != DB_OK || status != EXIT_OK)
		db_rollback(c->db);
	if (rc != DB_OK)
		status = cli_fail_db(c, rc, "nothing was imported");
	db_use(c->db, c->arena, 0);
	source_close(&s);
	if (fd != STDIN_FILENO)
		close(fd);
	arena_free(l->a);
	if (status == EXIT_OK)
		printf(
		    c->json ? "{\"domains\":%jd,\"skipped\":%jd}\n" : "%jd domains, %jd skipped\n",
		    (intmax_t)l->taken, (intmax_t)l->skipped);
	return status;
}

int
import_rankings(struct cli *c, int argc, char **argv)
{
	struct listing l = { .c = c, .list = STR("ranking") };
	struct cli_list words;
	const struct cli_option table[] = {
		{ .name = "list", .text = &l.list },
		{ .name = NULL },
	};

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	if (l.list.n == 0 || l.list.n > LIST_NAME)
		return cli_usage(c, "--list must have 1 to 200 bytes");
	return import_listing(&l, words.p[0].p);
}

int
import_parked_name_servers(struct cli *c, int argc, char **argv)
{
	struct listing l = { .c = c, .list = STR_NULL };
	struct cli_list words;
	const struct cli_option table[] = { { .name = NULL } };

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	return import_listing(&l, words.p[0].p);
}
