/* SPDX-License-Identifier: ISC */
/* Operations on the domains that a project watches for look-alikes, and a preview of the
   look-alikes of a domain (C-183). surfaced-detect finds look-alikes
   (src/detect/typosquatting.c); a trigger asks it to when a watched domain changes. */
#include "config.h"

#include "address/idn.h"
#include "address/start_url.h"
#include "api/api.h"
#include "record/lookup.h"
#include "resource/lookalike_facts.h"

STMT_LIST(select_watched_domain, struct watched_domain, watched_domain_out,
    "SELECT " WATCHED_DOMAIN_COLUMNS " FROM watched_domain WHERE project_uuid = $1 AND uuid = $2");
STMT_LIST(list_watched_domains, struct watched_domain, watched_domain_out,
    "SELECT " WATCHED_DOMAIN_COLUMNS " FROM watched_domain WHERE project_uuid = $1" PAGE_SQL);
/* Locks the domains of a project, so that two concurrent requests cannot exceed the limit. */
STMT(lock_watched_domains, NULL,
    "SELECT pg_advisory_xact_lock(hashtext('watched_domain'), hashtext($1::uuid::text))");

struct watched_room {
	bool taken, full;
};

static const struct field watched_room_out[] = {
	FIELD(struct watched_room, taken, 0),
	FIELD(struct watched_room, full, 0),
	FIELD_END,
};

STMT(check_watched_room, watched_room_out,
    "SELECT EXISTS (SELECT FROM watched_domain WHERE project_uuid = $1 AND domain = $2) AS taken,"
    " (SELECT count(*) FROM watched_domain WHERE project_uuid = $1) >= $3::bigint AS full");
STMT(insert_watched_domain, watched_domain_out,
    "INSERT INTO watched_domain (project_uuid, domain, words, allow, min_score, enabled)"
    " VALUES ($1, $2, $3, $4, nullif($5::integer, -1), $6) RETURNING " WATCHED_DOMAIN_COLUMNS);
STMT(replace_watched_domain, watched_domain_out,
    "UPDATE watched_domain SET words = $3, allow = $4, min_score = nullif($5::integer, -1),"
    " enabled = $6, updated_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 RETURNING " WATCHED_DOMAIN_COLUMNS);
STMT(delete_watched_domain, watched_domain_out,
    "DELETE FROM watched_domain WHERE project_uuid = $1 AND uuid = $2"
    " RETURNING " WATCHED_DOMAIN_COLUMNS);

struct least_score {
	int64_t least;
};

static const struct field least_score_out[] = { FIELD(struct least_score, least, 0), FIELD_END };

STMT(select_min_score, least_score_out, "SELECT watched_min_score() AS least");

/* ---- bodies ---- */

/* Converts the domain to its canonical form. Returns false when no registry could register it. */
static bool
read_domain(struct req *rq, struct str *domain)
{
	struct str registrable;

	if (!record_canonical(rq->arena, DATASET_WHOIS, "domain", domain))
		return false;
	registrable = host_registrable(rq->arena, *domain);
	return registrable.p != NULL && str_eq(registrable, *domain) &&
	       host_delegated(rq->arena, *domain);
}

static bool
word_is_sound(struct str word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!part && (c != '-' || i == 0 || i + 1 == word.n))
			return false;
	}
	return word.n >= 3 && word.n <= LIM_WATCHED_WORD;
}

/* Converts a pattern with letters beyond ASCII to A-labels, in which names are compared. */
static bool
read_pattern(struct req *rq, struct str *pattern)
{
	return idn_to_ascii(rq->arena, pattern) && pattern->n <= LIM_DNS_NAME &&
	       lookalike_pattern_sound(*pattern);
}

static int
check_watched(struct req *rq, void *in, struct body_faults *faults)
{
	struct watched_domain *w = in;
	struct str *words = w->words.items, *allow = w->allow.items;

	for (size_t i = 0; i < w->words.n; i++) {
		if (words[i].p == NULL)
			continue;
		if (!word_is_sound(words[i]))
			body_fault(faults, arena_printf(rq->arena, "words[%zu]", i).p,
			    "invalid_format", "must be 3 to 40 letters a to z, digits and hyphens");
	}
	for (size_t i = 0; i < w->allow.n; i++)
		if (allow[i].p != NULL && !read_pattern(rq, &allow[i]))
			body_fault(faults, arena_printf(rq->arena, "allow[%zu]", i).p,
			    "invalid_format",
			    "must be a domain, or a pattern such as example.* with two other "
			    "characters than * at least");
	return PASS;
}

