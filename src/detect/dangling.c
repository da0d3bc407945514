/* SPDX-License-Identifier: ISC */
/* The detector dangling-dns (C-169 to C-175). A subject is a DNS name of the project. The subject
   "+example.org" asks for all names at and below a domain, one page at a time; "+example.org KEY"
   continues behind the record with this key. The judge is detection/dangling.h; dangling_read.c
   reads the facts that it needs.

   A finding keeps its key when its kind changes, because it is about the same record. For
   example, when a provider no longer lets strangers claim names, a cname_claimable becomes a
   stale_record, and the history of the finding gets an event (C-175). */
#include "config.h"

#include "base/encode.h"
#include "detect/dangling.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/lookup.h"

#include <stdlib.h>

enum {
	EXPAND_MOST = 2000, /* records that one page of names reads */
	KEY_MOST = 500,     /* characters of a finding's key, and of its title */
};

struct affected_name_row {
	struct uuid project_uuid;
	struct str name;
};

static const struct field affected_name_out[] = {
	FIELD(struct affected_name_row, project_uuid, 0),
	FIELD(struct affected_name_row, name, 0),
	FIELD_END,
};

struct root_row {
	struct str kind, name;
};

static const struct field root_out[] = {
	FIELD(struct root_row, kind, 0),
	FIELD(struct root_row, name, 0),
	FIELD_END,
};

struct key_row {
	struct str key;
};

static const struct field key_out[] = {
	FIELD(struct key_row, key, 0),
	FIELD_END,
};

STMT_LIST(list_affected_names, struct affected_name_row, affected_name_out,
    "SELECT project_uuid, name FROM dangling_affected($1, $2, $3, $4, $5)");
STMT_LIST(
    list_dangling_roots, struct root_row, root_out, "SELECT kind, name FROM dangling_roots($1)");
STMT_LIST(
    list_dangling_names, struct key_row, key_out, "SELECT key FROM dangling_names($1, $2, $3)");

/* ---- changed documents ---- */

/* Whether a name can be a subject. Names in imported data may contain any byte, and '=' and '+'
   begin subjects of other kinds. */
static bool
is_subject(struct str name)
{
	return name.n > 0 && name.p[0] != '=' && name.p[0] != '+';
}

static enum db_rc
affected_names(struct affected *f)
{
	const char *member = f->batch->source == DATASET_DNS     ? "host"
			     : f->batch->source == DATASET_WHOIS ? "domain"
			     : f->batch->source == DATASET_HOSTS ? "ip"
								 : NULL;
	struct str *all = ARENA_ARRAY(f->x->a, f->batch->ndocuments + 1, struct str),
		   *domains = ARENA_ARRAY(f->x->a, f->batch->ndocuments + 1, struct str);
	const int64_t most = LIM_DANGLING_NAMES, most_read = LIM_DANGLING_READ;
	struct strs none = { NULL, 0 }, names = { all, 0 }, below = { domains, 0 };
	bool hosts = f->batch->source == DATASET_HOSTS;
	const struct affected_name_row *row;
	struct list rows = { 0 };
	enum db_rc rc;

	for (size_t i = 0; member != NULL && i < f->batch->ndocuments; i++) {
		struct str name = json_get_text(f->batch->documents[i].named, member);

		if (name.n == 0 || (names.n > 0 && str_eq(all[names.n - 1], name)))
			continue;
		all[names.n++] = name;
		if (!hosts && str_eq(name, dangling_registrable(f->x->a, name)))
			domains[below.n++] = name;
	}
	if (names.n == 0)
		return DB_OK;
	rc = db_list(f->x->db, &list_affected_names, &rows, P(hosts ? none : names), P(below),
	    P(hosts ? names : none), P(most), P(most_read));
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		if (is_subject(row[i].name))
			affected_ask(f, &row[i].project_uuid, row[i].name);
	return rc;
}

/* ---- all names ---- */

