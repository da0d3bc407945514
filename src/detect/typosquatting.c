/* SPDX-License-Identifier: ISC */
/* The detector typosquatting reports names that resemble the watched domains of a project
 * (C-177 to C-183). It neither generates nor resolves names: it compares every name that an import
 * brings with all watched labels in memory.
 *
 *   watched_domain --load--> index of labels (lookalike.h)
 *                                  ^
 *   changed documents: dns, whois, certificates, hosts --affected--> subjects
 *
 *   subject                          look
 *   paypal.com/paypal-login.com      facts about the name, and its finding (resource/lookalike_facts.h)
 *   paypal.com/paypa1.com#KEY        the same, and the certificate with this key is remembered
 *   +UUID                            begins the walk through all known names for a watched domain
 *   +UUID DATASET KEY                a page of the walk, which asks for subjects and for its next page
 *   *                                +UUID of each watched domain
 *
 * lookalike_candidate stores certificates, because no index in PostgreSQL finds a certificate by
 * its names. */
#include "config.h"

#include "base/limits.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/lookup.h"
#include "resource/lookalike_facts.h"

/* The size of the index in memory. When INDEX_ENTRIES is reached, further domains are compared
   without their words. */
#define INDEX_MEMORY ((size_t)4 << 30)
enum { INDEX_ENTRIES = 1 << 25 };

STMT_LIST(list_all_watched, struct watched_domain, watched_domain_row,
    "SELECT uuid, project_uuid, domain, words, allow, min_score, enabled"
    " FROM watched_domains(NULL, true)");
STMT_LIST(list_project_watched, struct watched_domain, watched_domain_row,
    "SELECT uuid, project_uuid, domain, words, allow, min_score, enabled"
    " FROM watched_domains($1, false)");
STMT(keep_lookalikes, NULL, "SELECT lookalike_keep($1::jsonb)");

struct certificate_doc {
	struct str key, doc;
};

static const struct field certificate_doc_out[] = {
	FIELD(struct certificate_doc, key, 0),
	FIELD(struct certificate_doc, doc, 0),
	FIELD_END,
};

STMT_LIST(list_certificate_document, struct certificate_doc, certificate_doc_out,
    "SELECT key, doc FROM lookalike_documents(5::smallint, $1, $1 || '00', 1)");

/* ---- the index in memory ---- */

static struct {
	struct arena *a;
	struct lookalike_index *index;
	struct watched_domain *watched; /* the project and the domain */
	size_t n;
	bool full; /* the words of some watched domains were left out */
} memory;

static struct strs
copy_texts(struct arena *a, const struct list *texts)
{
	const struct str *from = texts->items;
	struct str *to = ARENA_ARRAY(a, texts->n + 1, struct str);

	for (size_t i = 0; i < texts->n; i++)
		to[i] = arena_str(a, from[i]);
	return (struct strs){ to, texts->n };
}

/* Reads all watched domains again. Each takes about 20 KiB, and their number is limited for each
   project. */
static bool
load_watched(struct detect *x)
{
	struct list rows = { 0 };
	const struct watched_domain *row;

	if (!db_ok(x->db, db_rows(x->db, &list_all_watched, &rows, DB_NO_ARGS), "watched domains"))
		return false;
	if (memory.a == NULL)
		memory.a = arena_new(INDEX_MEMORY);
	arena_reset(memory.a);
	row = rows.items;
	memory.n = rows.n;
	memory.watched = ARENA_ARRAY(memory.a, rows.n + 1, struct watched_domain);
	memory.index = lookalike_index_new(memory.a);
	memory.full = false;
	for (size_t i = 0; i < rows.n; i++) {
		struct watched_domain *w = &memory.watched[i];

		w->project_uuid = row[i].project_uuid;
		w->domain = arena_str(memory.a, row[i].domain);
		memory.full |= lookalike_index_entries(memory.index) > INDEX_ENTRIES;
		lookalike_index_add(memory.index, (uint32_t)i, w->domain,
		    memory.full ? (struct strs){ NULL, 0 } : copy_texts(memory.a, &row[i].words));
	}
	if (memory.full)
		log_event(LOGP_WARNING, "watched domains",
		    "there are too many watched words, so new names are not compared with the "
		    "words of some watched domains");
	return true;
}

