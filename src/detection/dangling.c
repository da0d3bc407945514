/* SPDX-License-Identifier: ISC */
/* Judges the records of a name: follows aliases and grades the results. dangling_facts.c answers
   questions about one name, domain or address. */
#include "config.h"

#include "detection/dangling_priv.h"

#include <string.h>

const struct dangling_kind_row dangling_kinds[] = {
#define DANGLING(id, name, title, remediation) { name, title, remediation },
#include "tbl/dangling_kinds.h"
};

const struct dangling_grade_row dangling_grades[] = {
#define DANGLING_GRADE(id, kind, code, severity, confidence)                                       \
	{ DANGLING_##kind, code, severity, confidence },
#include "tbl/dangling_kinds.h"
};

/* The grades of a record whose target lies in a domain that does not exist, by the type of the
   record: when the registry has answered that there is no registration, when the registration is
   known to have expired, and when nothing is known of a registration. */
static const struct {
	const char *type;
	enum dangling_grade refuted, expired, unknown;
} unregistered[] = {
	{ "CNAME", DANGLING_IS_CNAME_FREE, DANGLING_IS_CNAME_EXPIRED, DANGLING_IS_CNAME_NXDOMAIN },
	{ "NS", DANGLING_IS_NS_FREE, DANGLING_IS_NS_EXPIRED, DANGLING_IS_NS_NXDOMAIN },
	{ "MX", DANGLING_IS_MX_FREE, DANGLING_IS_MX_EXPIRED, DANGLING_IS_MX_NXDOMAIN },
	{ "SRV", DANGLING_IS_SRV_FREE, DANGLING_IS_SRV_EXPIRED, DANGLING_IS_SRV_NXDOMAIN },
	{ "TXT", DANGLING_IS_SPF_FREE, DANGLING_IS_SPF_EXPIRED, DANGLING_IS_SPF_NXDOMAIN },
};

/* ---- making a result ---- */

/* A name server of a zone at a provider. */
struct server {
	const struct dangling_record *r;
	const struct takeover *at;
};

struct judge {
	struct arena *a;
	const struct dangling_world *w;
	struct danglings out;
	struct server servers[LIM_DANGLING_HOPS]; /* name servers of the judged zone */
	size_t nservers;
};

static struct dangling *
add_dangling(struct judge *j, enum dangling_grade grade, const struct dangling *like)
{
	struct dangling *d;

	j->out.p = arena_room(j->a, j->out.p, j->out.n, sizeof(*j->out.p));
	d = &j->out.p[j->out.n++];
	*d = *like;
	d->grade = grade;
	d->kind = dangling_grades[grade].kind;
	return d;
}

/* Adds a fact on which the result depends. The result holds from the latest beginning to the
   earliest end of all its facts. */
static void
rest_on(struct dangling *d, struct ts first, struct ts last)
{
	if (ts_is_null(d->first) || ts_cmp(first, d->first) > 0)
		d->first = first;
	if (ts_is_null(d->last) || ts_cmp(last, d->last) < 0)
		d->last = last;
	if (ts_cmp(d->first, d->last) > 0)
		d->first = d->last;
}

static void
add_hop(struct dangling *d, struct dangling_hop hop)
{
	if (d->nchain < COUNT(d->chain))
		d->chain[d->nchain++] = hop;
}

/* The hop of a record that exists: the first of a chain, or an alias in it. */
static struct dangling_hop
hop_of(const struct dangling_record *r)
{
	return (struct dangling_hop){ r->host, r->type, STR("NOERROR"), r->last };
}

static void
set_provider(struct dangling *d, const struct takeover *t)
{
	if (t == NULL)
		return;
	d->provider = t->provider;
	d->claim = takeover_claim_name(t->claim);
}

/* The grade of a record at a provider: `open` when anybody can claim a free name there, and a stale
   record when the provider prevents claims or the sources disagree. */
static enum dangling_grade
grade_of_claim(enum takeover_claim c, enum dangling_grade open)
{
	return c == TAKEOVER_OPEN     ? open
	       : c == TAKEOVER_CLOSED ? DANGLING_IS_STALE_CLOSED
				      : DANGLING_IS_STALE_DISPUTED;
}

/* ---- targets of records ---- */

/* Whether no hop is newer than an answer about the end of the chain. */
static bool
not_before(const struct dangling *d, struct ts seen)
{
	for (size_t i = 0; i < d->nchain; i++)
		if (seen.us + DANGLING_SAME_LOOK < d->chain[i].seen.us)
			return false;
	return true;
}

/* Judges a target by its registrable domain. Returns true when the domain does not exist, so that
   the provider of the target does not matter. */
static bool
judge_domain(struct judge *j, const struct dangling *like)
{
	struct str domain = dangling_registrable(j->a, like->target);
	struct dangling_name state = dangling_state(j->w, domain);
	const struct dangling_domain *known = dangling_registration(j->w, domain);
	struct dangling d = *like;
	enum dangling_grade grade = DANGLING_IS_STALE_HELD;
	size_t i = 0;

	if (domain.p == NULL || state.is != DANGLING_MISSING || !not_before(like, state.last))
		return false;
	while (!str_is(like->type, unregistered[i].type))
		i++;
	if (known != NULL && dangling_is_fresh(j->w, known->refuted))
		grade = unregistered[i].refuted;
	else if (known == NULL || !ts_is_null(known->refuted))
		grade = unregistered[i].unknown;
	else if (!ts_is_null(known->expires) && ts_cmp(known->expires, j->w->now) < 0)
		grade = unregistered[i].expired;
	rest_on(&d, state.first, state.last);
	add_hop(&d, (struct dangling_hop){ domain, STR_NULL, STR("NXDOMAIN"), state.last });
	add_dangling(j, grade, &d);
	return true;
}

/* Judges a target that does not exist although its domain may. */
static void
judge_missing(struct judge *j, const struct dangling *like, const struct takeover *t)
{
	struct dangling_name state = dangling_state(j->w, like->target);
	struct dangling d = *like;
	enum dangling_grade grade = DANGLING_IS_STALE;

	if (state.is != DANGLING_MISSING || !not_before(like, state.last))
		return;
	if (t != NULL && t->mode == TAKEOVER_PAGE && dangling_is_service(d.host))
		return;
	set_provider(&d, t);
	if (t != NULL && t->mode == TAKEOVER_NXDOMAIN)
		grade = grade_of_claim(t->claim, dangling_is_front(j->a, d.host)
						     ? DANGLING_IS_CLAIMABLE_FRONT
						     : DANGLING_IS_CLAIMABLE);
	else if (t != NULL && t->claim != TAKEOVER_OPEN)
		grade = grade_of_claim(t->claim, grade);
	if (dangling_grades[grade].kind == DANGLING_CNAME_CLAIMABLE && !str_is(d.type, "CNAME"))
		grade = DANGLING_IS_STALE;
	rest_on(&d, state.first, state.last);
	add_hop(&d, (struct dangling_hop){ d.target, STR_NULL, STR("NXDOMAIN"), state.last });
	add_dangling(j, grade, &d);
}

/* ---- CNAME ---- */

static bool
is_listed(struct strs list, struct str s)
{
	for (size_t i = 0; i < list.n; i++)
		if (str_eq(list.p[i], s))
			return true;
	return false;
}

/* Judges the newest capture of the host: it may show the provider's page for unclaimed names.
   Returns false when it does not. */
static bool
judge_page(struct judge *j, const struct dangling *like, const struct takeover *t)
{
	const struct dangling_page *page = dangling_newest_page(j->w, like->host);
	struct dangling d = *like;

	if (t == NULL || t->mode != TAKEOVER_PAGE || dangling_is_service(d.host) || page == NULL ||
	    !is_listed(page->providers, t->provider) || !dangling_is_fresh(j->w, page->at) ||
	    !not_before(like, page->at))
		return false;
	set_provider(&d, t);
	rest_on(&d, page->at, page->at);
	add_hop(&d, (struct dangling_hop){ d.target, STR_NULL, STR_NULL, page->at });
	add_dangling(j, grade_of_claim(t->claim, DANGLING_IS_PAGE), &d);
	return true;
}

/* Follows the aliases of d->host. Returns false when there are none or too many, or when they form
   a loop. */
static bool
follow_aliases(struct judge *j, struct dangling *d)
{
	struct str at = d->host;
	const struct dangling_record *r;

	while ((r = dangling_alias(j->w, at)) != NULL) {
		for (size_t i = 0; i < d->nchain; i++)
			if (str_eq(d->chain[i].name, r->name))
				return false;
		if (str_eq(at, r->name) || d->nchain == LIM_DANGLING_HOPS)
			return false;
		add_hop(d, hop_of(r));
		rest_on(d, r->first, r->last);
		at = r->name;
	}
	d->target = at;
	return d->nchain > 0;
}

struct str
dangling_end(struct arena *a, const struct dangling_world *w, struct str host)
{
	struct judge j = { .a = a, .w = w };
	struct dangling d = { .host = host, .first = TS_NULL, .last = TS_NULL };

	return follow_aliases(&j, &d) ? d.target : STR_NULL;
}

static void
judge_alias(struct judge *j, struct str host)
{
	struct dangling d = {
		.host = host, .type = STR("CNAME"), .first = TS_NULL, .last = TS_NULL
	};
	const struct takeover *t;

	if (!follow_aliases(j, &d) || dangling_is_own(j->w, d.target))
		return;
	t = takeover_of(&j->w->takeovers, d.target, false);
	if (!judge_page(j, &d, t) && !judge_domain(j, &d))
		judge_missing(j, &d, t);
}

/* ---- NS, MX, SRV, SPF ---- */

static void
judge_target(struct judge *j, const struct dangling_record *r, struct str target)
{
	struct dangling d = { .host = r->host,
		.type = r->type,
		.target = target,
		.first = TS_NULL,
		.last = TS_NULL };

	if (dangling_is_own(j->w, target))
		return;
	rest_on(&d, r->first, r->last);
	add_hop(&d, hop_of(r));
	if (!judge_domain(j, &d))
		judge_missing(j, &d, takeover_of(&j->w->takeovers, target, str_is(r->type, "NS")));
}

/* Keeps a name server at a provider for judge_lame: those where anybody can claim a zone first, then
   by name, so that the same server is the first one at each pass. */
static void
add_server(struct judge *j, const struct dangling_record *r)
{
	const struct takeover *t = takeover_of(&j->w->takeovers, r->name, true);
	struct server *all = j->servers;
	size_t at = j->nservers;

	if (t == NULL)
		return;
	while (at > 0 &&
	       (t->claim < all[at - 1].at->claim || (t->claim == all[at - 1].at->claim &&
							str_cmp(r->name, all[at - 1].r->name) < 0)))
		at--;
	if (at == LIM_DANGLING_HOPS)
		return;
	if (j->nservers < LIM_DANGLING_HOPS)
		j->nservers++;
	memmove(&all[at + 1], &all[at], (j->nservers - 1 - at) * sizeof(*all));
	all[at] = (struct server){ r, t };
}

/* Judges a zone that is delegated to a provider but not served there: look-ups of its SOA failed
   over at least a day, and no newer one succeeded. All servers of the zone give one result. */
static void
judge_lame(struct judge *j, struct str zone)
{
	const struct dangling_record *refused = dangling_refused(j->w, zone), *r;
	struct dangling d = { .host = zone, .type = STR("NS"), .first = TS_NULL, .last = TS_NULL };
	const struct takeover *first = NULL;

	for (size_t i = 0; refused != NULL && i < j->nservers; i++) {
		r = j->servers[i].r;
		if (refused->last.us + DANGLING_SAME_LOOK < r->last.us)
			continue;
		if (first == NULL) {
			first = j->servers[i].at;
			d.target = r->name;
			add_hop(&d, hop_of(r));
		}
		rest_on(&d, r->first, r->last);
		add_hop(
		    &d, (struct dangling_hop){ r->name, STR_NULL, refused->rcode, refused->last });
	}
	if (first == NULL)
		return;
	set_provider(&d, first);
	rest_on(&d, refused->first, refused->last);
	add_dangling(j, grade_of_claim(first->claim, DANGLING_IS_LAME), &d);
}

static void
judge_record(struct judge *j, const struct dangling_record *r)
{
	struct strs names = dangling_targets(j->a, r);
	size_t had = j->out.n;

	for (size_t i = 0; i < names.n; i++)
		judge_target(j, r, names.p[i]);
	if (str_is(r->type, "NS") && j->out.n == had && names.n > 0)
		add_server(j, r);
}

/* ---- addresses ---- */

static void
judge_address(struct judge *j, const struct dangling_record *r)
{
	const struct dangling_address *at = dangling_cloud(j->w, r->answer);
	const struct dangling_certificate *c =
	    at == NULL ? NULL : dangling_foreign(j->a, j->w, r->answer);
	struct dangling d = { .host = r->host,
		.type = r->type,
		.target = r->answer,
		.first = TS_NULL,
		.last = TS_NULL };

	if (c == NULL || is_listed(j->w->allocated, r->answer) ||
	    c->last.us + DANGLING_SAME_LOOK < r->last.us)
		return;
	d.provider = at->provider;
	d.region = at->region;
	rest_on(&d, r->first, r->last);
	rest_on(&d, c->since, c->last);
	add_hop(&d, hop_of(r));
	add_dangling(j,
	    is_listed(j->w->allocated_at, at->provider) ? DANGLING_IS_RELEASED_DECLARED
							: DANGLING_IS_RELEASED,
	    &d);
}

/* ---- a host ---- */

struct danglings
dangling_judge(struct arena *a, const struct dangling_world *w, struct str host)
{
	struct judge j = { .a = a, .w = w };
	size_t n;
	const struct dangling_record *r = dangling_records(w, host, &n);

	if (dangling_alias(w, host) != NULL) {
		if (!dangling_is_of_wildcard(a, w, dangling_alias(w, host)))
			judge_alias(&j, host);
		return j.out;
	}
	for (; n > 0; n--, r++) {
		if (!dangling_is_current(w, r) || dangling_is_of_wildcard(a, w, r))
			continue;
		if (str_is(r->type, "A") || str_is(r->type, "AAAA"))
			judge_address(&j, r);
		else
			judge_record(&j, r);
	}
	judge_lame(&j, host);
	return j.out;
}