static enum db_rc
ask_for_roots(struct look *l)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(l->x->db, &list_dangling_roots, &rows, P(l->project));
	const struct root_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		look_ask(l,
		    str_is(row[i].kind, "domain")
			? arena_printf(l->x->a, "+%.*s", (int)row[i].name.n, row[i].name.p)
			: row[i].name,
		    TS_NULL);
	return rc;
}

/* Asks for the names at and below a domain: a step of "+example.org", or "+example.org KEY". */
static enum db_rc
ask_for_names(struct look *l, struct str subject)
{
	const int64_t most = EXPAND_MOST;
	const char *blank = memchr(subject.p, ' ', subject.n);
	size_t end = blank == NULL ? subject.n : (size_t)(blank - subject.p);
	struct str domain = { subject.p + 1, end - 1 }, last = STR_NULL;
	struct str from = record_key_name(l->x->a, domain), behind;
	const struct key_row *row;
	struct list rows = { 0 };
	enum db_rc rc;

	/* Without the byte that ends the name, the range covers the names below it, too. */
	from.n--;
	behind = hex_text(l->x->a, record_key_behind(l->x->a, from));
	from = blank == NULL ? hex_text(l->x->a, from)
			     : (struct str){ blank + 1, subject.n - end - 1 };
	rc = db_list(l->x->db, &list_dangling_names, &rows, P(from), P(behind), P(most));
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++) {
		unsigned char *key = arena_alloc(l->x->a, row[i].key.n / 2 + 1);
		struct str name;

		if (!hex_parse(row[i].key, key, row[i].key.n / 2))
			panic("a key is not hexadecimal");
		name = record_key_text(
		    l->x->a, DATASET_DNS, (struct str){ (const char *)key, row[i].key.n / 2 });
		name.n = (size_t)((const char *)memchr(name.p, ' ', name.n) - name.p);
		if (!str_eq(name, last) && is_subject(name))
			look_ask(l, name, TS_NULL);
		last = name;
	}
	if (rows.n == (size_t)most)
		look_ask(l,
		    arena_printf(l->x->a, "+%.*s %.*s", (int)domain.n, domain.p,
			(int)row[rows.n - 1].key.n, row[rows.n - 1].key.p),
		    TS_NULL);
	return rc;
}

/* ---- findings ---- */

static void
write_hop(struct buf *b, const struct dangling_hop *hop)
{
	json_begin(b, '{');
	json_member_text(b, "name", hop->name);
	json_member_text(b, "type", hop->type);
	json_member_text(b, "rcode", hop->rcode);
	json_member_time(b, "seen_at", hop->seen);
	buf_char(b, '}');
}

static struct str
evidence_of_dangling(struct arena *a, const struct dangling *d)
{
	const struct dangling_grade_row *grade = &dangling_grades[d->grade];
	struct buf b = { .a = a };

	buf_printf(&b, "{\"kind\":\"%s\"", dangling_kinds[d->kind].name);
	json_member_text(&b, "host", d->host);
	json_member_text(&b, "record_type", d->type);
	json_member_text(&b, "target", d->target);
	json_member_text(&b, "provider", d->provider);
	json_member_text(&b, "claim", str_of(d->claim));
	json_member_text(&b, "region", d->region);
	json_member_text(&b, "remediation", str_of(dangling_kinds[d->kind].remediation));
	buf_printf(&b,
	    ",\"matched_by\":\"hostname\",\"reasons\":[{\"code\":\"%s\",\"weight\":%.2f}],"
	    "\"chain\":[",
	    grade->code, grade->confidence);
	for (size_t i = 0; i < d->nchain; i++)
		write_hop(&b, &d->chain[i]);
	buf_z(&b, "]}");
	return buf_done(&b);
}

/* "dangling_dns/<kind>/<host>/<TYPE>/<target>"; a long one ends with a hash in place of the
   rest. */
