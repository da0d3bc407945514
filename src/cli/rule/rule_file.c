/* SPDX-License-Identifier: ISC */
/* Reads a document of YAML as a rule: the words of Sigma, and ours in surface. */
#include "config.h"

#include "cli/rule/member_priv.h"

#include "base/limits.h"

/* ---- the words of Sigma ---- */

static bool
read_id(struct rule_reader *r, struct rule_member m, struct uuid *out)
{
	struct str text = STR_NULL;

	return rule_read_text(r, m, NEEDED, 100, &text) &&
	       (uuid_parse(text, out) || rule_refuse_member(r, m.line, "%s: is no UUID", m.name));
}

static bool
is_attack_technique(struct str s)
{
	size_t i = 1;

	if (s.n != 5 && s.n != 9)
		return false;
	if ((s.p[0] | 32) != 't')
		return false;
	for (; i < s.n; i++)
		if (i == 5 ? s.p[i] != '.' : !ascii_digit(s.p[i]))
			return false;
	return true;
}

static bool
is_slug(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'z') &&
		    (s.p[i] != '-' || i == 0))
			return false;
	return s.n > 0 && s.n <= LIM_TAG_SLUG;
}

/* attack.t1190 is a technique; every other tag is a slug. */
static bool
read_tags(struct rule_reader *r, const struct tree *map)
{
	struct rule_member m = rule_member_of(r, map, "", "tags");
	struct strs all;
	struct str *tags, *techniques;
	size_t nt = 0, nq = 0;

	if (!rule_read_list(
		r, m, (struct rule_bounds){ RULE_TAGS + RULE_TECHNIQUES, LIM_TAG_SLUG }, &all))
		return false;
	tags = ARENA_ARRAY(r->a, all.n + 1, struct str);
	techniques = ARENA_ARRAY(r->a, all.n + 1, struct str);
	for (size_t i = 0; i < all.n; i++) {
		struct str s = all.p[i], rest = { s.p + 7, s.n - 7 };

		if (str_starts(s, STR("attack.")) && is_attack_technique(rest))
			techniques[nq++] = arena_upper(r->a, rest);
		else if (is_slug(s))
			tags[nt++] = s;
		else
			return rule_refuse_member(r, m.line,
			    "tags[%zu]: is neither a technique such as attack.t1190 nor a tag of "
			    "a-z, "
			    "0-9 and -",
			    i);
	}
	if (nt > RULE_TAGS || nq > RULE_TECHNIQUES)
		return rule_refuse_member(r, m.line, "tags: has more than %d tags or %d techniques",
		    (int)RULE_TAGS, (int)RULE_TECHNIQUES);
	r->out->tags = (struct strs){ tags, nt };
	r->out->techniques = (struct strs){ techniques, nq };
	return true;
}

static bool
read_references(struct rule_reader *r, const struct tree *map)
{
	struct rule_member m = rule_member_of(r, map, "", "references");
	struct strs *out = &r->out->references;

	if (!rule_read_list(r, m, (struct rule_bounds){ RULE_REFERENCES, 2048 }, out))
		return false;
	for (size_t i = 0; i < out->n; i++)
		if ((!str_starts(out->p[i], STR("https://")) &&
			!str_starts(out->p[i], STR("http://"))) ||
		    !str_graphic(out->p[i]))
			return rule_refuse_member(
			    r, m.line, "references[%zu]: is no URL of http or https", i);
	return true;
}

static bool
read_related(struct rule_reader *r, const struct tree *map)
{
	static const char *const members[] = { "id", "type", NULL };
	static const char *const types[] = { "derived", "obsolete", "merged", "renamed", "similar",
		NULL };
	const struct tree *list = yaml_member(map, "related");

	for (size_t i = 0; list != NULL && i < list->n; i++) {
		const char *path = arena_printf(r->a, "related[%zu].", i).p;
		struct rule_file_relation *to = &r->out->related[r->out->nrelated];
		const struct tree *item = list->items[i];

		if (item->type != TREE_MAP || list->type != TREE_LIST)
			return rule_refuse_member(r, item->line, "related: is no list of mappings");
		if (i == RULE_RELATIONS)
			return rule_refuse_member(
			    r, item->line, "related: has more than %d items", (int)RULE_RELATIONS);
		if (!rule_check_names(r, item, path, members) ||
		    !read_id(r, rule_member_of(r, item, path, "id"), &to->id) ||
		    !rule_read_word(
			r, rule_member_of(r, item, path, "type"), NEEDED, types, &to->type))
			return false;
		r->out->nrelated++;
	}
	return true;
}

