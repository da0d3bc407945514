/* SPDX-License-Identifier: ISC */
/* Stores a report (report_store.h). All decisions are made here, under advisory locks; report_put in
   sql/functions/report.sql writes what was decided. Imports of reports and surfacectl expire take the
   lock of all reports, which shuts everybody else out. An organisation shares that lock with
   the others and has one of its own, so that nobody waits for the report of somebody else. */
#include "config.h"

#include "resource/report_priv.h"
#include "base/limits.h"
#include "resource/report.h"

#include <openssl/sha.h>

/* ---- names ---- */

/* RFC 9562, 5.5. */
struct uuid
report_name_uuid(const struct uuid *space, struct str name)
{
	unsigned char sum[SHA_DIGEST_LENGTH];
	struct uuid u;
	unsigned char *bytes = mem_array(sizeof(*space) + name.n, 1);

	memcpy(bytes, space, sizeof(*space));
	memcpy(bytes + sizeof(*space), name.p, name.n);
	SHA1(bytes, sizeof(*space) + name.n, sum);
	free(bytes);
	memcpy(&u, sum, sizeof(u));
	u.b[6] = (unsigned char)((u.b[6] & 0x0f) | 0x50);
	u.b[8] = (unsigned char)((u.b[8] & 0x3f) | 0x80);
	return u;
}

struct uuid
report_indicator_uuid(const struct uuid *report, struct str type, struct str value)
{
	char room[32 + LIM_INDICATOR];
	int n =
	    snprintf(room, sizeof(room), "%.*s:%.*s", (int)type.n, type.p, (int)value.n, value.p);

	if (n < 0 || (size_t)n >= sizeof(room))
		panic("an indicator is too long");
	return report_name_uuid(report, (struct str){ room, (size_t)n });
}

/* A native report has a UUID of its own; the UUID of another follows from its identity. */
static bool
report_uuid(struct arena *a, const struct uuid *account, const struct report_document *doc,
    struct uuid *out)
{
	static const struct uuid space = { { 0x6f, 0x1c, 0x2b, 0x57, 0x0e, 0x5d, 0x4f, 0x0a, 0x9d,
	    0x3b, 0x52, 0x41, 0x9b, 0x5e, 0x77, 0x21 } };
	struct str name;

	if (str_is(doc->source_kind, "native"))
		return uuid_parse(doc->source_ref, out);
	name = arena_printf(a, "%s %.*s %.*s", account == NULL ? "*" : uuid_text(account).z,
	    (int)doc->source_kind.n, doc->source_kind.p, (int)doc->source_ref.n, doc->source_ref.p);
	*out = report_name_uuid(&space, name);
	return true;
}

/* ---- what is stored ---- */

struct kept {
	struct uuid account_uuid;
	struct str source_kind, source_ref, status, digest;
	int64_t revision;
	struct ts imported_at, updated_at, first_seen, last_seen;
};

static const struct field kept_out[] = {
	FIELD(struct kept, account_uuid, NULLABLE),
	FIELD(struct kept, source_kind, 0),
	FIELD(struct kept, source_ref, 0),
	FIELD(struct kept, status, 0),
	FIELD(struct kept, digest, 0),
	FIELD(struct kept, revision, 0),
	FIELD(struct kept, imported_at, 0),
	FIELD(struct kept, updated_at, 0),
	FIELD(struct kept, first_seen, 0),
	FIELD(struct kept, last_seen, 0),
	FIELD_END,
};

STMT_SHARED(report_lock, char, NULL, "SELECT report_lock($1)");
STMT(read_kept, kept_out,
    "SELECT account_uuid, source_kind, source_ref, status, encode(digest, 'hex') AS digest,"
    " revision, imported_at, updated_at, first_seen, last_seen FROM report WHERE uuid = $1");
STMT(put_report, NULL, "SELECT report_put($1::jsonb, $2, $3::jsonb, $4::jsonb, $5, $6)");

