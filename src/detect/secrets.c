/* SPDX-License-Identifier: ISC */
/* The detector secrets: credentials in banners, titles, headers and bodies of services and in
 * captured pages, and sensitive files of open directories (C-186, C-187). It never sees a secret:
 * imports mask secrets in documents and store notes, from which this detector computes fingerprints
 * (secret/fingerprint.h, sql/functions/secret.sql).
 *
 *   subject              what is looked at
 *   "host 192.0.2.7"     the services of a host
 *   "page UUID"          a captured page
 *   "directory KEY"      an open directory, KEY in hexadecimal
 *   "www.example.org"    an asset is new: what it owns is asked for
 *   "*"                  everything of the project is asked for
 *
 * A secret is one finding, however many places show it. A place is gone when newer data of it
 * lack the secret. The finding closes when all its places have been gone for 24 hours. */
#include "config.h"

#include <openssl/crypto.h>

#include "base/limits.h"
#include "daemon/conf.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "json/json.h"
#include "json/tree.h"
#include "secret/fingerprint.h"
#include "secret/secret.h"
#include "secret/sensitive_file.h"

enum { LOOK_SUBJECTS = 100, KEY_MOST = 400, KEY_CUT = 360 };

#define HOST "host "
#define PAGE "page "
#define DIRECTORY "directory "

/* ---- statements ---- */

struct subject_row {
	struct str subject;
};

static const struct field subject_out[] = {
	FIELD(struct subject_row, subject, 0),
	FIELD_END,
};

struct note_row {
	struct str subject, part, key_id, pad, note, secret_type;
	struct json about, location;
	int64_t item;
	struct ts seen_at;
};

static const struct field note_out[] = {
	FIELD(struct note_row, subject, 0),
	FIELD(struct note_row, part, 0),
	FIELD(struct note_row, item, 0),
	FIELD(struct note_row, key_id, 0),
	FIELD(struct note_row, pad, 0),
	FIELD(struct note_row, note, 0),
	FIELD(struct note_row, secret_type, 0),
	FIELD(struct note_row, about, 0),
	FIELD(struct note_row, location, 0),
	FIELD(struct note_row, seen_at, 0),
	FIELD_END,
};

struct judged_row {
	struct str subject, secret_type, fingerprint;
	bool shown, known;
	struct json about, location, locations;
	int64_t occurrences;
	struct ts first_seen_at, last_seen_at, gone_at;
};

static const struct field judged_out[] = {
	FIELD(struct judged_row, subject, 0),
	FIELD(struct judged_row, secret_type, 0),
	FIELD(struct judged_row, fingerprint, 0),
	FIELD(struct judged_row, shown, 0),
	FIELD(struct judged_row, known, 0),
	FIELD(struct judged_row, about, 0),
	FIELD(struct judged_row, location, NULLABLE),
	FIELD(struct judged_row, locations, NULLABLE),
	FIELD(struct judged_row, occurrences, 0),
	FIELD(struct judged_row, first_seen_at, 0),
	FIELD(struct judged_row, last_seen_at, 0),
	FIELD(struct judged_row, gone_at, NULLABLE),
	FIELD_END,
};

struct directory_row {
	struct str subject, doc, asset_kind, asset_name;
};

static const struct field directory_out[] = {
	FIELD(struct directory_row, subject, 0),
	FIELD(struct directory_row, doc, 0),
	FIELD(struct directory_row, asset_kind, 0),
	FIELD(struct directory_row, asset_name, 0),
	FIELD_END,
};

STMT_LIST(list_secret_subjects, struct subject_row, subject_out,
    "SELECT subject FROM secret_subjects($1, $2)");
STMT_LIST(list_notes, struct note_row, note_out,
    "SELECT subject, part, item, key_id, pad, note, secret_type, about, location, seen_at"
    " FROM secret_look($1, $2)");
