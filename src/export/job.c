/* SPDX-License-Identifier: ISC */
/* One export from its claim to its end (export.h). When the writing ends early, the file is at
   least as long as the row records, and the next process continues after the last checkpoint. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/host.h"
#include "db/guard.h"
#include "export/export.h"
#include "search/walk.h"

enum {
	JOB_MEMORY = 1 << 30,
	CHECK_BYTES = 16 << 20, /* text */
	COUNT_MS = 45000,
};

struct job {
	struct exporter *x;
	struct arena *arena; /* freed with the job */
	struct arena *tree;  /* emptied after each line of CSV */
	struct export e;
	int64_t epoch, resumed, attempts;
	struct str position; /* the position in the row */
	enum dataset dataset;
	struct query query;
	const struct record_fields *fields;
	struct cells cells;
	struct walk walk;
	struct out *out;
	int64_t generation, written, gone, bytes; /* written: with those after the checkpoint */
	int64_t check_at;                         /* mono_us */
	size_t text;                              /* bytes since the checkpoint */
	bool begun;       /* this process is the writer: an attempt is counted */
	int64_t again_ms; /* STEP_LEFT: the time until it may be claimed again */
	const char *why;  /* the reason of STEP_FAILED */
};

/* The result of each step of a job. */
enum step {
	STEP_ON,
	STEP_FAILED, /* the export fails; `why` is the reason */
	STEP_ENDED,  /* it was cancelled; its file is removed */
	STEP_LEFT,   /* the export is released, and continued after another claim */
	STEP_YIELD,  /* another process is writing it; its lease is not changed */
};

/* ---- statements ---- */

struct claimed {
	struct uuid uuid, account_uuid;
	struct str dataset, query, format, compression, position;
	struct list fields;
	int64_t total, written, gone, bytes, epoch, resumed, attempts;
	struct ts created_at;
};

static const struct field claimed_out[] = {
	FIELD(struct claimed, uuid, 0),
	FIELD(struct claimed, account_uuid, 0),
	FIELD(struct claimed, dataset, 0),
	FIELD(struct claimed, query, 0),
	FIELD(struct claimed, format, 0),
	FIELD(struct claimed, compression, 0),
	FIELD(struct claimed, position, NULLABLE),
	LIST_OF(struct claimed, fields, 0, struct str, 0, LIM_FIELDS),
	FIELD(struct claimed, total, 0),
	FIELD(struct claimed, written, 0),
	FIELD(struct claimed, gone, 0),
	FIELD(struct claimed, bytes, 0),
	FIELD(struct claimed, epoch, 0),
	FIELD(struct claimed, resumed, 0),
	FIELD(struct claimed, attempts, 0),
	FIELD(struct claimed, created_at, 0),
	FIELD_END,
};

struct answered {
	struct str state;
};

static const struct field answered_out[] = {
	FIELD(struct answered, state, 0),
	FIELD_END,
};

struct begun {
	int64_t epoch, resumed;
};

static const struct field begun_out[] = {
	FIELD(struct begun, epoch, 0),
	FIELD(struct begun, resumed, 0),
	FIELD_END,
};

STMT(claim_export, claimed_out,
    "SELECT uuid, account_uuid, dataset, query, format, compression,"
    " encode(position, 'hex') AS position, fields,"
    " total, written, gone, bytes, epoch, resumed::bigint AS resumed,"
    " attempts, created_at"
    " FROM export_claim($1)");
STMT(progress_export, answered_out,
    "SELECT export_progress($1, $2, $3, $4, $5, $6, $7, $8, $9) AS state");
STMT(complete_export, answered_out, "SELECT export_complete($1, $2, $3, $4, $5, $6, $7) AS state");
STMT(fail_export, NULL, "SELECT export_fail($1, $2, $3)");
STMT(release_export, NULL, "SELECT export_release($1, $2, $3, $4)");
STMT(begin_export, begun_out, "SELECT epoch, resumed FROM export_begin($1, $2, $3, $4)");
STMT_LIST(read_export, struct walk_row, walk_row_out,
    "SELECT at, doc FROM export_read($1, $2, $3::smallint, $4, $5)");

static enum db_rc
read_documents(void *arg, enum dataset source, struct strs keys, struct list *rows)
{
	const struct job *j = arg;
	const int64_t most = LIM_PAGE_BYTES, number = record_dataset_number(source);

	if (!db_up(j->x->db))
		return DB_DOWN;
	return db_list(
	    j->x->db, &read_export, rows, P(j->e.uuid), P(j->epoch), P(number), P(keys), P(most));
}

/* ---- the claim ---- */