STMT(move_first_seen, NULL, "SELECT report_first_seen($1, $2, $3)");

/* ---- what is written ---- */

/* The columns of report. */
struct written {
	struct uuid uuid, account_uuid;
	struct str source_kind, source_ref, status, title, summary, publisher, url, language, tlp;
	struct str digest;
	int64_t revision;
	struct list threat_actors, malware_families, sectors, techniques, cves, countries, tags;
	struct ts published_at, imported_at, updated_at, first_seen, last_seen;
	bool truncated;
};

#define COLUMN(m) FIELD(struct written, m, NULLABLE)
#define COLUMN_LIST(m) LIST_OF(struct written, m, 0, struct str, 0, 0)
static const struct field contents_out[] = { COLUMN(title), COLUMN(summary), COLUMN(publisher),
	COLUMN(url), COLUMN(language), COLUMN(tlp), COLUMN(published_at),
	COLUMN_LIST(threat_actors), COLUMN_LIST(malware_families), COLUMN_LIST(sectors),
	COLUMN_LIST(techniques), COLUMN_LIST(cves), COLUMN_LIST(countries), COLUMN_LIST(tags),
	COLUMN(truncated), FIELD_END };
static const struct field identity_out[] = { COLUMN(uuid), COLUMN(account_uuid),
	COLUMN(source_kind), COLUMN(source_ref), COLUMN(status), COLUMN(digest), COLUMN(revision),
	COLUMN(imported_at), COLUMN(updated_at), COLUMN(first_seen), COLUMN(last_seen), FIELD_END };

struct named {
	struct str kind, name, matched_as;
	int64_t confidence;
};

static const struct field named_out[] = {
	FIELD(struct named, kind, 0),
	FIELD(struct named, name, 0),
	FIELD(struct named, matched_as, NULLABLE),
	FIELD(struct named, confidence, 0),
	FIELD_END,
};

struct storing {
	struct db *db;
	struct arena *a;
	const struct uuid *account;
	const struct report_document *doc;
	struct record tree;
	struct written row;
	struct str indicators, names; /* JSON */
	struct str digest;            /* hexadecimal */
};

static struct list
list_of(const struct record_object *o, const char *name)
{
	const struct str *p;
	size_t n = record_texts(o, name, &p);

	return (struct list){ (void *)(uintptr_t)p, n };
}

static void
fill_contents(struct storing *s)
{
	const struct record_object *o = s->tree.root;

	s->row = (struct written){ .account_uuid =
				       s->account == NULL ? (struct uuid){ { 0 } } : *s->account,
		.source_kind = s->doc->source_kind,
		.source_ref = s->doc->source_ref,
		.title = record_text(o, "title"),
		.summary = record_text(o, "summary"),
		.publisher = record_text(o, "publisher"),
		.url = record_text(o, "url"),
		.language = record_text(o, "language"),
		.tlp = record_text(o, "tlp"),
		.published_at = s->doc->published_at,
		.threat_actors = list_of(o, "threat_actors"),
		.malware_families = list_of(o, "malware_families"),
		.sectors = list_of(o, "sectors"),
		.techniques = list_of(o, "techniques"),
		.cves = list_of(o, "cves"),
		.countries = list_of(o, "countries"),
		.tags = list_of(o, "tags"),
		.truncated = s->doc->truncated || s->doc->n > LIM_REPORT_INDICATORS };
}

