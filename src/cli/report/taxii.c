/* SPDX-License-Identifier: ISC */
/* surfacectl import taxii: its options, the pages of a collection, and the reports that its objects
   make (taxii_priv.h). */
#include "config.h"

#include "cli/report/command.h"

#include "cli/report/store.h"
#include "cli/report/taxii_priv.h"

enum {
	PAGES_MAX = 1000000,
	LIMIT_MAX = 1000000,
	SECONDS_MAX = 86400,
	TIMEOUT_S = 60,
	PATIENCE_S = 120,
	TYPES_MAX = 1000,
};

#define PAGE_MEMORY ((size_t)8 << 30)
#define BUNDLE_BYTES ((size_t)512 << 20)
#define CURSOR_TIME (60 * SECOND_US)

struct run {
	struct report_run store;
	struct taxii_http *http;
	struct taxii_settings settings;
	struct taxii_collection collection;
	struct taxii_cursor cursor;
	struct taxii_sum sum;
	struct str account, wanted, types, limit;
	struct ts since;
};

/* ---- pages ---- */

static struct str
time_text(struct arena *a, struct ts t)
{
	char text[TS_LEN + 1];

	ts_print(t, text);
	return arena_str(a, str_of(text));
}

/* A microsecond before a header: added_after means later, and other objects may have the header's
   time. */
static struct str
just_before(struct arena *a, struct str header)
{
	struct ts t;

	if (!ts_parse(header, &t) || t.us == TS_OLDEST_US)
		return STR_NULL;
	t.us--;
	return time_text(a, t);
}

/* added_after of the first request; STR_NULL: from the beginning. */
static struct str
first_after(const struct run *r)
{
	struct arena *a = r->store.cli->arena;

	if (r->cursor.added_after.p == NULL)
		return ts_is_null(r->since) ? STR_NULL : time_text(a, r->since);
	return r->cursor.more ? just_before(a, r->cursor.added_after) : r->cursor.added_after;
}

struct place {
	struct str after, next; /* STR_NULL: none */
	int64_t limit;          /* a larger page than --limit; 0: none */
	size_t had;             /* objects of the page at the same time; 0: the first one */
};

static struct str
page_url(const struct run *r, struct arena *a, const struct place *at)
{
	struct buf b = { .a = a };

	buf_str(&b, r->collection.url);
	buf_z(&b, "objects/");
	taxii_url_parameter(&b, "added_after", at->after);
	taxii_url_parameter(
	    &b, "limit", at->limit > 0 ? arena_printf(a, "%jd", (intmax_t)at->limit) : r->limit);
	taxii_url_parameter(&b, "match[type]", r->types);
	taxii_url_parameter(&b, "next", at->next);
	return buf_done(&b);
}

/* Moves the cursor behind a page. It is not moved when the server sends no header or an earlier
   time. */
static void
move_cursor(struct run *r, const struct taxii_page *page, struct str last)
{
	struct ts former = TS_NULL, now = TS_NULL;

	r->cursor.more = page->more;
	if (last.p == NULL || !ts_parse(last, &now) ||
	    (r->cursor.added_after.p != NULL && ts_parse(r->cursor.added_after, &former) &&
		ts_cmp(now, former) < 0))
		return;
	r->cursor.added_after = arena_str(r->store.cli->arena, last);
}

/* Asks for twice as many objects of one time. A server may have a limit of its own: then the page
   has no more objects than the one before. */
static int
ask_for_more(const struct run *r, const struct taxii_page *page, struct place *at)
{
	if (page->n <= at->had || at->limit == LIMIT_MAX)
		return cli_fail(EXIT_FAILED,
		    "%.*s has more objects of one time than the %zu that it puts on a page, and "
		    "names "
		    "no next page, so the rest cannot be asked for; ask its operator for a larger "
		    "page "
		    "or for \"next\", or select fewer objects with --type",
		    (int)r->collection.url.n, r->collection.url.p, page->n);
	at->had = page->n;
	at->limit = (int64_t)page->n < LIMIT_MAX / 2 ? 2 * (int64_t)page->n : LIMIT_MAX;
	return EXIT_OK;
}

/* The place of the next page. Without a mark of the server it is found by the header, as TAXII
   wants it; a page of objects that all have one time leads nowhere then, and a larger page must
   have the rest of them. */