static int
check_watched_new(struct req *rq, void *in, struct body_faults *faults)
{
	struct watched_domain *w = in;

	if (w->domain.p != NULL && !read_domain(rq, &w->domain))
		body_fault(faults, "domain", "invalid_format",
		    "must be one label below a public suffix, such as example.com");
	return check_watched(rq, in, faults);
}

/* ---- handlers ---- */

static struct strs
watched_texts(struct list l)
{
	return (struct strs){ l.items, l.n };
}

static int
create_watched_domain(struct req *rq)
{
	const struct watched_domain *in = rq->in;
	struct watched_room room = { false, false };
	struct watched_domain w;
	enum db_rc rc = db_do(rq->db, &lock_watched_domains, NULL, P(rq->project));

	if (rc == DB_OK)
		rc = db_one(rq->db, &check_watched_room, &room, P(rq->project), P(in->domain),
		    P((int64_t)LIM_WATCHED_DOMAINS));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (room.taken)
		return fail_field(rq, "domain", "duplicate", "is watched already");
	if (room.full)
		return fail(rq, ERR_TYPOSQUATTING_LIMIT);
	rc = db_one(rq->db, &insert_watched_domain, &w, P(rq->project), P(in->domain),
	    P(watched_texts(in->words)), P(watched_texts(in->allow)), P(in->min_score),
	    P(in->enabled));
	return rc == DB_OK ? reply_created(rq, &w.uuid, &w) : fail_db(rq, rc);
}

static int
update_watched_domain(struct req *rq)
{
	const struct watched_domain *in = rq->in;
	struct watched_domain w;
	enum db_rc rc = db_one(rq->db, &replace_watched_domain, &w, P(rq->project), P(rq->path[1]),
	    P(watched_texts(in->words)), P(watched_texts(in->allow)), P(in->min_score),
	    P(in->enabled));

	return reply_found(rq, rc, ERR_WATCHED_DOMAIN_NOT_FOUND, &w);
}

static int
remove_watched_domain(struct req *rq)
{
	struct watched_domain w;
	enum db_rc rc = db_one(rq->db, &delete_watched_domain, &w, P(rq->project), P(rq->path[1]));

	return reply_found(rq, rc, ERR_WATCHED_DOMAIN_NOT_FOUND, &w);
}

/* ---- the preview ---- */

#define PREVIEW_MEMORY ((size_t)256 << 20)

struct preview {
	struct req *rq;
	struct arena *page; /* the memory of one page of names */
	struct watched_site site;
	struct lookalike_index *index;
	struct lookalike *found;
	size_t nfound;
	int64_t names;
};

/* Stores the match of a name once, with the newest certificate that contains the name. */
static void
keep_match(struct preview *p, const struct lookalike_match *m, const struct known_name *name)
{
	struct arena *a = p->rq->arena;
	struct lookalike *l;
	size_t i = 0;

	while (i < p->nfound && !str_eq(p->found[i].m.found, m->found))
		i++;
	if (i == LIM_PREVIEW_CANDIDATES)
		return;
	if (i == p->nfound) {
		p->found = arena_room(a, p->found, p->nfound++, sizeof(*p->found));
		p->found[i] = (struct lookalike){ .site = &p->site, .m = *m };
		p->found[i].m.found = arena_str(a, m->found);
		p->found[i].m.registrable = arena_str(a, m->registrable);
	}
	l = &p->found[i];
	if (name->certificate.sha256.p == NULL ||
	    (l->certificate.sha256.p != NULL &&
		ts_cmp(l->certificate.at, name->certificate.at) >= 0))
		return;
	l->certificate = name->certificate;
	l->certificate.sha256 = arena_str(a, name->certificate.sha256);
}

static enum db_rc
preview_dataset(struct preview *p, enum dataset d)
{
	struct name_walk walk = {
		.dataset = d, .watched = p->site.w.domain, .behind = STR(""), .more = true
	};
	enum db_rc rc = DB_OK;

	while (rc == DB_OK && walk.more && p->names < LIM_PREVIEW_NAMES) {
		struct list names = { 0 };
		const struct known_name *name;

		walk.behind = arena_str(p->rq->arena, walk.behind);
		arena_reset(p->page);
		db_use(p->rq->db, p->page, p->rq->deadline);
		rc = lookalike_names_page(p->rq->db, p->page, &walk, &names);
		name = names.items;
		for (size_t i = 0; rc == DB_OK && i < names.n; i++) {
			struct lookalike_match *m;
			size_t n = lookalike_find(p->index, p->page, name[i].name, &m);

			for (size_t k = 0; k < n; k++)
				keep_match(p, &m[k], &name[i]);
		}
		p->names += (int64_t)names.n;
	}
	return rc;
}