STMT_LIST(judge_secrets, struct judged_row, judged_out,
    "SELECT subject, secret_type, fingerprint, shown, known, about, location, locations, "
    "occurrences,"
    " first_seen_at, last_seen_at, gone_at FROM secret_judge($1, $2, $3)");
STMT_LIST(list_directories, struct directory_row, directory_out,
    "SELECT subject, doc, asset_kind, asset_name FROM secret_directories($1, $2)");
STMT(store_places, NULL, "SELECT secret_store($1, $2, $3, $4)");

/* ---- what changed ---- */

static enum db_rc
affected_secrets(struct affected *f)
{
	const struct owners *all;
	enum dataset d = f->batch->source;
	enum db_rc rc;

	if (d != DATASET_HOSTS && d != DATASET_DIRECTORIES)
		return DB_OK;
	rc = affected_owners(f, &all);
	for (size_t i = 0; rc == DB_OK && i < f->batch->ndocuments; i++) {
		const struct document *doc = &f->batch->documents[i];
		struct list owners = affected_owners_of(f, all, doc);
		const struct owner *o = owners.items;
		const struct json_value *ip =
		    doc->named == NULL ? NULL : json_get(doc->named, "ip");
		struct str subject =
		    d == DATASET_DIRECTORIES
			? arena_printf(f->x->a, DIRECTORY "%.*s", (int)doc->key.n, doc->key.p)
		    : ip == NULL
			? STR_NULL
			: arena_printf(f->x->a, HOST "%.*s", (int)json_text(ip).n, json_text(ip).p);

		for (size_t k = 0; subject.p != NULL && k < owners.n; k++)
			affected_ask(f, &o[k].project, subject);
	}
	return rc;
}

/* ---- secrets ---- */

/* The data that look_at_places passes to store_secret_places by l->of_storing. */
struct secret_look {
	struct strs subjects;
	struct str seen; /* JSON */
	char key_id[SECRET_KEY_ID + 1];
};

/* Adds a note with its fingerprint. Returns false for a note that was made with another key,
   because its fingerprint cannot be computed. */
static bool
add_seen(struct look *l, const struct secret_key *k, const struct note_row *n, struct buf *seen)
{
	struct str fingerprint;

	if (!str_is(n->key_id, k->id))
		return false;
	fingerprint = secret_fingerprint(l->x->a, k, &l->project, n->note, n->pad);
	if (fingerprint.p == NULL)
		return false;
	buf_z(seen, seen->n == 0 ? "[{" : ",{");
	json_member_text(seen, "subject", n->subject);
	json_member_text(seen, "part", n->part);
	json_member_text(seen, "secret_type", n->secret_type);
	json_member_text(seen, "fingerprint", fingerprint);
	json_member_time(seen, "seen_at", n->seen_at);
	json_member_int(seen, "item", n->item);
	json_member_json(seen, "about", n->about.text);
	json_member_json(seen, "location", n->location.text);
	buf_char(seen, '}');
	return true;
}

static void
copy_members(struct buf *b, const struct json_value *about, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_member_text(b, names[i], json_get_text(about, names[i]));
	}
}

static struct str
secret_evidence(struct look *l, const struct judged_row *j, const struct json_value *about)
{
	static const char *const copied[] = { "provider", "preview", "key_name" };
	const struct json_value *length = json_get(about, "length");
	struct buf b = { .a = l->x->a };
	bool valid = json_get_bool(about, "valid");

	buf_char(&b, '{');
	json_member_text(&b, "secret_type", j->secret_type);
	json_member_text(&b, "fingerprint", j->fingerprint);
	copy_members(&b, about, copied, COUNT(copied));
	if (length != NULL)
		buf_printf(&b, ",\"length\":%.0f", json_num(length));
	json_member_text(&b, "check", valid ? STR("valid") : STR("none"));
	if (json_get_text(about, "asset_kind").p != NULL)
		json_member_text(&b, "matched_by",
		    str_is(json_get_text(about, "asset_kind"), "address") ? STR("address")
									  : STR("hostname"));
	if (json_get_bool(about, "suspect"))
		json_member_bool(&b, "suspect", true);
	json_member_int(&b, "occurrences", j->occurrences);
	json_member_json(&b, "location", j->location.text);
	json_member_json(&b, "locations", j->locations.text);
	buf_printf(&b, ",\"reasons\":[{\"code\":\"form\",\"weight\":70}%s]",
	    valid ? ",{\"code\":\"check\",\"weight\":20}" : "");
	json_member_text(&b, "remediation",
	    STR("Revoke the secret at its provider, then remove it from the service."));
	buf_char(&b, '}');
	return buf_done(&b);
}

