/* SPDX-License-Identifier: ISC */
/* Derives "X answers without a login" from the rule "X" of the AI surface, so that no product is
 * without this second rule and none has it twice:
 *
 *   query    (the query of X) AND http.capabilities:"auth/none"
 *   level    tbl/no_login_severities.h, by the category
 *   tests    the samples of X with auth/none, with the same verdicts; and those that X matches
 *            without auth/none, which the derived rule does not match
 *   id       the UUID of version 5 of the name "no-login" in the space of X's id, so that settings
 *            and findings stay with the rule when the catalogue is loaded again
 *
 * Evidence of a missing login is the capability alone, which imports give (tbl/capabilities.h), so
 * the finding and the member auth of its record agree. */
#include "config.h"

#include "cli/rule/rule_set.h"

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"
#include "resource/report_store.h"

#define NO_LOGIN "no-login"
#define WITHOUT_LOGIN " answers without a login"
#define PROOF "auth/none"

static struct str
severity_of(struct str exposure_kind)
{
#define NO_LOGIN_SEVERITY(kind, severity)                                                          \
	if (str_is(exposure_kind, kind))                                                           \
		return STR(severity);
#include "tbl/no_login_severities.h"
#undef NO_LOGIN_SEVERITY
	return STR_NULL;
}

static bool
strs_have(struct strs list, const char *z)
{
	for (size_t i = 0; i < list.n; i++)
		if (str_is(list.p[i], z))
			return true;
	return false;
}

bool
rule_has_derived(const struct rule_file *r)
{
	return r->dataset == DATASET_SERVICES && r->produces.area.p != NULL &&
	       str_is(r->produces.area, "ai_surface") && !strs_have(r->tags, NO_LOGIN) &&
	       severity_of(r->produces.exposure_kind).p != NULL;
}

/* ---- samples ---- */

/* A copy of an object of a sample. */
struct copy {
	struct buf *b;
	const char *changed; /* the member that the caller writes itself */
	bool more;
};

static bool
copy_member(void *arg, struct str name, struct json_value *v)
{
	struct copy *c = arg;

	if (str_is(name, c->changed))
		return true;
	if (c->more)
		buf_char(c->b, ',');
	c->more = true;
	json_write_str(c->b, name);
	buf_char(c->b, ':');
	json_write_value(c->b, v, json_write_str);
	return true;
}

/* Begins an object with the members of v, and ends where the value of `changed` is to be written. */
static void
copy_object(struct buf *b, const struct json_value *v, const char *changed)
{
	struct copy c = { b, changed, false };

	buf_char(b, '{');
	if (json_type(v) == JSON_OBJECT)
		json_each(v, copy_member, &c);
	buf_printf(b, "%s\"%s\":", c.more ? "," : "", changed);
}

/* The record of a sample with auth/none, or without. */
static struct str
record_with_proof(struct arena *a, struct str record, bool proof)
{
	const struct json_value *service = json_parse(a, record), *http = json_get(service, "http"),
				*had = json_get(http, "capabilities");
	struct buf b = { .a = a };
	bool more = false;

	copy_object(&b, service, "http");
	copy_object(&b, http, "capabilities");
	buf_char(&b, '[');
	for (size_t i = 0; had != NULL && i < json_length(had); i++) {
		struct str name = json_text(json_at(had, i));

		if (str_is(name, PROOF))
			continue;
		if (more)
			buf_char(&b, ',');
		more = true;
		json_write_str(&b, name);
	}
	if (proof)
		buf_printf(&b, "%s\"" PROOF "\"", more ? "," : "");
	buf_z(&b, "]}}");
	return buf_done(&b);
}

static void
add_sample(struct arena *a, struct rule_file *to, const struct rule_file_test *t, bool proof)
{
	if (to->ntests < RULE_TESTS)
		to->tests[to->ntests++] = (struct rule_file_test){
			.name = arena_printf(a, "%.*s, with%s " PROOF, (int)t->name.n, t->name.p,
			    proof ? "" : "out"),
			.record = record_with_proof(a, t->record, proof),
			.match = t->match && proof,
		};
}

static void
derive_samples(struct arena *a, const struct rule_file *r, struct rule_file *out)
{
	out->ntests = 0;
	for (size_t i = 0; i < r->ntests; i++)
		add_sample(a, out, &r->tests[i], true);
	for (size_t i = 0; i < r->ntests; i++)
		if (r->tests[i].match)
			add_sample(a, out, &r->tests[i], false);
}

/* ---- the rule ---- */

static struct strs
strs_with(struct arena *a, struct strs list, struct str added)
{
	struct str *p = ARENA_ARRAY(a, list.n + 1, struct str);

	for (size_t i = 0; i < list.n; i++)
		p[i] = list.p[i];
	p[list.n] = added;
	return (struct strs){ p, list.n + 1 };
}

static struct str
with_ending(struct arena *a, struct str s)
{
	return arena_printf(a, "%.*s" WITHOUT_LOGIN, (int)s.n, s.p);
}

bool
rule_derive(
    struct arena *a, const struct rule_file *r, struct rule_file *out, struct yaml_fault *fault)
{
	*out = *r;
	out->id = report_name_uuid(&r->id, STR(NO_LOGIN));
	out->title = with_ending(a, r->title);
	out->produces.title = with_ending(a, r->produces.title);
	out->query = arena_printf(
	    a, "(%.*s) AND http.capabilities:\"" PROOF "\"", (int)r->query.n, r->query.p);
	out->severity = severity_of(r->produces.exposure_kind);
	out->description =
	    arena_printf(a, "A service that the rule \"%.*s\" finds has answered without a login.",
		(int)r->title.n, r->title.p);
	out->tags = strs_with(a, r->tags, STR(NO_LOGIN));
	if (!strs_have(r->techniques, "T1190"))
		out->techniques = strs_with(a, r->techniques, STR("T1190"));
	out->related[0] = (struct rule_file_relation){ r->id, STR("derived") };
	out->nrelated = 1;
	derive_samples(a, r, out);
	fault->line = r->line;
	if (out->query.n > LIM_QUERY)
		fault->what =
		    STR("surface.query: is too long for the rule that is derived from it");
	else if (out->title.n > 200 || out->produces.title.n > 200)
		fault->what = STR("title: is too long for the rule that is derived from it");
	else if (out->tags.n > RULE_TAGS || out->techniques.n > RULE_TECHNIQUES)
		fault->what = STR("tags: are too many for the rule that is derived from it");
	else
		return true;
	return false;
}
