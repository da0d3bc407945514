/* SPDX-License-Identifier: ISC */
/* Answers questions about one name, domain or address from the data that were read. */
#include "config.h"

#include "address/start_url.h"
#include "base/base.h"
#include "detection/dangling_priv.h"

#include <stdlib.h>

enum { SPF_MOST = 50 };

/* ---- records ---- */

int
dangling_order(const void *l, const void *r)
{
	const struct dangling_record *a = l, *b = r;
	int n = str_cmp(a->host, b->host);

	return n != 0 ? n : str_cmp(a->type, b->type);
}

static int
compare_host(const void *key, const void *item)
{
	return str_cmp(*(const struct str *)key, ((const struct dangling_record *)item)->host);
}

const struct dangling_record *
dangling_records(const struct dangling_world *w, struct str host, size_t *n)
{
	const struct dangling_record *end, *r;

	*n = 0;
	if (host.p == NULL || w->nrecords == 0)
		return NULL;
	end = w->records + w->nrecords;
	r = bsearch(&host, w->records, w->nrecords, sizeof(*r), compare_host);
	if (r == NULL)
		return NULL;
	while (r > w->records && str_eq(r[-1].host, host))
		r--;
	while (r + *n < end && str_eq(r[*n].host, host))
		++*n;
	return r;
}

bool
dangling_is_fresh(const struct dangling_world *w, struct ts t)
{
	return !ts_is_null(t) && t.us >= w->now.us - LIM_FINDING_STALE_DAYS * DANGLING_DAY;
}

static bool
is_answered(const struct dangling_record *r)
{
	return str_is(r->rcode, "NOERROR") || str_is(r->rcode, "NXDOMAIN");
}

struct ts
dangling_looked_up(const struct dangling_world *w, struct str host, struct str type)
{
	struct ts at = TS_NULL;
	size_t n;
	const struct dangling_record *r = dangling_records(w, host, &n);

	for (; n > 0; n--, r++)
		if (str_eq(r->type, type) && is_answered(r) && ts_cmp(r->last, at) > 0)
			at = r->last;
	return at;
}

/* A source may give each answer of a set a time of its own, so an answer is current until it is a
   day older than the newest one. */
bool
dangling_is_current(const struct dangling_world *w, const struct dangling_record *r)
{
	struct ts newest = dangling_looked_up(w, r->host, r->type);

	return str_is(r->rcode, "NOERROR") && r->answer.p != NULL &&
	       dangling_is_fresh(w, r->last) && newest.us - r->last.us < DANGLING_DAY;
}

const struct dangling_record *
dangling_alias(const struct dangling_world *w, struct str name)
{
	const struct dangling_record *best = NULL;
	struct ts newest = dangling_looked_up(w, name, STR("CNAME"));
	size_t n;
	const struct dangling_record *r = dangling_records(w, name, &n);

	for (; n > 0; n--, r++)
		if (str_is(r->type, "CNAME") && r->name.p != NULL && str_is(r->rcode, "NOERROR") &&
		    ts_cmp(r->last, newest) == 0 && dangling_is_fresh(w, r->last) &&
		    (best == NULL || str_cmp(r->name, best->name) < 0))
			best = r;
	return best;
}

/* Whether a newer look-up of the record's type had another result, such as SERVFAIL after
   NXDOMAIN. */
static bool
is_superseded(const struct dangling_record *all, size_t n, const struct dangling_record *r)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(all[i].type, r->type) && !str_eq(all[i].rcode, r->rcode) &&
		    ts_cmp(all[i].last, r->last) > 0)
			return true;
	return false;
}

struct dangling_name
dangling_state(const struct dangling_world *w, struct str name)
{
	struct dangling_name exists = { DANGLING_UNKNOWN, TS_NULL, TS_NULL }, missing = exists;
	size_t n;
	const struct dangling_record *r = dangling_records(w, name, &n);

	for (size_t i = 0; i < n; i++) {
		bool gone = str_is(r[i].rcode, "NXDOMAIN");
		struct dangling_name *s = gone ? &missing : &exists;

		if (!is_answered(&r[i]) || (gone && is_superseded(r, n, &r[i])) ||
		    ts_cmp(r[i].last, s->last) <= 0)
			continue;
		*s = (struct dangling_name){ gone ? DANGLING_MISSING : DANGLING_EXISTS, r[i].first,
			r[i].last };
	}
	if (ts_cmp(missing.last, exists.last) > 0) {
		if (ts_cmp(exists.last, missing.first) > 0)
			missing.first = exists.last;
		exists = missing;
	}
	return dangling_is_fresh(w, exists.last)
		   ? exists
		   : (struct dangling_name){ DANGLING_UNKNOWN, TS_NULL, TS_NULL };
}