/* ---- documents that change ---- */

/* Asks for a look at a name for each watched domain that it resembles. certificate: the key of the
   document in hexadecimal when it is a certificate, else STR_NULL. */
static void
ask_name(struct affected *f, struct str name, struct str certificate)
{
	struct lookalike_match *m;
	size_t n = lookalike_find(memory.index, f->x->scratch, name, &m);

	for (size_t i = 0; i < n; i++) {
		const struct watched_domain *w = &memory.watched[m[i].watched];

		affected_ask(f, &w->project_uuid,
		    arena_printf(f->x->a, "%.*s/%.*s%s%.*s", (int)w->domain.n, w->domain.p,
			(int)m[i].found.n, m[i].found.p, certificate.p == NULL ? "" : "#",
			(int)certificate.n, certificate.p == NULL ? "" : certificate.p));
	}
}

static void
ask_names(struct affected *f, const struct json_value *list, struct str certificate)
{
	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		struct str name = json_text(json_at(list, i));

		if (str_starts(name, STR("*.")))
			name = (struct str){ name.p + 2, name.n - 2 };
		ask_name(f, name, certificate);
	}
}

static enum db_rc
affected_lookalikes(struct affected *f)
{
	static const struct {
		enum dataset d;
		const char *member;
	} members[] = { { DATASET_DNS, "host" }, { DATASET_WHOIS, "domain" },
		{ DATASET_CERTIFICATES, "names" }, { DATASET_HOSTS, "hostnames" } };

	for (size_t i = 0; memory.n > 0 && i < f->batch->ndocuments; i++) {
		const struct document *d = &f->batch->documents[i];

		for (size_t k = 0; k < COUNT(members); k++) {
			const struct json_value *v =
			    members[k].d != f->batch->source || d->named == NULL
				? NULL
				: json_get(d->named, members[k].member);

			if (v != NULL && json_type(v) == JSON_ARRAY)
				ask_names(f, v,
				    members[k].d == DATASET_CERTIFICATES && d->text.n > 0
					? d->key
					: STR_NULL);
			else if (v != NULL)
				ask_name(f, json_text(v), STR_NULL);
		}
		arena_reset(f->x->scratch);
	}
	return DB_OK;
}

/* ---- a look ---- */

struct lookalike_look {
	struct look *l;
	struct list watched;        /* struct watched_domain, of the project */
	struct watched_site *sites; /* one for each of `watched` */
	bool *site_read;
	struct buf candidates;
	int64_t room; /* new findings that the project may still have */
};

/* Returns the index of the watched domain with this UUID, or with this name when uuid is NULL. -1:
   the project has none. */
static ptrdiff_t
find_watched(const struct lookalike_look *g, struct str domain, const struct uuid *uuid)
{
	const struct watched_domain *w = g->watched.items;

	for (size_t i = 0; i < g->watched.n; i++)
		if (uuid == NULL ? str_eq(w[i].domain, domain)
				 : memcmp(&w[i].uuid, uuid, sizeof(*uuid)) == 0)
			return (ptrdiff_t)i;
	return -1;
}

static enum db_rc
read_site_once(struct lookalike_look *g, size_t i, const struct watched_site **out)
{
	const struct watched_domain *w = g->watched.items;
	enum db_rc rc = DB_OK;

	if (!g->site_read[i])
		rc = watched_site_read(g->l->x->db, g->l->x->a, &w[i], &g->sites[i]);
	g->site_read[i] = rc == DB_OK;
	*out = &g->sites[i];
	return rc;
}

/* Writes a time of a look-alike, or null when the time is unknown or cannot be printed: a
   certificate may contain any number. */
static void
write_known_time(struct buf *b, const char *name, struct ts at)
{
	json_member_time(b, name, ts_is_printable(at) ? at : TS_NULL);
}