struct renamed {
	const char *yaml, *ours;
};

static const struct renamed statuses[] = { { "test", "testing" }, { "experimental", "testing" },
	{ "testing", "testing" }, { "stable", "stable" }, { "deprecated", "deprecated" },
	{ "draft", "draft" }, { NULL, NULL } };

static const struct renamed levels[] = { { "informational", "info" }, { "info", "info" },
	{ "low", "low" }, { "medium", "medium" }, { "high", "high" }, { "critical", "critical" },
	{ NULL, NULL } };

static bool
read_renamed(
    struct rule_reader *r, struct rule_member m, const struct renamed *words, struct str *out)
{
	struct str given = STR_NULL;
	struct buf known = { .a = r->a };

	if (!rule_read_text(r, m, NEEDED, 100, &given))
		return false;
	for (; words->yaml != NULL; words++) {
		if (str_is(given, words->yaml)) {
			*out = str_of(words->ours);
			return true;
		}
		buf_printf(&known, "%s%s", known.n > 0 ? ", " : "", words->yaml);
	}
	return rule_refuse_member(
	    r, m.line, "%s: must be one of %.*s", m.name, (int)known.n, known.p);
}

/* ---- surface ---- */

static const struct dataset_row {
	const char *name;
	enum dataset dataset;
} datasets[] = {
	{ "hosts", DATASET_HOSTS },
	{ "services", DATASET_SERVICES },
	{ "dns", DATASET_DNS },
	{ "whois", DATASET_WHOIS },
	{ "certificates", DATASET_CERTIFICATES },
	{ "open_directories", DATASET_DIRECTORIES },
};

bool
rule_dataset(struct str name, enum dataset *out)
{
	for (size_t i = 0; i < COUNT(datasets); i++)
		if (str_is(name, datasets[i].name)) {
			*out = datasets[i].dataset;
			return true;
		}
	return false;
}

const char *
rule_dataset_name(enum dataset d)
{
	for (size_t i = 0; i < COUNT(datasets); i++)
		if (datasets[i].dataset == d)
			return datasets[i].name;
	panic("no rule has the dataset %d", (int)d);
}

static bool
read_dataset(struct rule_reader *r, const struct tree *surface)
{
	struct rule_member m = rule_member_of(r, surface, "surface.", "dataset");
	struct str name = STR_NULL;

	return rule_read_text(r, m, NEEDED, 100, &name) &&
	       (rule_dataset(name, &r->out->dataset) ||
		   rule_refuse_member(r, m.line,
		       "surface.dataset: must be one of hosts, services, dns, whois, certificates, "
		       "open_directories"));
}

/* A query of one or several lines, which YAML joins by blanks or line ends. */
static bool
read_query(struct rule_reader *r, struct rule_member m, struct str *out)
{
	*out = STR("");
	if (!rule_read_text(r, m, OPTIONAL_MEMBER, LIM_QUERY, out))
		return false;
	return out->n <= LIM_QUERY ||
	       rule_refuse_member(r, m.line, "%s: has more than %d bytes", m.name, (int)LIM_QUERY);
}

/* In the title of a finding, {name} is replaced by a field of the document. */
static bool
check_title(struct rule_reader *r, struct rule_member m, struct str title)
{
	while (title.n > 0) {
		struct str name;

		(void)str_until(&title, '{');
		if (title.p == NULL)
			break;
		name = str_until(&title, '}');
		if (title.p == NULL || schema_find(r->out->dataset, name) == NULL)
			return rule_refuse_member(r, m.line, "%s: {%.*s} is no field of %s", m.name,
			    (int)(name.n > 60 ? 60 : name.n), name.p,
			    rule_dataset_name(r->out->dataset));
	}
	return true;
}