static struct str
key_of_dangling(struct arena *a, const struct dangling *d)
{
	struct str key = arena_printf(a, "dangling_dns/%s/%.*s/%.*s/%.*s",
	    dangling_kinds[d->kind].name, (int)d->host.n, d->host.p, (int)d->type.n, d->type.p,
	    (int)d->target.n, d->target.p);

	return look_cut_key(a, key, KEY_MOST, KEY_MOST - 17);
}

/* Reads from the evidence of a stored finding which record the finding is about. Returns false when
   the evidence does not name one. */
static bool
read_known_finding(struct arena *a, const struct known_finding *s, struct dangling_known *out)
{
	const struct json_value *v =
	    s->evidence.text.p == NULL ? NULL : json_parse(a, s->evidence.text);
	const struct json_value *chain = v == NULL ? NULL : json_get(v, "chain");
	struct str kind = json_get_text(v, "kind");

	*out = (struct dangling_known){ .host = json_get_text(v, "host"),
		.type = json_get_text(v, "record_type"),
		.target = json_get_text(v, "target"),
		.kind = DANGLING_KINDS };
	for (enum dangling_kind k = 0; k < DANGLING_KINDS; k++)
		if (str_is(kind, dangling_kinds[k].name))
			out->kind = k;
	for (size_t i = 0; chain != NULL && i < json_length(chain); i++) {
		struct str name = json_get_text(json_at(chain, i), "name");

		if (name.n > 0)
			arena_add_once(a, &out->chain, name, LIM_DANGLING_HOPS + 1);
	}
	return out->kind != DANGLING_KINDS && out->host.n > 0 && out->type.n > 0 &&
	       out->target.n > 0;
}

struct finding_look {
	struct look *l;
	struct arena *a;
	struct dangling_world w;
	struct dangling_assets assets;
	struct dangling_known *known; /* one for each known finding */
	bool *readable, *shown;
	int64_t room; /* new findings that the project may still have */
};

/* Whether a stored finding is about the same record: a zone that is not served is one, whichever of
   its servers the finding names. */
static bool
is_same_record(const struct dangling_known *k, const struct dangling *d)
{
	return str_eq(k->type, d->type) &&
	       (str_eq(k->target, d->target) ||
		   (k->kind == DANGLING_NS_LAME && d->kind == DANGLING_NS_LAME));
}

/* Returns the stored finding of the same record, or NULL. When there are several, one that is not
   resolved wins. */
static const struct known_finding *
find_known_finding(struct finding_look *f, struct str subject, const struct dangling *d)
{
	const struct known_finding *best = NULL;

	for (size_t i = 0; i < f->l->known_count; i++) {
		const struct known_finding *s = &f->l->known[i];
		const struct dangling_known *k = &f->known[i];

		if (!f->readable[i] || !str_eq(s->subject, subject) || !is_same_record(k, d))
			continue;
		if (best == NULL || str_is(best->status, "resolved")) {
			best = s;
			f->shown[i] = true;
		}
	}
	return best;
}

static void
show_dangling(struct finding_look *f, struct str subject, const struct dangling *d)
{
	const struct known_finding *s = find_known_finding(f, subject, d);
	const struct dangling_domain *domain = NULL;
	const char *kind;
	struct str asset = dangling_asset(&f->assets, subject, &kind), title;

	if (s == NULL && f->room-- <= 0) {
		look_beyond_limit(f->l,
		    arena_printf(f->a,
			"The project has %d findings of dangling DNS records, so new ones are "
			"left out. Resolve some.",
			LIM_DANGLING_FINDINGS));
		return;
	}
	title = arena_printf(f->a, "%.*s %.*s %s", (int)d->host.n, d->host.p, (int)d->type.n,
	    d->type.p, dangling_kinds[d->kind].title);
	look_found(f->l, subject,
	    &(struct found){ .key = s == NULL ? key_of_dangling(f->a, d) : s->finding_key,
		.type = STR("dangling_dns"),
		.title = str_cut(title, KEY_MOST),
		.severity = str_of(dangling_grades[d->grade].severity),
		.confidence = dangling_grades[d->grade].confidence,
		.evidence = evidence_of_dangling(f->a, d),
		.asset_kind = str_of(kind),
		.asset_name = asset,
		.first = d->first,
		.last = d->last });
	if (d->grade == DANGLING_IS_STALE_HELD)
		domain = dangling_registration(&f->w, dangling_registrable(f->a, d->target));
	if (domain != NULL && ts_cmp(domain->expires, f->w.now) > 0)
		look_ask(f->l, subject, domain->expires);
}