const struct dangling_record *
dangling_refused(const struct dangling_world *w, struct str zone)
{
	struct ts answered = dangling_looked_up(w, zone, STR("SOA"));
	size_t n;
	const struct dangling_record *r = dangling_records(w, zone, &n), *best = NULL;

	for (; n > 0; n--, r++)
		if (str_is(r->type, "SOA") &&
		    (str_is(r->rcode, "SERVFAIL") || str_is(r->rcode, "REFUSED")) &&
		    r->last.us - r->first.us >= DANGLING_DAY && dangling_is_fresh(w, r->last) &&
		    ts_cmp(r->last, answered) > 0 &&
		    (ts_is_null(answered) || r->last.us - answered.us >= DANGLING_DAY) &&
		    (best == NULL || ts_cmp(r->last, best->last) > 0))
			best = r;
	return best;
}

/* ---- domains ---- */

struct str
dangling_registrable(struct arena *a, struct str name)
{
	(void)a;
	while (name.n > 0) {
		const char *dot = memchr(name.p, '.', name.n);
		struct str above;

		if (dot == NULL)
			return STR_NULL;
		above = (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) };
		/* Tests and demonstrations use names below "example", which no registry offers. */
		if (host_suffix_icann(above) || str_is(above, "example"))
			return name;
		name = above;
	}
	return STR_NULL;
}

const struct dangling_domain *
dangling_registration(const struct dangling_world *w, struct str domain)
{
	for (size_t i = 0; i < w->ndomains; i++)
		if (str_eq(w->domains[i].domain, domain))
			return &w->domains[i];
	return NULL;
}

bool
dangling_is_own(const struct dangling_world *w, struct str name)
{
	for (size_t i = 0; i < w->own.n; i++)
		if (str_within(name, w->own.p[i]))
			return true;
	return false;
}

bool
dangling_is_service(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '_' && (i == 0 || name.p[i - 1] == '.'))
			return true;
	return false;
}

bool
dangling_is_front(struct arena *a, struct str name)
{
	static const struct str fronts[] = { STR_INIT("www."), STR_INIT("login."),
		STR_INIT("mail.") };
	struct str domain = dangling_registrable(a, name);

	for (size_t i = 0; i < COUNT(fronts) && domain.p != NULL; i++)
		if (str_starts(name, fronts[i]) && name.n == domain.n + fronts[i].n)
			return true;
	return false;
}

/* ---- wildcards ---- */

struct strs
dangling_wildcards(struct arena *a, struct str host, struct strs own)
{
	struct strs out = { NULL, 0 };
	const struct dangling_world w = { .own = own };
	const char *dot;

	if (str_starts(host, STR("*.")))
		return out;
	while ((dot = memchr(host.p, '.', host.n)) != NULL) {
		host = (struct str){ dot + 1, host.n - (size_t)(dot + 1 - host.p) };
		if (!dangling_is_own(&w, host))
			break;
		arena_add_once(
		    a, &out, arena_printf(a, "*.%.*s", (int)host.n, host.p), LIM_DNS_NAME);
	}
	return out;
}

bool
dangling_is_of_wildcard(
    struct arena *a, const struct dangling_world *w, const struct dangling_record *r)
{
	struct strs names = dangling_wildcards(a, r->host, w->own);

	for (size_t i = 0; i < names.n; i++) {
		size_t n;
		const struct dangling_record *x = dangling_records(w, names.p[i], &n);

		for (; n > 0; n--, x++)
			if (str_eq(x->type, r->type) && x->answer.p != NULL &&
			    str_eq(x->answer, r->answer) && dangling_is_current(w, x))
				return true;
	}
	return false;
}

/* ---- targets of records ---- */

/* Joins the quoted strings of a TXT record. */
static struct str
join_strings(struct arena *a, struct str answer)
{
	struct buf b = { .a = a };
	bool quoted = false;

	for (size_t i = 0; i < answer.n; i++) {
		if (answer.p[i] == '"')
			quoted = !quoted;
		else if (answer.p[i] == '\\' && i + 1 < answer.n)
			buf_char(&b, answer.p[++i]);
		else if (quoted)
			buf_char(&b, answer.p[i]);
	}
	return arena_lower(a, b.n == 0 ? answer : buf_done(&b));
}

/* Adds the domain of "include:" or "redirect=". A domain with a macro is left out, because its name
   is not fixed. */