static enum db_rc
preview_names(struct preview *p)
{
	static const enum dataset sources[] = { DATASET_WHOIS, DATASET_DNS, DATASET_CERTIFICATES,
		DATASET_HOSTS };
	enum db_rc rc = DB_OK;

	p->page = arena_new(PREVIEW_MEMORY);
	for (size_t i = 0; rc == DB_OK && i < COUNT(sources); i++)
		rc = preview_dataset(p, sources[i]);
	db_use(p->rq->db, p->rq->arena, p->rq->deadline);
	arena_free(p->page);
	for (size_t i = 0; rc == DB_OK && i < p->nfound; i++)
		rc = lookalike_read(p->rq->db, p->rq->arena, &p->found[i]);
	return rc;
}

struct candidate {
	struct str found, class, edit;
	int64_t score;
	struct json reasons;
};

static const struct field reason_out[] = {
	{ .name = "code", .type = FIELD_STR, .lo = 1, .hi = LIM_FILTER },
	{ .name = "weight", .type = FIELD_INT, .lo = -1000, .hi = 1000 },
	FIELD_END_OF("LookalikeReason"),
};

static const struct field candidate_out[] = {
	TEXT(struct candidate, found, 0, 1, LIM_DNS_NAME),
	ONE_OF(struct candidate, class, 0, lookalike_class_names, NULL),
	{ .name = "edit",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct candidate, edit),
	    .help = "How the watched label is misspelled." },
	NUMBER(struct candidate, score, 0, 0, 100, 0),
	{ .name = "reasons",
	    .type = FIELD_RAW,
	    .item = FIELD_LIST,
	    .offset = offsetof(struct candidate, reasons),
	    .hi = 32,
	    .sub = reason_out,
	    .help = "The score is their sum." },
	FIELD_END_OF("LookalikeCandidate"),
};

struct class_counts {
	int64_t of[LOOKALIKE_CLASSES];
};