static struct str
lookalike_evidence(struct look *l, const struct lookalike *x)
{
	struct buf b = { .a = l->x->a };

	buf_printf(&b, "{\"class\":\"%s\",\"score\":%d,\"matched_by\":\"hostname\"",
	    lookalike_class_name(x->m.class), x->score);
	json_member_text(&b, "watched", x->site->w.domain);
	json_member_text(&b, "found", x->m.found);
	json_member_text(&b, "found_unicode", lookalike_unicode(l->x->a, x->m.found));
	json_member_text(&b, "edit", str_of(lookalike_edit_name(x->m.edit)));
	json_member(&b, "reasons");
	lookalike_write_reasons(&b, &x->m.reasons);
	write_known_time(&b, "registered_at", x->facts.created_at);
	json_member_text(&b, "registrar", x->registrar);
	json_member_texts(&b, "addresses", x->addresses);
	json_member_texts(&b, "mail_exchangers", x->mail_exchangers);
	json_member_text(&b, "certificate_sha256", x->certificate.sha256);
	write_known_time(&b, "last_resolved_at", x->last_resolved_at);
	buf_char(&b, '}');
	return buf_done(&b);
}

static void
report_lookalike(struct look *l, struct str subject, struct str key, const struct lookalike *x)
{
	look_found(l, subject,
	    &(struct found){ .key = key,
		.type = STR("typosquatting"),
		.title = arena_printf(l->x->a, "%.*s resembles %.*s", (int)x->m.found.n,
		    x->m.found.p, (int)x->site->w.domain.n, x->site->w.domain.p),
		.severity = str_of(lookalike_severity(x)),
		.confidence = x->score / 100.0,
		.evidence = lookalike_evidence(l, x),
		.first = x->first_seen_at,
		.last = x->last_seen_at });
}

static void
add_lookalike_candidate(struct lookalike_look *g, const struct lookalike *x)
{
	struct buf *b = &g->candidates;
	char uuid[UUID_LEN + 1];

	uuid_print(&x->site->w.uuid, uuid);
	buf_printf(b, "%s{\"watched_uuid\":\"%s\",\"class\":\"%s\",\"score\":%d,\"reported\":%s",
	    b->n == 0 ? "[" : ",", uuid, lookalike_class_name(x->m.class), x->score,
	    x->verdict == LOOKALIKE_REPORTED ? "true" : "false");
	json_member_text(b, "found", x->m.found);
	if (x->certificate.sha256.p != NULL) {
		json_member_text(b, "certificate_sha256", x->certificate.sha256);
		write_known_time(b, "certificate_at", x->certificate.at);
		write_known_time(b, "certificate_first_seen_at", x->certificate.first_seen_at);
		write_known_time(b, "certificate_seen_at", x->certificate.seen_at);
		json_member_bool(b, "certificate_shared", x->certificate.shared);
	}
	buf_char(b, '}');
}

/* Reads the certificate with the key that the subject contains. */
static enum db_rc
read_certificate_of(struct look *l, struct str key, struct str watched, struct lookalike *x)
{
	struct list rows = { 0 }, names;
	enum db_rc rc = db_list(l->x->db, &list_certificate_document, &rows, P(key));
	const struct certificate_doc *doc = rows.items;
	const struct known_name *name;

	if (rc != DB_OK || rows.n == 0)
		return rc;
	names = lookalike_certificate_names(l->x->a, json_parse(l->x->a, doc->doc), watched);
	name = names.items;
	if (names.n > 0)
		x->certificate = name->certificate;
	return DB_OK;
}

static bool
is_unresolved(const struct look *l, struct str key)
{
	const struct known_finding *s = look_known_finding(l, key);

	return s != NULL && (str_is(s->status, "open") || str_is(s->status, "acknowledged"));
}

/* Reports a finding, hides one or reports a contradiction, as the verdict asks. subject: without the
   key of a certificate, so that the finding of a name has one subject. */