/* Copies the claimed row, because the memory of the database's answer is used again. */
static void
copy_claim(struct job *j, const struct claimed *c)
{
	struct str *names = ARENA_ARRAY(j->arena, c->fields.n + 1, struct str);
	const struct str *sent = c->fields.items;
	struct str hex = c->position.p == NULL ? STR("") : c->position;
	unsigned char *key = arena_alloc(j->arena, hex.n / 2 + 1);

	for (size_t i = 0; i < c->fields.n; i++)
		names[i] = arena_str(j->arena, sent[i]);
	j->e = (struct export){
		.uuid = c->uuid,
		.account_uuid = c->account_uuid,
		.dataset = arena_str(j->arena, c->dataset),
		.query = arena_str(j->arena, c->query),
		.format = arena_str(j->arena, c->format),
		.compression = arena_str(j->arena, c->compression),
		.fields = { names, c->fields.n },
		.total = c->total,
		.created_at = c->created_at,
	};
	if (!hex_parse(hex, key, hex.n / 2))
		panic("the position of an export is no hexadecimal number");
	j->position = (struct str){ (const char *)key, hex.n / 2 };
	j->epoch = c->epoch;
	j->resumed = c->resumed;
	j->attempts = c->attempts;
	j->written = c->written;
	j->gone = c->gone;
	j->bytes = c->bytes;
}

static bool
is_csv(const struct job *j)
{
	return str_is(j->e.format, "csv");
}

/* An export that another release accepted may have a dataset, a query or a field that this release
   lacks. */
static enum step
plan_job(struct job *j)
{
	struct query_fault fault;

	j->dataset = walk_dataset(j->e.dataset);
	j->why = "invalid_search_query";
	/* now-7d is seven days before the request, whenever the export is written. */
	if (j->dataset == DATASETS_AND_CONDITIONS ||
	    !query_parse(j->arena, j->dataset, j->e.query, j->e.created_at, &j->query, &fault))
		return STEP_FAILED;
	query_restrict(j->arena, &j->query, &j->e.account_uuid);
	if (j->e.fields.n > 0)
		j->fields = walk_fields(j->arena, j->dataset, j->e.fields.items, j->e.fields.n);
	if (j->e.fields.n > 0 && j->fields == NULL)
		return STEP_FAILED;
	j->why = NULL;
	j->cells = walk_cells(j->arena, j->dataset, j->e.fields.items, j->e.fields.n);
	return STEP_ON;
}

/* ---- results as steps ---- */

static enum step
after_out(struct job *j, enum out_rc rc)
{
	if (rc == OUT_OK)
		return STEP_ON;
	j->why = "disk_full";
	return rc == OUT_FULL ? STEP_FAILED : STEP_LEFT;
}

/* When the engine cannot answer now, the export is claimed again after the duration of a lease. */
static enum step
after_engine(struct job *j, enum engine_rc rc)
{
	if (rc == ENGINE_OK)
		return STEP_ON;
	log_event(LOGP_ERR, "export_engine", "export=%s rc=%d", uuid_text(&j->e.uuid).z, (int)rc);
	j->why = "search_timeout";
	j->again_ms = conf.export_lease;
	return rc == ENGINE_TIMEOUT || rc == ENGINE_TOO_EXPENSIVE ? STEP_FAILED : STEP_LEFT;
}

static enum step
after_database(struct job *j, enum db_rc rc, const char *what, struct str state)
{
	if (!db_ok(j->x->db, rc, what))
		return STEP_LEFT;
	if (str_is(state, "running") || str_is(state, "complete"))
		return STEP_ON;
	return str_is(state, "lost") ? STEP_LEFT : STEP_ENDED;
}

/* ---- writing ---- */

static enum step
checkpoint(struct job *j)
{
	const struct str after = { j->walk.after.p, j->walk.after.n };
	const struct bytes position = { (const unsigned char *)after.p, after.n };
	struct answered a = { .state = STR("lost") };
	enum step s = after_out(j, out_checkpoint(j->out, &j->bytes));
	enum db_rc rc = DB_DOWN;

	if (s != STEP_ON)
		return s;
	if (db_up(j->x->db))
		rc = db_one(j->x->db, &progress_export, &a, P(j->e.uuid), P(j->epoch),
		    P(conf.export_lease), P(j->generation), P(j->e.total), P(j->written),
		    P(j->gone), P(j->bytes), P(position));
	j->check_at = mono_us() + conf.export_checkpoint * 1000;
	j->text = 0;
	return after_database(j, rc, "progress", a.state);
}

static enum step
put_text(struct job *j, struct str text)
{
	j->text += text.n;
	return after_out(j, out_write(j->out, text));
}