static int
go_on(const struct run *r, const struct taxii_page *page, struct str last, struct place *at)
{
	struct arena *a = r->store.cli->arena;
	const struct place former = *at;

	if (page->next.p != NULL) {
		at->next = arena_str(a, page->next);
		if (former.next.p != NULL && str_eq(at->next, former.next))
			return cli_fail(EXIT_FAILED,
			    "%.*s answers each page with the same mark of the next one",
			    (int)r->collection.url.n, r->collection.url.p);
		return EXIT_OK;
	}
	at->next = STR_NULL;
	at->after = last.p == NULL ? STR_NULL : just_before(a, last);
	if (at->after.p == NULL)
		return cli_fail(EXIT_FAILED,
		    "%.*s has more objects, but names neither the next page nor the time of the "
		    "last one",
		    (int)r->collection.url.n, r->collection.url.p);
	if (former.after.p != NULL && str_eq(at->after, former.after))
		return ask_for_more(r, page, at);
	at->limit = 0;
	at->had = 0;
	return EXIT_OK;
}

/* Reads and keeps one page. *more: another one follows, at *at. */
static int
read_page(struct run *r, struct arena *a, struct place *at, bool *more)
{
	struct cli *c = r->store.cli;
	struct str url = page_url(r, a, at), fault;
	struct taxii_answer answer;
	struct taxii_page page;
	int64_t changed = 0;
	enum db_rc rc;
	int status = taxii_get(r->http, a, url, &answer);

	if (status != EXIT_OK)
		return status;
	if (!taxii_page_read(a, answer.body, &page, &fault))
		return cli_fail(
		    EXIT_FAILED, "%.*s: the answer %.*s", (int)url.n, url.p, (int)fault.n, fault.p);
	move_cursor(r, &page, answer.last);
	rc = taxii_keep(c->db, &r->cursor, &page, &changed);
	db_use(c->db, c->arena, 0);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "the import ended early; run it again");
	r->cursor.changes += changed;
	r->sum.pages++;
	r->sum.objects += page.n;
	r->sum.changed += (uint64_t)changed;
	r->store.counts[NOTE_UNKNOWN_TYPE] += page.nameless;
	*more = page.more;
	return page.more ? go_on(r, &page, answer.last, at) : EXIT_OK;
}

static int
read_pages(struct run *r)
{
	struct place at = { .after = first_after(r) };
	struct arena *a = arena_new(PAGE_MEMORY);
	bool more = true;
	int status = EXIT_OK;

	for (int i = 0; more && status == EXIT_OK; i++) {
		arena_reset(a);
		status = i < PAGES_MAX
			     ? read_page(r, a, &at, &more)
			     : cli_fail(EXIT_FAILED, "%.*s has more than %d pages",
				   (int)r->collection.url.n, r->collection.url.p, PAGES_MAX);
	}
	arena_free(a);
	if (status != EXIT_OK && r->sum.pages > 0)
		cli_fail(status,
		    "%ju pages are kept; the same command goes on behind them and makes the "
		    "reports",
		    (uintmax_t)r->sum.pages);
	return status;
}

/* ---- reports ---- */

static struct str
bundle_text(struct arena *a, struct strs objects)
{
	struct buf b = { .a = a };

	buf_z(&b, "{\"type\":\"bundle\",\"objects\":[");
	for (size_t i = 0; i < objects.n; i++) {
		if (i > 0)
			buf_char(&b, ',');
		buf_str(&b, objects.p[i]);
	}
	buf_z(&b, "]}");
	return buf_done(&b);
}

static int
report_part(struct run *r, struct arena *a, struct str name)
{
	struct cli *c = r->store.cli;
	const struct taxii_part part = { r->cursor.id, name, BUNDLE_BYTES };
	struct str title = r->collection.title, url = r->collection.url;
	struct report_reading reading = { .a = a,
		.file = title,
		.private = r->store.private,
		.options = { .published_at = TS_NULL } };
	struct strs objects;
	enum db_rc rc = taxii_objects(c->db, a, &part, &objects);

	if (rc != DB_OK)
		return cli_fail_db(c, rc, "the reports are not complete; run the import again");
	reading.ref = arena_printf(a, "%.*s?%.*s#%.*s", (int)url.n, url.p, (int)r->types.n,
	    r->types.p == NULL ? "" : r->types.p, (int)name.n, name.p);
	if (name.n > 0)
		reading.file =
		    arena_printf(a, "%.*s %.*s", (int)title.n, title.p, (int)name.n, name.p);
	if (objects.p == NULL) {
		reading.fault = arena_printf(a,
		    "the objects have more than %zu bytes together; --type narrows them",
		    BUNDLE_BYTES);
	} else {
		reading.text = bundle_text(a, objects);
		report_read_stix(&reading);
	}
	return report_run_store(&r->store, arena_str(a, reading.file).p, &reading);
}