/* JSON of the indicators. NULL, or the fault of one. */
static const char *
write_indicators(struct storing *s, const struct uuid *uuid)
{
	struct buf b = { .a = s->a };

	buf_char(&b, '[');
	for (size_t i = 0; i < s->doc->n && i < LIM_REPORT_INDICATORS; i++) {
		const struct indicator *in = &s->doc->indicators[i];
		struct indicator_row row = { .type = in->type,
			.value = in->value,
			.disposition = str_of(report_dispositions[in->disposition]),
			.section = str_cut_bytes(in->section, 200),
			.context = in->context,
			.ignored_by = in->ignored_by,
			.confidence = in->confidence > 100 ? 100 : in->confidence,
			.occurrences = in->occurrences == 0 ? 1 : in->occurrences,
			.defanged = in->defanged,
			.labels = { (void *)(uintptr_t)in->labels.p, in->labels.n },
			.first_seen_at = in->first_seen_at,
			.last_seen_at = in->last_seen_at,
			.valid_until = in->valid_until,
			.withdrawn_at = TS_NULL };
		const char *why = record_indicator_fault(s->a, in->type, &row.value);

		if (why != NULL)
			return arena_printf(s->a, "indicators: the %.*s \"%.*s\" %s",
			    (int)in->type.n, in->type.p, (int)str_cut_bytes(in->value, 80).n,
			    in->value.p, why)
			    .p;
		row.uuid = report_indicator_uuid(uuid, row.type, row.value);
		if (i > 0)
			buf_char(&b, ',');
		json_write(&b, indicator_row, &row);
	}
	buf_char(&b, ']');
	s->indicators = buf_done(&b);
	return NULL;
}

static void
write_names(struct storing *s)
{
	struct buf b = { .a = s->a };

	buf_char(&b, '[');
	for (size_t i = 0; i < s->doc->nnames; i++) {
		const struct indicator_name *in = &s->doc->names[i];
		struct named row = { in->kind, in->name, in->matched_as,
			in->confidence > 100 ? 100 : in->confidence };

		if (i > 0)
			buf_char(&b, ',');
		json_write(&b, named_out, &row);
	}
	buf_char(&b, ']');
	s->names = buf_done(&b);
}

/* Covers everything that a revision may change. */
static void
make_digest(struct storing *s)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	struct buf b = { .a = s->a };
	char *hex = arena_alloc(s->a, 2 * sizeof(sum) + 1);

	json_write(&b, contents_out, &s->row);
	buf_str(&b, s->indicators);
	buf_str(&b, s->names);
	if (s->doc->text.p != NULL)
		buf_str(&b, s->doc->text);
	SHA256((const unsigned char *)b.p, b.n, sum);
	hex_print(hex, sum, sizeof(sum));
	s->digest = (struct str){ hex, 2 * sizeof(sum) };
}

static bool
is_strict(struct str tlp)
{
#define TLP(spelling, name, strict, marking)                                                       \
	if ((strict) != 0 && str_is(tlp, name))                                                    \
		return true;
#include "tbl/tlps.h"
#undef TLP
	return false;
}

/* Prepares what would be written. False: *what is the reason. */
static bool
prepare_report(struct storing *s, const struct uuid *uuid, struct ts published, struct str *what)
{
	const char *why;

	if (s->doc->source_ref.n == 0 || s->doc->source_ref.n > 2048 ||
	    s->doc->text.n > LIM_REPORT_TEXT) {
		*what = s->doc->text.n > LIM_REPORT_TEXT
			    ? STR("text: has more than 8388608 bytes")
			    : STR("source_ref: must have 1 to 2048 bytes");
		return false;
	}
	if (!report_tree(s->a, s->doc, uuid, published, &s->tree, what))
		return false;
	if (s->account == NULL && is_strict(record_text(s->tree.root, "tlp"))) {
		*what = STR("tlp: every organisation reads a shared report, which amber+strict and "
			    "red forbid");
		return false;
	}
	fill_contents(s);
	why = write_indicators(s, uuid);
	if (why != NULL) {
		*what = str_of(why);
		return false;
	}
	write_names(s);
	make_digest(s);
	return true;
}

/* ---- the decision ---- */

static struct ts
earlier(struct ts x, struct ts y)
{
	return ts_is_null(x) || (!ts_is_null(y) && ts_cmp(y, x) < 0) ? y : x;
}

static struct ts
later_time(struct ts x, struct ts y)
{
	return ts_is_null(x) || (!ts_is_null(y) && ts_cmp(y, x) > 0) ? y : x;
}