static enum step
put_head(struct job *j)
{
	struct buf b = { .a = j->arena };
	const struct str *names = j->e.fields.items;

	if (is_csv(j)) {
		cells_head(&b, &j->cells);
		return put_text(j, buf_done(&b));
	}
	buf_z(&b, "{\"export\":{");
	json_member_str(&b, "uuid", uuid_text(&j->e.uuid).z);
	json_member(&b, "dataset");
	json_write_str(&b, j->e.dataset);
	json_member(&b, "query");
	json_write_str(&b, j->e.query);
	json_member_begin(&b, "fields", '[');
	for (size_t i = 0; i < j->e.fields.n; i++)
		json_item_str(&b, arena_str(j->arena, names[i]).p);
	buf_char(&b, ']');
	json_member_int(&b, "generation", j->generation);
	json_member_int(&b, "total", j->e.total);
	buf_z(&b, "}}\n");
	return put_text(j, buf_done(&b));
}

/* The last line shows that the file is complete. A CSV file has no such line, because its reader
   would read it as a record. */
static enum step
put_tail(struct job *j)
{
	struct buf b = { .a = j->arena };

	if (is_csv(j))
		return STEP_ON;
	buf_printf(&b,
	    "{\"end\":{\"records\":%jd,\"gone\":%jd,\"resumed\":%jd,\"complete\":true}}\n",
	    (intmax_t)j->written, (intmax_t)j->gone, (intmax_t)j->resumed);
	return put_text(j, buf_done(&b));
}

/* Counts the matches in the generation that is walked, which may have more than the generation that
   was counted for the quota. The deadline is before the watchdog would kill this process: the next
   process would count again. */
static enum step
count_matches(struct job *j)
{
	const int64_t stuck = conf.worker_stuck / 4 * 3, ms = stuck < COUNT_MS ? stuck : COUNT_MS;
	const struct budget budget = { .deadline = mono_us() + ms * 1000, .work = UINT64_MAX };
	struct engine_status status;
	struct count n = { 0 };
	enum step s;

	daemon_slot()->busy_since = mono_us();
	s = after_engine(j, engine_count(j->x->engine, j->arena, &j->query, &budget, &n));
	if (s != STEP_ON)
		return s;
	engine_status(j->x->engine, j->dataset, &status);
	j->generation = (int64_t)status.generation;
	j->e.total = (int64_t)n.n;
	j->why = "too_large";
	return n.n > LIM_EXPORT_RECORDS ? STEP_FAILED : STEP_ON;
}

static enum step
put_record(struct job *j, struct buf *line, struct buf *cells)
{
	if (!is_csv(j)) {
		buf_char(line, '\n');
		return put_text(j, buf_done(line));
	}
	buf_clear(cells);
	cells_write(cells, j->tree, &j->cells, buf_done(line));
	return put_text(j, buf_done(cells));
}

/* Writes the next match. STEP_ON with *end: there is none. */
static enum step
put_match(struct job *j, struct buf *line, struct buf *cells, bool *end)
{
	buf_clear(line);
	switch (walk_next(&j->walk, line)) {
	case WALK_RECORD:
		j->written++;
		return put_record(j, line, cells);
	case WALK_GONE:
		j->gone++;
		return STEP_ON;
	case WALK_END:
		*end = true;
		return STEP_ON;
	case WALK_ENGINE:
		return after_engine(j, j->walk.engine_rc);
	case WALK_DATABASE:
		return after_database(j, j->walk.db_rc, "read", STR("lost"));
	}
	return STEP_LEFT;
}

/* The notification of a change of any export causes a checkpoint at once, because this export may
   have been cancelled. */
static enum step
put_matches(struct job *j)
{
	struct buf line = { 0 }, cells = { 0 };
	enum step s = STEP_ON;
	bool end = false;

	for (unsigned n = 0; s == STEP_ON && !end; n++) {
		daemon_slot()->busy_since = mono_us();
		s = put_match(j, &line, &cells, &end);
		if (s != STEP_ON || (n % 64 != 0 && j->text < CHECK_BYTES))
			continue;
		if (daemon_stopping()) {
			s = checkpoint(j);
			if (s == STEP_ON)
				s = STEP_LEFT;
		} else if (keep_files(j->x) || j->text >= CHECK_BYTES || mono_us() >= j->check_at) {
			s = checkpoint(j);
		}
	}
	buf_free(&line);
	buf_free(&cells);
	return s;
}

/* The row gets no checkpoint after the last line: a process that continued there would write this
   line again. */