static void
add_spf_term(struct arena *a, struct strs *out, struct str term)
{
	static const struct str forms[] = { STR_INIT("include:"), STR_INIT("redirect=") };

	if (term.n > 0 &&
	    (term.p[0] == '+' || term.p[0] == '-' || term.p[0] == '~' || term.p[0] == '?'))
		term = (struct str){ term.p + 1, term.n - 1 };
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct str name;

		if (!str_starts(term, forms[i]))
			continue;
		name = (struct str){ term.p + forms[i].n, term.n - forms[i].n };
		if (name.n > 0 && name.p[name.n - 1] == '.')
			name.n--;
		if (name.n > 0 && memchr(name.p, '%', name.n) == NULL)
			arena_add_once(a, out, name, SPF_MOST);
	}
}

static struct strs
spf_domains(struct arena *a, struct str answer)
{
	struct str text = join_strings(a, answer);
	struct strs out = { NULL, 0 };

	if (!str_starts(text, STR("v=spf1")) || (text.n > 6 && text.p[6] != ' '))
		return out;
	while (text.n > 0) {
		const char *blank = memchr(text.p, ' ', text.n);
		size_t n = blank == NULL ? text.n : (size_t)(blank - text.p);

		add_spf_term(a, &out, (struct str){ text.p, n });
		n += blank != NULL;
		text = (struct str){ text.p + n, text.n - n };
	}
	return out;
}

struct strs
dangling_targets(struct arena *a, const struct dangling_record *r)
{
	struct strs out = { NULL, 0 };

	if (str_is(r->type, "TXT"))
		return spf_domains(a, r->answer);
	if (!str_is(r->type, "NS") && !str_is(r->type, "MX") && !str_is(r->type, "SRV"))
		return out;
	if (r->name.p != NULL && r->name.n > 0 && !str_is(r->name, "."))
		arena_add_once(a, &out, r->name, 1);
	return out;
}

static void
add_lead(struct arena *a, struct strs *names, struct str name)
{
	struct str *p = arena_room(a, (void *)(uintptr_t)names->p, names->n, sizeof(*p));

	p[names->n++] = name;
	names->p = p;
}

void
dangling_leads(struct arena *a, const struct dangling_record *r, struct strs *names)
{
	struct strs targets = { NULL, 0 };

	if (r->answer.p == NULL)
		return;
	if (str_is(r->type, "CNAME") && r->name.p != NULL)
		add_lead(a, &targets, r->name);
	else
		targets = dangling_targets(a, r);
	for (size_t i = 0; i < targets.n; i++) {
		struct str domain = dangling_registrable(a, targets.p[i]);

		add_lead(a, names, targets.p[i]);
		if (domain.p != NULL && !str_eq(domain, targets.p[i]))
			add_lead(a, names, domain);
	}
}

/* ---- pages and addresses ---- */

const struct dangling_page *
dangling_newest_page(const struct dangling_world *w, struct str host)
{
	const struct dangling_page *best = NULL;

	for (size_t i = 0; i < w->npages; i++)
		if (str_eq(w->pages[i].host, host) &&
		    (best == NULL || ts_cmp(w->pages[i].at, best->at) > 0))
			best = &w->pages[i];
	return best;
}

const struct dangling_address *
dangling_cloud(const struct dangling_world *w, struct str ip)
{
	for (size_t i = 0; i < w->naddresses; i++)
		if (str_eq(w->addresses[i].ip, ip))
			return &w->addresses[i];
	return NULL;
}

/* Whether a certificate contains a registrable domain. "localhost" or the name of an appliance does
   not identify an owner. */
static bool
names_somebody(struct arena *a, const struct dangling_certificate *c)
{
	for (size_t i = 0; i < c->names.n; i++)
		if (dangling_registrable(a, c->names.p[i]).p != NULL)
			return true;
	return false;
}

/* Whether a certificate has a name below a registrable domain of the project. */
static bool
names_project(struct arena *a, const struct dangling_world *w, const struct dangling_certificate *c)
{
	for (size_t i = 0; i < c->names.n; i++)
		for (size_t k = 0; k < w->own.n; k++) {
			struct str own = dangling_registrable(a, w->own.p[k]);

			if (str_within(c->names.p[i], own.p == NULL ? w->own.p[k] : own))
				return true;
		}
	return false;
}

const struct dangling_certificate *
dangling_our_certificate(struct arena *a, const struct dangling_world *w, struct str ip)
{
	const struct dangling_certificate *best = NULL;

	for (size_t i = 0; i < w->ncertificates; i++) {
		const struct dangling_certificate *c = &w->certificates[i];

		if (str_eq(c->ip, ip) && names_project(a, w, c) &&
		    (best == NULL || ts_cmp(c->last, best->last) > 0))
			best = c;
	}
	return best;
}

