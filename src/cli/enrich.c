/* SPDX-License-Identifier: ISC */
/* surfacectl enrich hosts: adds to stored hosts what the databases about addresses know, after a database was installed
   or renewed. The hosts are read in the order of their addresses, at most a thousand or 16 MiB in a transaction, so
   an end in the middle keeps what was done, and the next run goes on where it finds something to add.

     SELECT ... FOR UPDATE  -->  record_parse  -->  enrich_find, enrich_add  -->  record_print  -->  UPDATE

   FOR UPDATE makes an import of the same host wait, so neither overwrites the other. */
#include "config.h"

#include "cli/cli.h"
#include "cli/enrich.h"
#include "daemon/conf.h"
#include "record/record.h"

enum { STEP_BUDGET_US = 60000000 };

struct row {
	struct str ip, doc;
};

static const struct field row_out[] = {
	FIELD(struct row, ip, 0),
	FIELD(struct row, doc, 0),
	FIELD_END,
};

/* The first host comes whatever its size. The rows are locked by the outer statement, since sums and FOR UPDATE exclude
   each other. */
STMT_LIST(read_step, struct row, row_out,
    "SELECT host(h.ip) AS ip, doc::text AS doc FROM host AS h WHERE h.ip IN ("
    "  SELECT ip FROM (SELECT ip, bytes, sum(bytes) OVER (ORDER BY ip) AS up_to FROM ("
    "   SELECT ip, bytes FROM host WHERE nullif($1, '') IS NULL OR ip > nullif($1, '')::inet"
    "   ORDER BY ip LIMIT 1000) AS next) AS summed WHERE up_to <= 16777216 OR up_to = bytes)"
    " ORDER BY h.ip FOR UPDATE");

STMT(write_step, NULL,
    "UPDATE host AS h SET doc = n.doc::jsonb FROM unnest($1::text[], $2::text[]) AS n (ip, doc)"
    " WHERE h.ip = n.ip::inet");

struct run {
	struct cli *cli;
	struct enrich *enrich;
	bool replace, quiet;
	struct arena *a;    /* the rows of a step */
	struct arena *tree; /* one document: a tree is many times as large as its text */
	struct str last;    /* the address of the last host that was read; in cli's arena */
	uint64_t read, changed;
};

static void
print_fault(void *arg, const char *what)
{
	(void)arg;
	fprintf(stderr, "surfacectl: %s\n", what);
}

struct enrich *
cli_enrich_open(void)
{
	const struct enrich_files files = { conf.mmdb_asn, conf.mmdb_city,
		{ conf.pfx2as_ipv4, conf.pfx2as_ipv6 } };

	return enrich_open(&files, print_fault, NULL);
}

/* Enriches a host. False: nothing was added, or the document cannot be read and stays as it is. */
static bool
enrich_document(struct run *r, const struct row *row, struct buf *out)
{
	struct enrich_facts have = { 0 }, found;
	struct record_object *o;
	struct record rec;
	struct ipnet ip;
	struct str what;

	if (!ipnet_parse(row->ip, &ip) ||
	    !record_parse(r->tree, DATASET_HOSTS, row->doc, RECORD_LENIENT, &rec, &what) ||
	    !record_finish(r->tree, &rec, RECORD_LENIENT, &what))
		return false;
	o = rec.root;
	have.has_asn = record_int(o, "asn", &have.asn);
	have.as_name = record_text(o, "as_name");
	have.prefix = record_text(o, "prefix");
	have.country_code = record_text(o, "country_code");
	have.region = record_text(o, "region");
	have.city = record_text(o, "city");
	found = enrich_find(r->enrich, r->tree, ip.a);
	if (!enrich_add(&have, &found, r->replace))
		return false;
	if (have.has_asn)
		record_set_int(r->tree, o, "asn", have.asn);
	record_set_text(r->tree, o, "as_name", have.as_name);
	record_set_text(r->tree, o, "prefix", have.prefix);
	record_set_text(r->tree, o, "country_code", have.country_code);
	record_set_text(r->tree, o, "region", have.region);
	record_set_text(r->tree, o, "city", have.city);
	record_print(out, &rec, NULL);
	return true;
}

/* DB_NONE: there are no more hosts. */
static enum db_rc
enrich_rows(struct run *r, const struct list *rows)
{
	struct str *ips = ARENA_ARRAY(r->a, rows->n, struct str);
	struct str *docs = ARENA_ARRAY(r->a, rows->n, struct str);
	const struct row *row = rows->items;
	size_t n = 0;

	if (rows->n == 0)
		return DB_NONE;
	for (size_t i = 0; i < rows->n; i++) {
		struct buf doc = { .a = r->tree };

		arena_reset(r->tree);
		if (!enrich_document(r, &row[i], &doc))
			continue;
		ips[n] = row[i].ip;
		docs[n++] = arena_str(r->a, buf_done(&doc));
	}
	r->last = arena_str(r->cli->arena, row[rows->n - 1].ip);
	r->read += rows->n;
	r->changed += n;
	return n == 0 ? DB_OK
		      : db_do(r->cli->db, &write_step, NULL, P(((struct strs){ ips, n })),
			    P(((struct strs){ docs, n })));
}

static enum db_rc
enrich_step(struct run *r)
{
	struct db *db = r->cli->db;
	struct list rows = { 0 };
	enum db_rc rc, end;

	arena_reset(r->a);
	db_use(db, r->a, mono_us() + STEP_BUDGET_US);
	rc = db_begin(db);
	if (rc == DB_OK)
		rc = db_list(db, &read_step, &rows, P(r->last));
	if (rc == DB_OK)
		rc = enrich_rows(r, &rows);
	if (rc == DB_OK)
		return db_commit(db);
	end = rc;
	db_rollback(db);
	return end;
}

static int
hosts(struct cli *c, int argc, char **argv)
{
	struct run r = { .cli = c, .last = STR("") };
	const struct cli_option table[] = {
		{ .name = "replace", .flag = &r.replace },
		{ .name = "quiet", .flag = &r.quiet },
		{ .name = NULL },
	};
	struct cli_list words;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, table, &words, 0, 0))
		return EXIT_USAGE;
	r.enrich = cli_enrich_open();
	if (r.enrich == NULL)
		return cli_fail(EXIT_FAILED, "no database about addresses is open: see mmdb_asn, "
					     "mmdb_city and pfx2as_ipv4 in surfaced.conf(5)");
	r.a = arena_new((size_t)1 << 30);
	r.tree = arena_new((size_t)1 << 30);
	do
		rc = enrich_step(&r);
	while (rc == DB_OK);
	db_use(c->db, c->arena, 0);
	arena_free(r.a);
	arena_free(r.tree);
	enrich_close(r.enrich);
	if (rc != DB_NONE)
		return cli_fail_db(c, rc, "the run ended early; run it again");
	if (c->json)
		printf("{\"read\":%ju,\"changed\":%ju}\n", (uintmax_t)r.read, (uintmax_t)r.changed);
	else if (!r.quiet)
		printf("%ju read, %ju changed\n", (uintmax_t)r.read, (uintmax_t)r.changed);
	return EXIT_OK;
}

static const struct command subs[] = {
	{ .name = "hosts",
	    .arguments = "[--replace] [--quiet]",
	    .help = "add network and place to stored hosts, from databases about addresses",
	    .run = hosts },
	{ .name = NULL },
};

static const struct command enrich_command = {
	.name = "enrich",
	.help = "add what databases about addresses know",
	.sub = subs,
};

COMMAND(enrich_command);