static struct str
secret_title(struct look *l, const struct judged_row *j)
{
	const struct json_value *first = json_parse(l->x->a, j->location.text);
	struct str ip = json_get_text(first, "ip"), url = json_get_text(first, "url");
	struct str where = ip.p != NULL ? ip : str_cut(url, 300);

	return arena_printf(l->x->a, "A secret of the type %.*s is exposed on %.*s",
	    (int)j->secret_type.n, j->secret_type.p, (int)where.n, where.p);
}

static void
find_secret(struct look *l, const struct judged_row *j, struct str key)
{
	const struct json_value *about = json_parse(l->x->a, j->about.text);

	look_found(l, j->subject,
	    &(struct found){ .key = key,
		.type = STR("exposed_secret"),
		.title = secret_title(l, j),
		.severity = json_get_text(about, "severity"),
		.confidence = json_get_bool(about, "valid") ? 0.9 : 0.7,
		.asset_kind = json_get_text(about, "asset_kind"),
		.asset_name = json_get_text(about, "asset_name"),
		.evidence = secret_evidence(l, j, about),
		.first = j->first_seen_at,
		.last = j->last_seen_at });
}

/* left: the number of new findings that the project may still have. */
static void
judge_secret_row(struct look *l, const struct judged_row *j, int64_t *left)
{
	struct str key = arena_printf(l->x->a, "secret/%.*s/%.*s", (int)j->secret_type.n,
	    j->secret_type.p, (int)j->fingerprint.n, j->fingerprint.p);

	if (!j->shown) {
		if (j->known && !ts_is_null(j->gone_at))
			look_absent(l, key, j->gone_at);
	} else if (j->known || *left > 0) {
		*left -= j->known ? 0 : 1;
		find_secret(l, j, key);
	} else {
		look_counted(l, "beyond_limit", 1);
	}
}

static enum db_rc
look_at_places(struct look *l, struct strs places, int64_t *left)
{
	struct secret_key key;
	struct secret_look *storing = ARENA_NEW(l->x->a, struct secret_look);
	struct buf seen = { .a = l->x->a };
	struct list rows = { 0 }, judged = { 0 };
	char err[512];
	enum db_rc rc = db_list(l->x->db, &list_notes, &rows, P(l->project), P(places));
	const struct note_row *n = rows.items;
	const struct judged_row *j;

	if (rc != DB_OK)
		return rc;
	/* The key is needed only when there are notes. Places without notes are stored as gone. */
	if (!secret_key_read(conf.fingerprint_file, &key, err, sizeof(err))) {
		memset(&key, 0, sizeof(key));
		if (rows.n > 0) {
			l->why = arena_printf(l->x->a, "fingerprint_file: %s", err).p;
			return DB_CONFLICT;
		}
	}
	for (size_t i = 0; i < rows.n; i++)
		look_counted(l, add_seen(l, &key, &n[i], &seen) ? "secrets" : "of_another_key", 1);
	*storing = (struct secret_look){ .subjects = places, .seen = array_done(&seen) };
	memcpy(storing->key_id, key.id, sizeof(key.id));
	OPENSSL_cleanse(&key, sizeof(key));
	l->of_storing = storing;
	rc = db_list(l->x->db, &judge_secrets, &judged, P(l->project), P(places), P(storing->seen));
	j = judged.items;
	for (size_t i = 0; rc == DB_OK && i < judged.n; i++)
		judge_secret_row(l, &j[i], left);
	return rc;
}