/* Counts how many aliases were judged, and for how many of them no capture exists (GET
   /detectors). */
static void
count_name(struct finding_look *f, struct str subject)
{
	struct str end = dangling_end(f->a, &f->w, subject);
	const struct takeover *t = end.p == NULL ? NULL : takeover_of(&f->w.takeovers, end, false);
	bool captured = false;

	if (end.p == NULL)
		return;
	look_counted(f->l, "aliases", 1);
	if (t == NULL)
		return;
	for (size_t i = 0; i < f->w.npages; i++)
		captured |= str_eq(f->w.pages[i].host, subject);
	look_counted(f->l,
	    t->mode == TAKEOVER_NXDOMAIN ? "aliases_mode_nxdomain"
	    : captured                   ? "aliases_mode_page"
					 : "aliases_mode_page_without_capture",
	    1);
}

static void
miss_standing(struct finding_look *f, size_t i)
{
	const struct known_finding *s = &f->l->known[i];
	struct ts at;

	if (f->shown[i] || !f->readable[i])
		return;
	at = dangling_contradiction(f->a, &f->w, &f->known[i]);
	if (!ts_is_null(at))
		look_absent(f->l, s->finding_key, at);
}

static enum db_rc
look_at_hosts(struct look *l)
{
	struct finding_look f = { .l = l, .a = l->x->a };
	enum db_rc rc = dangling_read(l, &f.w, &f.assets);

	if (rc == DB_OK)
		rc = look_room(l, LIM_DANGLING_FINDINGS, &f.room);
	if (rc != DB_OK)
		return rc;
	f.known = ARENA_ARRAY(f.a, l->known_count + 1, struct dangling_known);
	f.readable = ARENA_ARRAY(f.a, l->known_count + 1, bool);
	f.shown = ARENA_ARRAY(f.a, l->known_count + 1, bool);
	for (size_t i = 0; i < l->known_count; i++)
		f.readable[i] = read_known_finding(f.a, &l->known[i], &f.known[i]);
	for (size_t i = 0; i < l->nsubjects; i++) {
		struct danglings all = dangling_judge(f.a, &f.w, l->subjects[i]);

		for (size_t k = 0; k < all.n; k++)
			show_dangling(&f, l->subjects[i], &all.p[k]);
		count_name(&f, l->subjects[i]);
	}
	for (size_t i = 0; i < l->known_count; i++)
		miss_standing(&f, i);
	return DB_OK;
}

/* Handles the subjects that ask for names, then looks at those that are names. */
static enum db_rc
look_at_names(struct look *l)
{
	const struct str *all = l->subjects;
	struct str *names = ARENA_ARRAY(l->x->a, l->nsubjects + 1, struct str);
	size_t nall = l->nsubjects, n = 0;
	enum db_rc rc = DB_OK;

	if (str_is(all[0], "*"))
		return ask_for_roots(l);
	for (size_t i = 0; i < nall && rc == DB_OK; i++) {
		if (all[i].p[0] == '+')
			rc = ask_for_names(l, all[i]);
		else
			names[n++] = all[i];
	}
	if (rc != DB_OK || n == 0)
		return rc;
	l->subjects = names;
	l->nsubjects = n;
	rc = look_at_hosts(l);
	l->subjects = all;
	l->nsubjects = nall;
	return rc;
}

static const struct detector dangling = {
	.name = "dangling-dns",
	.subjects = LIM_DANGLING_NAMES,
	.whole = true,
	.affected = affected_names,
	.look = look_at_names,
};
DETECTOR_ENTRY(dangling);