static const struct field class_counts_out[] = {
#define LOOKALIKE_CLASS(id, text)                                                                  \
	{ .name = text,                                                                            \
		.type = FIELD_INT,                                                                 \
		.hi = LIM_BUCKET_COUNT,                                                            \
		.offset = offsetof(struct class_counts, of) +                                      \
			  sizeof(int64_t) * (size_t)LOOKALIKE_##id },
#include "tbl/lookalike_classes.h"
#undef LOOKALIKE_CLASS
	FIELD_END_OF("LookalikeCounts"),
};

struct preview_answer {
	struct list candidates;
	struct class_counts counts;
};

static const struct field preview_out[] = {
	LIST(struct preview_answer, candidates, 0, struct candidate, candidate_out, 0, LIM_PREVIEW),
	OBJECT(struct preview_answer, counts, 0, class_counts_out),
	FIELD_END_OF("TyposquattingPreview"),
};

static int
compare_candidates(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return str_cmp(a->found, b->found);
}

static int
reply_preview(struct preview *p)
{
	struct arena *a = p->rq->arena;
	struct candidate *out = ARENA_ARRAY(a, p->nfound + 1, struct candidate);
	struct preview_answer answer = { .candidates = { out, 0 } };

	for (size_t i = 0; i < p->nfound; i++) {
		const struct lookalike *l = &p->found[i];
		struct buf reasons = { .a = a };

		if (l->verdict != LOOKALIKE_REPORTED)
			continue;
		lookalike_write_reasons(&reasons, &l->m.reasons);
		out[answer.candidates.n++] = (struct candidate){ l->m.found,
			str_of(lookalike_class_name(l->m.class)),
			str_of(lookalike_edit_name(l->m.edit)), l->score, { buf_done(&reasons) } };
		answer.counts.of[l->m.class]++;
	}
	qsort(out, answer.candidates.n, sizeof(*out), compare_candidates);
	if (answer.candidates.n > LIM_PREVIEW)
		answer.candidates.n = LIM_PREVIEW;
	return reply(p->rq, 200, NULL, preview_out, &answer);
}

static int
preview_typosquatting(struct req *rq)
{
	const struct watched_domain *in = rq->in;
	struct watched_domain w = *in;
	struct preview p = { .rq = rq, .index = lookalike_index_new(rq->arena) };
	struct least_score score = { in->min_score };
	enum db_rc rc = DB_OK;

	w.project_uuid = rq->project;
	if (in->min_score == MIN_SCORE_UNSET)
		rc = db_one_row(rq->db, &select_min_score, &score, DB_NO_ARGS);
	w.min_score = score.least;
	lookalike_index_add(p.index, 0, w.domain, watched_texts(w.words));
	if (rc == DB_OK)
		rc = watched_site_read(rq->db, rq->arena, &w, &p.site);
	if (rc == DB_OK)
		rc = preview_names(&p);
	return rc == DB_OK ? reply_preview(&p) : fail_db(rq, rc);
}

/* ---- rows ---- */

static const struct url_param watched_domain_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

static const enum error watched_errors[] = { ERR_WATCHED_DOMAIN_NOT_FOUND, ERR_UNSET };
static const enum error watched_create_errors[] = { ERR_TYPOSQUATTING_LIMIT, ERR_UNSET };

#define WATCHED PROJECT "/esi/typosquatting/domains"
#define WATCHED_ONE WATCHED "/{domain_uuid}"
#define WATCHED_ROW(need)                                                                          \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ESI), .out = watched_domain_out, .tag = "Typosquatting"
#define WATCHED_EXAMPLE                                                                            \
	JSON({                                                                                     \
		"domain" : "example.com",                                                          \
		"words" : ["example-bank"],                                                        \
		"allow" : [ "example.*", "example-careers.com" ],                                  \
		"min_score" : 70                                                                   \
	})

static const struct route watched_routes[] = {
	{
	    ROUTE_AS(GET, WATCHED, "list_watched_domains", page_list),
	    WATCHED_ROW(SCOPE_ESI_FINDINGS_VIEW),
	    .st = &list_watched_domains,
	    PARAMS(struct page_only, watched_domain_params),
	    .list = "domains",
	    .summary = "List watched domains",
	    .description = "Newest first.",
	},
	{
	    ROUTE_AS(GET, WATCHED_ONE, "get_watched_domain", record_one),
	    WATCHED_ROW(SCOPE_ESI_FINDINGS_VIEW),
	    .st = &select_watched_domain,
	    .wrapper = "domain",
	    .errors = watched_errors,
	    .summary = "Get a watched domain",
	    .description = "With the score that its look-alikes must have now.",
	},
	{
	    ROUTE(POST, WATCHED, create_watched_domain),
	    WATCHED_ROW(SCOPE_ESI_DETECTORS_MANAGE),
	    BODY_CHECKED(
		struct watched_domain, watched_domain_new, LIM_WATCHED_BODY, check_watched_new),
	    .status = 201,
	    .wrapper = "domain",
	    .errors = watched_create_errors,
	    .example = WATCHED_EXAMPLE,
	    .summary = "Watch a domain for look-alikes",
	    .description = "Names that are known already are compared with it first, and new names "
			   "as they become known.",
	},
	{
	    ROUTE(PUT, WATCHED_ONE, update_watched_domain),
	    WATCHED_ROW(SCOPE_ESI_DETECTORS_MANAGE),
	    BODY_CHECKED(
		struct watched_domain, watched_domain_change, LIM_WATCHED_BODY, check_watched),
	    .wrapper = "domain",
	    .errors = watched_errors,
	    .example = JSON({ "allow" : ["example-careers.com"], "enabled" : true }),
	    .summary = "Replace a watched domain",
	    .description = "A member that is not sent gets its default; the domain stays. Findings "
			   "whose names are on the allow list close at once, and open again when "
			   "they leave it.",
	},
	{
	    ROUTE_AS(DELETE, WATCHED_ONE, "delete_watched_domain", remove_watched_domain),
	    WATCHED_ROW(SCOPE_ESI_DETECTORS_MANAGE),
	    .wrapper = "domain",
	    .errors = watched_errors,
	    .summary = "Stop watching a domain",
	    .description = "Answers with the deleted watched domain; its findings close.",
	},
	{
	    ROUTE(POST, PROJECT "/esi/typosquatting/preview", preview_typosquatting),
	    COLUMNS_OF_PROJECT(SCOPE_ESI_DETECTORS_MANAGE, ENTITLEMENT_ESI),
	    .tag = "Typosquatting",
	    BODY_CHECKED(
		struct watched_domain, watched_domain_try, LIM_WATCHED_BODY, check_watched_new),
	    .out = preview_out,
	    .result = "The look-alikes that would be reported if the domain were watched, highest "
		      "score first.",
	    .example = JSON({ "domain" : "example.com", "words" : ["example-bank"] }),
	    .summary = "Preview the look-alikes of a domain",
	    .description =
		"Compares at most 500,000 known names and stores nothing. counts has the "
		"number of all look-alikes of each class.",
	},
	ROUTE_END,
};

ROUTES(156, watched);