static enum db_rc
store_secret_places(struct look *l)
{
	const struct secret_look *s = l->of_storing;

	return db_do(l->x->db, &store_places, NULL, P(l->project), P(s->subjects), P(s->seen),
	    P(str_of(s->key_id)));
}

/* ---- sensitive files ---- */

static struct str
file_key(struct look *l, struct str url)
{
	struct str key = look_cut_key(l->x->a, url, KEY_MOST, KEY_CUT);

	return arena_printf(l->x->a, "sensitive_file/%.*s", (int)key.n, key.p);
}

static struct str
file_evidence(struct look *l, const struct directory_row *d, const struct json_value *file,
    struct str url, const struct sensitive_kind *kind)
{
	struct buf b = { .a = l->x->a };
	const struct json_value *size = json_get(file, "size");

	buf_char(&b, '{');
	json_member_text(&b, "file_name", secrets_mask(l->x->a, json_get_text(file, "name")));
	json_member_text(&b, "url", url);
	if (size != NULL && json_type(size) == JSON_NUMBER)
		buf_printf(&b, ",\"size\":%.0f", json_num(size));
	json_member_text(
	    &b, "matched_by", str_is(d->asset_kind, "address") ? STR("address") : STR("hostname"));
	buf_z(&b, ",\"location\":{\"kind\":\"file_name\"");
	json_member_text(&b, "url", url);
	buf_z(&b, "},\"reasons\":[{\"code\":\"name\",\"weight\":70}]");
	json_member_text(&b, "remediation", kind->remediation);
	buf_char(&b, '}');
	return buf_done(&b);
}

/* An open directory that is looked at. */
struct directory_look {
	struct look *l;
	const struct directory_row *d;
	const struct json_value *doc;
	struct buf keys; /* struct str, of its sensitive files */
	int64_t *left;   /* new findings that the project may still have */
	bool cut;        /* there was no room for some sensitive files */
};

static bool
has_key(const struct directory_look *g, struct str key)
{
	const struct str *p = (const void *)g->keys.p;

	for (size_t i = 0; i < g->keys.n / sizeof(*p); i++)
		if (str_eq(p[i], key))
			return true;
	return false;
}

/* Whether there is room for the finding of this key. A finding that is stored already takes no
   room. */
static bool
has_room(struct directory_look *g, struct str key)
{
	if (g->keys.n / sizeof(key) < LIM_DIRECTORY_FILES &&
	    (look_known_finding(g->l, key) != NULL || (*g->left)-- > 0))
		return true;
	look_counted(g->l, "beyond_limit", 1);
	g->cut = true;
	return false;
}

/* Reports a sensitive file as a finding and remembers its key. */
static void
look_at_file(struct directory_look *g, const struct json_value *file)
{
	struct look *l = g->l;
	const struct directory_row *d = g->d;
	const struct json_value *doc = g->doc;
	struct str name = json_get_text(file, "name"), folder = json_get_text(doc, "url"), url, key;
	const struct sensitive_kind *kind;

	if (name.p == NULL || folder.p == NULL)
		return;
	url = arena_printf(l->x->a, "%.*s%s%.*s", (int)folder.n, folder.p,
	    str_ends(folder, STR("/")) ? "" : "/", (int)name.n, name.p);
	kind = sensitive_file(url);
	if (kind == NULL)
		return;
	url = secrets_mask(l->x->a, str_cut_bytes(url, 2048));
	key = file_key(l, url);
	if (has_key(g, key) || !has_room(g, key))
		return;
	buf_add(&g->keys, &key, sizeof(key));
	name = secrets_mask(l->x->a, str_cut(name, 200));
	look_found(l, d->subject,
	    &(struct found){ .key = key,
		.type = STR("sensitive_file"),
		.title = arena_printf(
		    l->x->a, "%.*s: %.*s", (int)kind->title.n, kind->title.p, (int)name.n, name.p),
		.severity = STR("high"),
		.confidence = 0.7,
		.asset_kind = d->asset_kind,
		.asset_name = d->asset_name,
		.evidence = file_evidence(l, d, file, url, kind),
		.first = json_get_time(doc, "first_seen"),
		.last = json_get_time(doc, "last_seen") });
}