static void
apply_verdict(
    struct lookalike_look *g, struct str subject, struct str key, const struct lookalike *x)
{
	struct look *l = g->l;
	struct ts due = lookalike_due(&x->facts);

	switch (x->verdict) {
	case LOOKALIKE_REPORTED:
		if (look_known_finding(l, key) != NULL || g->room-- > 0)
			report_lookalike(l, subject, key, x);
		else
			look_beyond_limit(
			    l, arena_printf(l->x->a,
				   "The project has %d findings of typosquatting, so new ones are "
				   "left out. Resolve some, or raise min_score.",
				   LIM_TYPOSQUATTING_FINDINGS));
		break;
	case LOOKALIKE_OWN:
		look_hide(l, key);
		break;
	case LOOKALIKE_GONE:
		look_absent(l, key, x->gone_at);
		break;
	case LOOKALIKE_WEAK:
		look_absent(l, key, x->last_seen_at);
		break;
	case LOOKALIKE_UNKNOWN:
		break;
	}
	if (x->verdict == LOOKALIKE_REPORTED || x->verdict == LOOKALIKE_WEAK)
		add_lookalike_candidate(g, x);
	if (due.us != INT64_MAX && x->verdict != LOOKALIKE_OWN)
		look_ask(l, subject, due);
}

/* Finds how the name resembles the watched domain. Returns false when it does not: the settings may
   have changed since the subject was asked for. */
static bool
match_pair(
    struct look *l, const struct watched_domain *w, struct str found, struct lookalike_match *out)
{
	struct lookalike_index *x = lookalike_index_new(l->x->a);
	struct lookalike_match *m;

	lookalike_index_add(x, 0, w->domain, (struct strs){ w->words.items, w->words.n });
	if (lookalike_find(x, l->x->a, found, &m) == 0 || !str_eq(m->found, found))
		return false;
	*out = *m;
	return true;
}

static enum db_rc
look_at_pair(struct lookalike_look *g, struct str subject)
{
	struct look *l = g->l;
	struct str rest = subject, domain = str_until(&rest, '/'), found = str_until(&rest, '#');
	struct str key = arena_printf(
	    l->x->a, "typosquatting/%.*s/%.*s", (int)domain.n, domain.p, (int)found.n, found.p);
	ptrdiff_t at = find_watched(g, domain, NULL);
	const struct watched_domain *w = g->watched.items;
	struct lookalike x = { .was_reported = is_unresolved(l, key) };
	enum db_rc rc;

	if (at < 0 || !w[at].enabled || !match_pair(l, &w[at], found, &x.m)) {
		look_hide(l, key);
		return DB_OK;
	}
	rc = read_site_once(g, (size_t)at, &x.site);
	if (rc == DB_OK && rest.p != NULL)
		rc = read_certificate_of(l, rest, domain, &x);
	if (rc == DB_OK)
		rc = lookalike_read(l->x->db, l->x->a, &x);
	if (rc == DB_OK)
		apply_verdict(g, str_until(&subject, '#'), key, &x);
	return rc;
}

/* ---- the walk through names that were known before ---- */

static const enum dataset walked[] = { DATASET_WHOIS, DATASET_DNS, DATASET_CERTIFICATES,
	DATASET_HOSTS };

static void
ask_next(struct look *l, const char *uuid, size_t source, struct str behind)
{
	if (source < COUNT(walked))
		look_ask(l,
		    arena_printf(l->x->a, "+%s %zu %.*s", uuid, source, (int)behind.n, behind.p),
		    TS_NULL);
}

static enum db_rc
walk_names(
    struct lookalike_look *g, const struct watched_domain *w, size_t source, struct str behind)
{
	struct look *l = g->l;
	struct name_walk walk = {
		.dataset = walked[source], .watched = w->domain, .behind = behind
	};
	struct lookalike_index *x = lookalike_index_new(l->x->a);
	struct list names = { 0 };
	enum db_rc rc = lookalike_names_page(l->x->db, l->x->a, &walk, &names);
	const struct known_name *name = names.items;
	char uuid[UUID_LEN + 1];