static bool
read_produces(struct rule_reader *r, const struct tree *surface)
{
	static const char *const members[] = { "area", "exposure_kind", "rank", "title", NULL };
	static const char *const areas[] = { "ai_surface", "service", "rule", NULL };
	static const char path[] = "surface.produces.";
	const struct tree *t = yaml_member(surface, "produces");
	struct rule_file_product *out = &r->out->produces;
	struct str rank = STR("50");
	struct rule_member m;

	if (t == NULL)
		return true;
	if (t->type != TREE_MAP)
		return rule_refuse_member(r, t->line, "surface.produces: is no mapping");
	m = rule_member_of(r, t, path, "title");
	if (!rule_check_names(r, t, path, members) ||
	    !rule_read_word(r, rule_member_of(r, t, path, "area"), NEEDED, areas, &out->area) ||
	    !rule_read_line(
		r, rule_member_of(r, t, path, "exposure_kind"), NEEDED, 100, &out->exposure_kind) ||
	    !rule_read_line(r, m, NEEDED, 200, &out->title) || !check_title(r, m, out->title) ||
	    !rule_read_text(r, rule_member_of(r, t, path, "rank"), OPTIONAL_MEMBER, 3, &rank))
		return false;
	return (str_int64(rank, &out->rank) && out->rank >= 0 && out->rank <= 100) ||
	       rule_refuse_member(r, t->line, "surface.produces.rank: is no number from 0 to 100");
}

static bool
read_test(struct rule_reader *r, const struct tree *t, const char *path, struct rule_file_test *out)
{
	static const char *const members[] = { "name", "expect", "record", NULL };
	static const char *const verdicts[] = { "match", "no_match", NULL };
	struct rule_member m = rule_member_of(r, t, path, "record");
	struct buf json = { .a = r->a };
	struct str expect = STR_NULL;

	if (!rule_check_names(r, t, path, members) ||
	    !rule_read_line(r, rule_member_of(r, t, path, "name"), NEEDED, 200, &out->name) ||
	    !rule_read_word(r, rule_member_of(r, t, path, "expect"), NEEDED, verdicts, &expect))
		return false;
	if (m.t == NULL || m.t->type != TREE_MAP)
		return rule_refuse_member(r, m.line, "%s: is no mapping", m.name);
	yaml_json(r->a, &json, m.t);
	if (json.n > RULE_RECORD)
		return rule_refuse_member(
		    r, m.line, "%s: has more than %d bytes as JSON", m.name, (int)RULE_RECORD);
	out->record = buf_done(&json);
	out->match = str_is(expect, "match");
	return true;
}

static bool
read_tests(struct rule_reader *r, const struct tree *surface)
{
	const struct tree *list = yaml_member(surface, "tests");

	if (list == NULL)
		return true;
	if (list->type != TREE_LIST || list->n > RULE_TESTS)
		return rule_refuse_member(
		    r, list->line, "surface.tests: is no list of at most %d", (int)RULE_TESTS);
	for (size_t i = 0; i < list->n; i++) {
		const char *path = arena_printf(r->a, "surface.tests[%zu].", i).p;

		if (list->items[i]->type != TREE_MAP)
			return rule_refuse_member(
			    r, list->items[i]->line, "surface.tests[%zu]: is no mapping", i);
		if (!read_test(r, list->items[i], path, &r->out->tests[i]))
			return false;
		r->out->ntests++;
	}
	return true;
}