/* Makes the reports again if an object has changed since they were made. */
static int
make_reports(struct run *r)
{
	struct cli *c = r->store.cli;
	struct arena *a;
	struct strs parts;
	enum db_rc rc;
	int status = EXIT_OK;

	if (r->cursor.changes == r->cursor.reported)
		return EXIT_OK;
	rc = taxii_parts(c->db, c->arena, r->cursor.id, &parts);
	a = arena_new(PAGE_MEMORY);
	for (size_t i = 0; rc == DB_OK && status == EXIT_OK && i < parts.n; i++) {
		arena_reset(a);
		status = report_part(r, a, parts.p[i]);
	}
	arena_free(a);
	db_use(c->db, c->arena, 0);
	if (rc == DB_OK && status == EXIT_OK)
		rc = taxii_reported(c->db, &r->cursor);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "the reports are not complete; run the import again");
	return status;
}

/* ---- the command ---- */

static int
run_taxii_import(struct run *r, struct str url)
{
	struct cli *c = r->store.cli;
	int status = taxii_find(c, r->http, url, r->wanted, &r->collection);
	enum db_rc rc;

	if (status != EXIT_OK)
		return status;
	db_use(c->db, c->arena, mono_us() + CURSOR_TIME);
	rc = taxii_cursor_get(c->db, r->store.private ? &r->store.account : NULL, r->collection.url,
	    r->types.p == NULL ? STR("") : r->types, &r->cursor);
	db_use(c->db, c->arena, 0);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "nothing was imported");
	status = read_pages(r);
	if (status == EXIT_OK)
		status = make_reports(r);
	r->store.first[0] = (struct report_run_count){ "pages", r->sum.pages };
	r->store.first[1] = (struct report_run_count){ "objects", r->sum.objects };
	r->store.first[2] = (struct report_run_count){ "objects_changed", r->sum.changed };
	report_run_end(&r->store);
	return status == EXIT_OK && r->store.bad > 0 ? EXIT_FAILED : status;
}

static bool
read_number(const struct cli *c, struct str text, const char *name, int64_t most, int64_t *out)
{
	if (text.p == NULL || (str_int64(text, out) && *out >= 1 && *out <= most))
		return true;
	cli_usage(c, "--%s wants a number from 1 to %jd", name, (intmax_t)most);
	return false;
}

int
import_taxii(struct cli *c, int argc, char **argv)
{
	struct run r = { .store.cli = c,
		.settings = { .timeout = TIMEOUT_S, .patience = PATIENCE_S },
		.since = TS_NULL };
	struct str credentials = STR_NULL, ca = STR_NULL, timeout = STR_NULL, patience = STR_NULL;
	struct str url;
	struct cli_list words;
	int64_t limit;
	const struct cli_option table[] = {
		{ .name = "account", .text = &r.account },
		{ .name = "collection", .text = &r.wanted },
		{ .name = "type", .text = &r.types },
		{ .name = "added-after", .past = &r.since },
		{ .name = "limit", .text = &r.limit },
		{ .name = "credentials", .text = &credentials },
		{ .name = "ca", .text = &ca },
		{ .name = "timeout", .text = &timeout },
		{ .name = "patience", .text = &patience },
		{ .name = "quiet", .flag = &r.store.quiet },
		{ .name = NULL },
	};
	int status = EXIT_OK;

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	if (!read_number(c, r.limit, "limit", LIMIT_MAX, &limit) ||
	    !read_number(c, timeout, "timeout", SECONDS_MAX, &r.settings.timeout) ||
	    !read_number(c, patience, "patience", SECONDS_MAX, &r.settings.patience))
		return EXIT_USAGE;
	if (r.types.p != NULL && (!str_graphic(r.types) || r.types.n > TYPES_MAX))
		return cli_usage(c, "--type wants types of STIX such as report,indicator");
	url = taxii_url(c->arena, words.p[0]);
	if (url.p == NULL)
		return cli_usage(c, "the URL must begin with https:// and have no user, password, "
				    "query or fragment; --credentials names a file");
	if (r.account.p != NULL)
		status = cli_account(c, r.account, &r.store.account);
	if (status != EXIT_OK)
		return status;
	r.store.private = r.account.p != NULL;
	r.settings.credentials = credentials.p;
	r.settings.ca = ca.p;
	r.settings.quiet = r.store.quiet;
	r.http = taxii_open(c, &r.settings);
	if (r.http == NULL)
		return EXIT_FAILED;
	status = run_taxii_import(&r, url);
	taxii_close(r.http);
	return status;
}