/* Whether the stored version of a native report is later than this one. */
static bool
is_report_outdated(const struct storing *s, const struct kept *old)
{
	int order;

	if (s->doc->seen == NULL || ts_is_null(s->doc->seen->last))
		return false;
	order = ts_cmp(s->doc->seen->last, old->last_seen);
	return order < 0 || (order == 0 && str_cmp(s->digest, old->digest) < 0);
}

/* Completes the row and the tree. old: NULL for a new report. */
static void
complete_revision(struct storing *s, const struct kept *old, const struct uuid *uuid, struct ts now)
{
	const struct report_seen none = { TS_NULL, TS_NULL },
				 *seen = s->doc->seen != NULL ? s->doc->seen : &none;
	bool same = old != NULL && str_eq(s->digest, old->digest);
	struct record_object *o = s->tree.root;

	s->row.uuid = *uuid;
	s->row.status = s->doc->withdrawn ? STR("withdrawn") : STR("published");
	s->row.digest = arena_printf(s->a, "\\x%.*s", (int)s->digest.n, s->digest.p);
	s->row.revision = old == NULL ? 1 : old->revision + !same;
	s->row.imported_at = old == NULL ? now : old->imported_at;
	s->row.updated_at = same ? old->updated_at : now;
	s->row.first_seen = ts_is_null(seen->first) ? now : seen->first;
	s->row.last_seen = ts_is_null(seen->last) ? now : seen->last;
	if (old != NULL) {
		s->row.first_seen = earlier(s->row.first_seen, old->first_seen);
		s->row.last_seen = later_time(s->row.last_seen, old->last_seen);
	}
	record_set_text(
	    s->a, o, "visibility", s->account == NULL ? STR("*") : arena_uuid(s->a, s->account));
	record_set_int(s->a, o, "revision", s->row.revision);
	record_set_time(s->a, o, "imported_at", s->row.imported_at);
	record_set_time(s->a, o, "updated_at", s->row.updated_at);
	record_set_time(s->a, o, "first_seen", s->row.first_seen);
	record_set_time(s->a, o, "last_seen", s->row.last_seen);
}

static enum db_rc
put_revision(struct storing *s)
{
	struct buf row = { .a = s->a }, doc = { .a = s->a };
	struct str text = STR_NULL;
	struct bytes bytes = { NULL, 0 };

	json_write(&row, identity_out, &s->row);
	json_write_more(&row, contents_out, &s->row);
	if (!s->doc->withdrawn) {
		struct str key = record_key(s->a, &s->tree);

		bytes = (struct bytes){ (const unsigned char *)key.p, key.n };
		record_print(&doc, &s->tree, NULL);
		text = buf_done(&doc);
	}
	return db_do(s->db, &put_report, NULL, P(buf_done(&row)), P(s->doc->text), P(s->indicators),
	    P(s->names), P(bytes), P(text));
}

/* An earlier version that came later only makes first_seen earlier. */
static enum db_rc
note_earlier(struct storing *s, const struct kept *old, struct report_stored *out)
{
	const struct report_seen *seen = s->doc->seen;
	char text[TS_LEN + 1];

	out->outcome = REPORT_UNCHANGED;
	if (seen == NULL || ts_is_null(seen->first) || ts_cmp(seen->first, old->first_seen) >= 0)
		return DB_OK;
	out->outcome = REPORT_REVISED;
	ts_print(seen->first, text);
	return db_do(s->db, &move_first_seen, NULL, P(out->uuid), P(seen->first), P(str_of(text)));
}

static bool
is_of_another(const struct storing *s, const struct kept *old)
{
	static const struct uuid shared;

	return uuid_cmp(&old->account_uuid, s->account == NULL ? &shared : s->account) != 0 ||
	       !str_eq(old->source_kind, s->doc->source_kind) ||
	       !str_eq(old->source_ref, s->doc->source_ref);
}