static bool
read_surface(struct rule_reader *r, const struct tree *document)
{
	static const char *const members[] = { "dataset", "scope", "query", "exclude", "produces",
		"applies_tags", "tests", NULL };
	static const char *const scopes[] = { "all", "surface", NULL };
	const struct tree *t = yaml_member(document, "surface");
	struct rule_file *out = r->out;

	out->scope = STR("all");
	if (t == NULL || t->type != TREE_MAP)
		return rule_refuse_member(r, t == NULL ? document->line : t->line, "surface: is %s",
		    t == NULL ? "missing" : "no mapping");
	return rule_check_names(r, t, "surface.", members) && read_dataset(r, t) &&
	       rule_read_word(r, rule_member_of(r, t, "surface.", "scope"), OPTIONAL_MEMBER, scopes,
		   &out->scope) &&
	       read_query(r, rule_member_of(r, t, "surface.", "query"), &out->query) &&
	       read_query(r, rule_member_of(r, t, "surface.", "exclude"), &out->exclude) &&
	       rule_read_bool(
		   r, rule_member_of(r, t, "surface.", "applies_tags"), &out->applies_tags) &&
	       read_produces(r, t) && read_tests(r, t);
}

/* ---- a document ---- */

/* Refuses files of Sigma that are not queries on the datasets of this program: their fields are
   those of logs. */
static bool
check_kind(struct rule_reader *r, const struct tree *document)
{
	static const char *const of_logs[] = { "logsource", "detection", "correlation", "filter" };

	for (size_t i = 0; i < COUNT(of_logs); i++) {
		const struct tree *t = yaml_member(document, of_logs[i]);

		if (t != NULL)
			return rule_refuse_member(r, t->line,
			    "%s: Sigma rules about logs are refused; surface.query is a query of "
			    "surfaced-query(7)",
			    of_logs[i]);
	}
	return true;
}

/* Members of Sigma that are checked and not stored. */
static bool
read_dates(struct rule_reader *r, const struct tree *document)
{
	static const char *const names[] = { "date", "modified" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct rule_member m = rule_member_of(r, document, "", names[i]);
		struct str s = STR_NULL;
		struct ts t;

		if (!rule_read_text(r, m, OPTIONAL_MEMBER, 10, &s))
			return false;
		if (s.p == NULL)
			continue;
		if (s.n == 10 && s.p[4] == '/' && s.p[7] == '/')
			s = arena_printf(r->a, "%.4s-%.2s-%.2s", s.p, s.p + 5, s.p + 8);
		if (!ts_parse(arena_printf(r->a, "%.*sT00:00:00Z", (int)s.n, s.p), &t))
			return rule_refuse_member(
			    r, m.line, "%s: is no date such as 2026-01-31", m.name);
	}
	return true;
}

bool
rule_file_read(
    struct arena *a, const struct tree *document, struct rule_file *out, struct yaml_fault *fault)
{
	static const char *const members[] = { "title", "id", "status", "level", "description",
		"references", "author", "license", "date", "modified", "tags", "falsepositives",
		"related", "surface", NULL };
	struct rule_reader r = { a, out, fault };

	*out = (struct rule_file){ .line = document->line, .description = STR("") };
	if (document->type != TREE_MAP)
		return rule_refuse_member(&r, document->line, "the document is no mapping");
	return check_kind(&r, document) && rule_check_names(&r, document, "", members) &&
	       rule_read_line(
		   &r, rule_member_of(&r, document, "", "title"), NEEDED, 200, &out->title) &&
	       read_id(&r, rule_member_of(&r, document, "", "id"), &out->id) &&
	       read_renamed(
		   &r, rule_member_of(&r, document, "", "status"), statuses, &out->status) &&
	       read_renamed(
		   &r, rule_member_of(&r, document, "", "level"), levels, &out->severity) &&
	       rule_read_text(&r, rule_member_of(&r, document, "", "description"), OPTIONAL_MEMBER,
		   20000, &out->description) &&
	       read_references(&r, document) &&
	       rule_read_line(&r, rule_member_of(&r, document, "", "author"), OPTIONAL_MEMBER, 200,
		   &out->author) &&
	       rule_read_line(&r, rule_member_of(&r, document, "", "license"), OPTIONAL_MEMBER, 100,
		   &out->licence) &&
	       read_dates(&r, document) && read_tags(&r, document) &&
	       rule_read_list(&r, rule_member_of(&r, document, "", "falsepositives"),
		   (struct rule_bounds){ RULE_FALSE_POSITIVES, 500 }, &out->false_positives) &&
	       read_related(&r, document) && read_surface(&r, document);
}