/* Reports the sensitive files of a directory, and the findings whose files are no longer in it.
   When the list of files is incomplete, no finding is reported absent: its file may be one that is
   missing from the list. */
static void
look_at_directory(struct look *l, const struct directory_row *d, int64_t *left)
{
	const struct json_value *doc = json_parse(l->x->a, d->doc),
				*files = doc == NULL ? NULL : json_get(doc, "files");
	struct directory_look g = {
		.l = l, .d = d, .doc = doc, .keys = { .a = l->x->a }, .left = left
	};

	if (doc == NULL)
		return;
	for (size_t i = 0; files != NULL && i < json_length(files); i++)
		look_at_file(&g, json_at(files, i));
	look_counted(l, "directories", 1);
	if (g.cut || json_get_bool(doc, "truncated") || ts_is_null(json_get_time(doc, "last_seen")))
		return;
	for (size_t i = 0; i < l->known_count; i++) {
		const struct known_finding *s = &l->known[i];

		if (str_eq(s->subject, d->subject) && !has_key(&g, s->finding_key))
			look_absent(l, s->finding_key, json_get_time(doc, "last_seen"));
	}
}

static enum db_rc
look_at_directories(struct look *l, struct strs subjects, int64_t *left)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(l->x->db, &list_directories, &rows, P(l->project), P(subjects));
	const struct directory_row *d = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++)
		look_at_directory(l, &d[i], left);
	return rc;
}

/* ---- a look ---- */

/* Asks for the hosts, pages and directories of assets. An empty list of names asks for the
   whole project. */
static enum db_rc
ask_for_assets(struct look *l, struct strs names)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(l->x->db, &list_secret_subjects, &rows, P(l->project), P(names));
	const struct subject_row *s = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++)
		look_ask(l, s[i].subject, TS_NULL);
	return rc;
}

static void
add_subject(struct arena *a, struct strs *to, struct str subject)
{
	struct str *p = (struct str *)(uintptr_t)to->p;

	p = arena_room(a, p, to->n, sizeof(*p));
	p[to->n] = subject;
	*to = (struct strs){ p, to->n + 1 };
}

static enum db_rc
look_at_secrets(struct look *l)
{
	struct strs places = { NULL, 0 }, directories = { NULL, 0 }, names = { NULL, 0 };
	int64_t left;
	enum db_rc rc = look_room(l, LIM_SECRET_FINDINGS, &left);

	for (size_t i = 0; i < l->nsubjects; i++) {
		struct str s = l->subjects[i];

		if (str_is(s, "*"))
			return rc == DB_OK ? ask_for_assets(l, (struct strs){ NULL, 0 }) : rc;
		add_subject(l->x->a,
		    str_starts(s, STR(DIRECTORY))                          ? &directories
		    : str_starts(s, STR(HOST)) || str_starts(s, STR(PAGE)) ? &places
									   : &names,
		    s);
	}
	if (rc == DB_OK && names.n > 0)
		rc = ask_for_assets(l, names);
	if (rc == DB_OK && places.n > 0)
		rc = look_at_places(l, places, &left);
	if (rc == DB_OK && directories.n > 0)
		rc = look_at_directories(l, directories, &left);
	return rc;
}

static const struct detector secrets = {
	.name = "secrets",
	.subjects = LOOK_SUBJECTS,
	.whole = true,
	.affected = affected_secrets,
	.look = look_at_secrets,
	.store = store_secret_places,
};
DETECTOR_ENTRY(secrets);