/* Whether nothing is to be written. A later sight of the same contents is written, as last_seen
   moves. */
static bool
is_unchanged(const struct storing *s, const struct kept *old)
{
	bool same = str_eq(s->digest, old->digest), gone = str_is(old->status, "withdrawn");
	const struct report_seen *seen = s->doc->seen;

	if (gone != s->doc->withdrawn)
		return false;
	if (is_report_outdated(s, old))
		return true;
	return same && (seen == NULL || ts_is_null(seen->last) ||
			   (ts_cmp(seen->last, old->last_seen) <= 0 &&
			       ts_cmp(seen->first, old->first_seen) >= 0));
}

static enum db_rc
refuse_report(struct report_stored *out, struct str what)
{
	out->outcome = REPORT_BAD;
	out->what = what;
	return DB_OK;
}

/* The stored report. exists: DB_OK, or DB_NONE. */
struct before {
	enum db_rc exists;
	struct kept kept;
};

static enum db_rc
read_before(const struct storing *s, const struct uuid *uuid, struct before *out)
{
	out->exists = db_one(s->db, &read_kept, &out->kept, P(*uuid));
	return out->exists == DB_NONE ? DB_OK : out->exists;
}

static bool
same_import(const struct before *x, const struct before *y)
{
	return x->exists == y->exists &&
	       (x->exists != DB_OK || ts_cmp(x->kept.imported_at, y->kept.imported_at) == 0);
}

/* Prepares the report before the lock, because a large one takes long. The time of the first import
   is all that this needs of the stored report, and it hardly ever changes meanwhile. */
static enum db_rc
prepare_and_lock(struct storing *s, struct report_stored *out, struct ts now, struct before *b)
{
	static const struct uuid shared;
	struct before first;
	enum db_rc rc = read_before(s, &out->uuid, &first);

	if (rc != DB_OK)
		return rc;
	if (first.exists == DB_OK && is_of_another(s, &first.kept))
		return refuse_report(
		    out, STR("uuid: another source or organisation has a report of this UUID"));
	if (!prepare_report(
		s, &out->uuid, first.exists == DB_OK ? first.kept.imported_at : now, &out->what))
		return refuse_report(out, out->what);
	rc = db_do(s->db, &report_lock, NULL, P(s->account == NULL ? shared : *s->account));
	if (rc == DB_OK)
		rc = read_before(s, &out->uuid, b);
	if (rc != DB_OK || same_import(&first, b))
		return rc;
	if (b->exists == DB_OK && is_of_another(s, &b->kept))
		return refuse_report(
		    out, STR("uuid: another source or organisation has a report of this UUID"));
	if (!prepare_report(
		s, &out->uuid, b->exists == DB_OK ? b->kept.imported_at : now, &out->what))
		return refuse_report(out, out->what);
	return DB_OK;
}

enum db_rc
report_store(struct db *db, struct arena *a, const struct uuid *account,
    const struct report_document *doc, struct report_stored *out)
{
	struct storing s = { .db = db, .a = a, .account = account, .doc = doc };
	struct ts now = ts_now();
	struct before b;
	const struct kept *old;
	enum db_rc rc;

	*out = (struct report_stored){ 0 };
	if (!report_uuid(a, account, doc, &out->uuid))
		return refuse_report(out, STR("uuid: is missing or no UUID"));
	rc = prepare_and_lock(&s, out, now, &b);
	if (rc != DB_OK || out->outcome == REPORT_BAD)
		return rc;
	old = b.exists == DB_OK ? &b.kept : NULL;
	out->revision = old != NULL ? old->revision : 0;
	out->outcome = doc->withdrawn ? REPORT_WITHDRAWN
		       : old != NULL  ? REPORT_REVISED
				      : REPORT_NEW;
	if (old != NULL && is_unchanged(&s, old))
		return note_earlier(&s, old, out);
	complete_revision(&s, old, &out->uuid, now);
	out->revision = s.row.revision;
	return put_revision(&s);
}