static enum step
finish_file(struct job *j)
{
	unsigned char sha256[32];
	const struct bytes sum = { sha256, sizeof(sha256) };
	const int64_t days = LIM_EXPORT_DAYS;
	struct answered a = { .state = STR("lost") };
	enum step s = put_tail(j);
	enum db_rc rc = DB_DOWN;

	if (s == STEP_ON)
		s = after_out(j, out_checkpoint(j->out, &j->bytes));
	if (s == STEP_ON)
		s = after_out(j, out_finish(j->out, sha256));
	if (s != STEP_ON)
		return s;
	if (db_up(j->x->db))
		rc = db_one(j->x->db, &complete_export, &a, P(j->e.uuid), P(j->epoch),
		    P(j->written), P(j->gone), P(j->bytes), P(sum), P(days));
	return after_database(j, rc, "complete", a.state);
}

/* The epoch is increased after the file is locked, not by the claim. So the claim of an export that
   another process still writes changes nothing for that process, whose reads and checkpoints
   compare the epoch. */
static enum step
begin_writing(struct job *j, int64_t had)
{
	struct begun begun = { .epoch = j->epoch };
	enum db_rc rc = DB_DOWN;

	if (db_up(j->x->db))
		rc = db_one(j->x->db, &begin_export, &begun, P(j->e.uuid), P(j->epoch), P(had),
		    P(host_name()));
	if (rc == DB_NONE || !db_ok(j->x->db, rc, "begin"))
		return STEP_LEFT;
	j->epoch = begun.epoch;
	j->resumed = begun.resumed;
	j->begun = true;
	return STEP_ON;
}

static enum step
write_file(struct job *j)
{
	int64_t had = j->bytes;
	enum out_rc rc = out_open(&j->e, &j->bytes, &j->out);
	enum step s = rc == OUT_BUSY ? STEP_YIELD : after_out(j, rc);

	if (s == STEP_ON && j->attempts >= LIM_EXPORT_ATTEMPTS) {
		j->why = "attempts_failed";
		return STEP_FAILED;
	}
	if (s == STEP_ON)
		s = begin_writing(j, had);
	if (s != STEP_ON)
		return s;
	if (had > 0 && j->bytes == 0)
		j->written = j->gone = 0;
	else
		buf_str(&j->walk.after, j->position);
	s = count_matches(j);
	if (s == STEP_ON && j->bytes == 0)
		s = put_head(j);
	if (s == STEP_ON)
		s = checkpoint(j);
	if (s == STEP_ON)
		s = put_matches(j);
	return s == STEP_ON ? finish_file(j) : s;
}

/* ---- the end ---- */

/* A released export can be claimed again after again_ms, or at once when this process stops. */
static void
settle_job(struct job *j, enum step s)
{
	struct db *db = j->x->db;

	if (s == STEP_FAILED || s == STEP_ENDED)
		if (j->out != NULL)
			out_remove(j->out);
	db_allow_call(db);
	if (s == STEP_FAILED)
		(void)db_ok(db,
		    db_do(db, &fail_export, NULL, P(j->e.uuid), P(j->epoch), P(str_of(j->why))),
		    "fail");
	if (s == STEP_LEFT)
		(void)db_ok(db,
		    db_do(db, &release_export, NULL, P(j->e.uuid), P(j->epoch),
			P(daemon_stopping() ? INT64_C(0) : j->again_ms), P(j->begun)),
		    "release");
	log_event(s == STEP_FAILED ? LOGP_ERR : LOGP_INFO, "export",
	    "export=%s dataset=%.*s result=%s%s written=%jd bytes=%jd", uuid_text(&j->e.uuid).z,
	    (int)j->e.dataset.n, j->e.dataset.p,
	    (const char *const[]){ "complete", "failed:", "cancelled", "left", "yielded" }[s],
	    s == STEP_FAILED ? j->why : "", (intmax_t)j->written, (intmax_t)j->bytes);
}

bool
write_next_export(struct exporter *x)
{
	struct job j = { .x = x, .again_ms = conf.export_poll };
	struct claimed c;
	enum step s;
	enum db_rc rc;

	if (!db_up(x->db))
		return false;
	rc = db_one(x->db, &claim_export, &c, P(conf.export_lease));
	if (rc == DB_NONE || !db_ok(x->db, rc, "claim"))
		return false;
	j.arena = arena_new(JOB_MEMORY);
	j.tree = arena_new(JOB_MEMORY);
	copy_claim(&j, &c);
	engine_refresh(x->engine);
	s = plan_job(&j);
	j.walk = (struct walk){ .engine = x->engine,
		.query = &j.query,
		.fields = j.fields,
		.read = read_documents,
		.arg = &j,
		.rows = x->arena };
	walk_begin(&j.walk);
	if (s == STEP_ON)
		s = write_file(&j);
	settle_job(&j, s);
	if (j.out != NULL)
		out_close(j.out);
	walk_end(&j.walk);
	arena_free(j.tree);
	arena_free(j.arena);
	arena_reset(x->arena);
	return s != STEP_LEFT && s != STEP_YIELD;
}