	lookalike_index_add(x, 0, w->domain, (struct strs){ w->words.items, w->words.n });
	for (size_t i = 0; rc == DB_OK && i < names.n; i++) {
		struct lookalike_match *m;

		if (lookalike_find(x, l->x->a, name[i].name, &m) > 0)
			look_ask(l,
			    arena_printf(l->x->a, "%.*s/%.*s%s%.*s", (int)w->domain.n, w->domain.p,
				(int)m->found.n, m->found.p, name[i].key.n > 0 ? "#" : "",
				(int)name[i].key.n, name[i].key.n > 0 ? name[i].key.p : ""),
			    TS_NULL);
	}
	uuid_print(&w->uuid, uuid);
	if (rc == DB_OK && walk.more)
		ask_next(l, uuid, source, walk.behind);
	else if (rc == DB_OK)
		ask_next(l, uuid, source + 1, STR(""));
	look_counted(l, "names", (int64_t)names.n);
	return rc;
}

static enum db_rc
look_at_walk(struct lookalike_look *g, struct str subject)
{
	struct str rest = { subject.p + 1, subject.n - 1 };
	struct str uuid = str_until(&rest, ' '), source;
	const struct watched_domain *w = g->watched.items;
	int64_t number = 0;
	struct uuid u;
	ptrdiff_t at;

	if (!uuid_parse(uuid, &u) || (at = find_watched(g, STR_NULL, &u)) < 0 || !w[at].enabled)
		return DB_OK;
	source = rest.p == NULL ? STR("0") : str_until(&rest, ' ');
	if (!str_int64(source, &number) || number < 0 || number >= (int64_t)COUNT(walked))
		return DB_OK;
	return walk_names(g, &w[at], (size_t)number, rest.p == NULL ? STR("") : rest);
}

static void
ask_walks(const struct lookalike_look *g)
{
	const struct watched_domain *w = g->watched.items;
	char uuid[UUID_LEN + 1];

	for (size_t i = 0; i < g->watched.n; i++) {
		uuid_print(&w[i].uuid, uuid);
		if (w[i].enabled)
			look_ask(g->l, arena_printf(g->l->x->a, "+%s", uuid), TS_NULL);
	}
}

static enum db_rc
look_at_lookalikes(struct look *l)
{
	struct lookalike_look *g = ARENA_NEW(l->x->a, struct lookalike_look);
	enum db_rc rc = db_list(l->x->db, &list_project_watched, &g->watched, P(l->project));

	g->l = l;
	g->candidates.a = l->x->a;
	g->sites = ARENA_ARRAY(l->x->a, g->watched.n + 1, struct watched_site);
	g->site_read = ARENA_ARRAY(l->x->a, g->watched.n + 1, bool);
	if (rc == DB_OK)
		rc = look_room(l, LIM_TYPOSQUATTING_FINDINGS, &g->room);
	for (size_t i = 0; rc == DB_OK && i < l->nsubjects; i++) {
		struct str subject = l->subjects[i];

		if (str_is(subject, "*"))
			ask_walks(g);
		else if (subject.p[0] == '+')
			rc = look_at_walk(g, subject);
		else
			rc = look_at_pair(g, subject);
	}
	l->of_storing = g;
	if (memory.full)
		l->warning = STR("This server has too many watched words for its memory, so new "
				 "names are not compared with the words of some watched domains.");
	return rc;
}

static enum db_rc
store_candidates(struct look *l)
{
	struct lookalike_look *g = l->of_storing;

	if (g->candidates.n == 0)
		return DB_OK;
	return db_do(l->x->db, &keep_lookalikes, NULL, P(array_done(&g->candidates)));
}

static const struct detector typosquatting = {
	.name = "typosquatting",
	.subjects = 50,
	.whole = true,
	.noted = true,
	.load = load_watched,
	.affected = affected_lookalikes,
	.look = look_at_lookalikes,
	.store = store_candidates,
};
DETECTOR_ENTRY(typosquatting);