const struct dangling_certificate *
dangling_foreign(struct arena *a, const struct dangling_world *w, struct str ip)
{
	const struct dangling_certificate *best = NULL;

	if (dangling_our_certificate(a, w, ip) != NULL)
		return NULL;
	for (size_t i = 0; i < w->ncertificates; i++) {
		const struct dangling_certificate *c = &w->certificates[i];

		if (str_eq(c->ip, ip) && !c->self_signed && names_somebody(a, c) &&
		    dangling_is_fresh(w, c->last) && c->last.us - c->since.us >= DANGLING_DAY &&
		    (best == NULL || ts_cmp(c->last, best->last) > 0))
			best = c;
	}
	return best;
}

/* ---- contradictions of stored findings ---- */

static bool
has_target(struct arena *a, const struct dangling_world *w, const struct dangling_known *k)
{
	size_t n;
	const struct dangling_record *r = dangling_records(w, k->host, &n);

	for (; n > 0; n--, r++) {
		struct strs names;

		if (!str_eq(r->type, k->type) || !str_is(r->rcode, "NOERROR") ||
		    r->answer.p == NULL ||
		    ts_cmp(r->last, dangling_looked_up(w, k->host, k->type)) < 0)
			continue;
		names = dangling_targets(a, r);
		for (size_t i = 0; i < names.n; i++)
			if (str_eq(names.p[i], k->target))
				return true;
		if (str_eq(r->answer, k->target))
			return true;
	}
	return false;
}

/* Returns the time of the look-up that showed the first hop of the chain to lead elsewhere now.
   TS_NULL: the chain is unchanged. */
static struct ts
alias_changed(const struct dangling_world *w, const struct dangling_known *k)
{
	for (size_t i = 0; i < k->chain.n && !str_eq(k->chain.p[i], k->target); i++) {
		const struct dangling_record *r = dangling_alias(w, k->chain.p[i]);

		if (r != NULL && str_eq(r->name, k->target))
			break;
		if (r == NULL || i + 1 == k->chain.n || !str_eq(r->name, k->chain.p[i + 1]))
			return dangling_looked_up(w, k->chain.p[i], STR("CNAME"));
	}
	return TS_NULL;
}

/* Returns the time at which the target was last seen to exist; for a finding about an unregistered
   domain, the registrable domain of the target counts, too. */
static struct ts
target_exists(struct arena *a, const struct dangling_world *w, const struct dangling_known *k)
{
	bool of_domain =
	    k->kind == DANGLING_CNAME_UNREGISTERED || k->kind == DANGLING_NS_UNREGISTERED ||
	    k->kind == DANGLING_MX_UNREGISTERED || k->kind == DANGLING_SRV_UNREGISTERED ||
	    k->kind == DANGLING_SPF_INCLUDE_UNREGISTERED;
	struct dangling_name state = dangling_state(w, k->target);

	if (state.is != DANGLING_EXISTS && of_domain)
		state = dangling_state(w, dangling_registrable(a, k->target));
	return state.is == DANGLING_EXISTS ? state.last : TS_NULL;
}

/* Whether the finding is about a zone that its provider does not serve. */
static bool
is_lame(const struct dangling_world *w, const struct dangling_known *k)
{
	return k->kind == DANGLING_NS_LAME ||
	       (k->kind == DANGLING_STALE_RECORD && str_is(k->type, "NS") &&
		   takeover_of(&w->takeovers, k->target, true) != NULL);
}

struct ts
dangling_contradiction(
    struct arena *a, const struct dangling_world *w, const struct dangling_known *k)
{
	struct ts at = TS_NULL;

	if (str_is(k->type, "CNAME"))
		at = alias_changed(w, k);
	else if (!has_target(a, w, k))
		at = dangling_looked_up(w, k->host, k->type);
	if (!ts_is_null(at))
		return at;
	if (is_lame(w, k))
		return dangling_looked_up(w, k->host, STR("SOA"));
	if (k->kind == DANGLING_CNAME_PAGE) {
		const struct dangling_page *p = dangling_newest_page(w, k->host);

		return p != NULL && p->providers.n == 0 ? p->at : TS_NULL;
	}
	if (k->kind == DANGLING_ADDRESS_RELEASED) {
		const struct dangling_certificate *c = dangling_our_certificate(a, w, k->target);

		return c == NULL ? TS_NULL : c->last;
	}
	return target_exists(a, w, k);
}
