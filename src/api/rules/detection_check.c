/* SPDX-License-Identifier: ISC */
/* Checks the content of a rule beyond what its field table can check. */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "api/search/documents.h"
#include "json/tree.h"

enum dataset
detection_dataset(struct str name)
{
	for (enum dataset d = 0; d < DATASETS_AND_CONDITIONS; d++)
		if (answer_names[d].list != NULL && str_is(name, answer_names[d].list))
			return d;
	panic("%.*s is no dataset of rules", (int)name.n, name.p);
}

/* ---- faults of one rule ---- */

struct checked {
	struct req *rq;
	const struct detection_in *in;
	const char *prefix;
	struct body_faults *faults;
	bool has_dataset;
	enum dataset dataset;
};

static void
add_fault(struct checked *c, const char *member, const char *code, struct str message)
{
	body_fault(c->faults, arena_printf(c->rq->arena, "%s%s", c->prefix, member).p, code,
	    arena_str(c->rq->arena, message).p);
}

static void
add_fault_of_item(
    struct checked *c, const char *list, size_t i, const char *code, const char *message)
{
	add_fault(c, arena_printf(c->rq->arena, "%s[%zu]", list, i).p, code, str_of(message));
}

static void
check_text(struct checked *c, const char *member, struct str text)
{
	struct query_fault fault;
	struct query q;

	if (text.p != NULL && c->has_dataset &&
	    !query_parse(c->rq->arena, c->dataset, text, c->rq->now, &q, &fault))
		add_fault(c, member, "invalid_format",
		    arena_printf(c->rq->arena, "character %u: %.*s", fault.at, (int)fault.message.n,
			fault.message.p));
}

static bool
digits_only(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]))
			return false;
	return true;
}

/* Whether the text is like T1190 or T1059.001. */
static bool
is_technique(struct str s)
{
	if (s.n < 5 || s.p[0] != 'T' || !digits_only((struct str){ s.p + 1, 4 }))
		return false;
	return s.n == 5 || (s.n == 9 && s.p[5] == '.' && digits_only((struct str){ s.p + 6, 3 }));
}

static bool
is_reference(struct str s)
{
	return s.n <= LIM_WEBHOOK_URL && str_graphic(s) &&
	       (str_starts(s, STR("https://")) || str_starts(s, STR("http://")));
}

static bool
is_false_positive(struct str s)
{
	return name_visible(s) && str_chars(s) <= LIM_RULE_FALSE_POSITIVE;
}

static void
check_items(struct checked *c, const char *member, const struct list *list,
    bool (*good)(struct str s), const char *message)
{
	const struct str *s = list->items;

	for (size_t i = 0; i < list->n; i++)
		if (s[i].p != NULL && !good(s[i]))
			add_fault_of_item(c, member, i, "invalid_format", message);
}

struct slug {
	struct str slug;
};

static const struct field slug_out[] = { FIELD(struct slug, slug, 0), FIELD_END };

STMT_LIST(known_tags, struct slug, slug_out, "SELECT slug FROM rule_tags_hold($1, $2)");

static bool
has_slug(const struct list *known, struct str slug)
{
	const struct slug *s = known->items;

	for (size_t i = 0; i < known->n; i++)
		if (str_eq(s[i].slug, slug))
			return true;
	return false;
}

static int
check_tags(struct checked *c)
{
	const struct str *s = c->in->tags.items;
	struct list known;
	enum db_rc rc;

	if (c->in->tags.n == 0)
		return PASS;
	rc = db_list(c->rq->db, &known_tags, &known, P(c->rq->key->account),
	    P(((struct strs){ s, c->in->tags.n })));
	if (rc != DB_OK)
		return fail_db(c->rq, rc);
	for (size_t i = 0; i < c->in->tags.n; i++) {
		if (s[i].p == NULL)
			continue;
		if (!has_slug(&known, s[i]))
			add_fault_of_item(c, "tags", i, "not_found", "is not a known tag");
	}
	return PASS;
}

int
detection_hold_tags(struct req *rq, const struct list *tags, const char *member)
{
	const struct strs slugs = { tags->items, tags->n };
	struct list known = { 0 };
	enum db_rc rc = DB_OK;

	if (tags->n > 0)
		rc = db_list(rq->db, &known_tags, &known, P(rq->key->account), P(slugs));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return known.n >= tags->n
		   ? PASS
		   : fail_field(rq, member, "not_found", "has a tag that was deleted just now");
}

/* ---- samples ---- */

/* The path of a member, from the top of a record. */
struct member_at {
	struct checked *c;
	const char *path; /* the path as text */
	const struct member_at *above;
	struct str name;
};

static struct str
dotted(struct arena *a, const struct member_at *m)
{
	struct str above;

	if (m->above == NULL || m->above->name.p == NULL)
		return m->name;
	above = dotted(a, m->above);
	return arena_printf(a, "%.*s.%.*s", (int)above.n, above.p, (int)m->name.n, m->name.p);
}

/* Returns 1 when the name is a field, 2 when it is an object with fields, else 0. */
static int
fields_at(enum dataset d, struct str name)
{
	const struct schema_field *f;
	size_t n = schema_fields(d, &f);

	for (size_t i = 0; i < n; i++) {
		struct str field = str_of(f[i].name);

		if (str_eq(field, name))
			return 1;
		if (str_starts(field, name) && field.p[name.n] == '.')
			return 2;
	}
	return 0;
}

/* The same for a sample: samples of services have the members of the host below "host". */
static int
fields_of_sample(enum dataset d, struct str name)
{
	static const struct str host = STR_INIT("host.");

	if (d == DATASET_SERVICES && str_is(name, "host"))
		return 2;
	if (d == DATASET_SERVICES && str_starts(name, host))
		name = (struct str){ name.p + host.n, name.n - host.n };
	return fields_at(d, name);
}

static void check_members(struct member_at *above, const struct json_value *v);

static bool
check_member(void *arg, struct str name, struct json_value *v)
{
	struct member_at *above = arg;
	struct member_at at = { above->c, above->path, above, name };
	struct arena *a = above->c->rq->arena;
	struct str full = dotted(a, &at), shown = params_shown(a, full);
	int found = fields_of_sample(above->c->dataset, full);

	if (found == 0)
		add_fault(above->c, above->path, "unknown_field",
		    arena_printf(a, "has the member %.*s, which is no field of the dataset",
			(int)shown.n, shown.p));
	else if (found == 2)
		check_members(&at, v);
	return true;
}

static void
check_members(struct member_at *above, const struct json_value *v)
{
	if (json_type(v) == JSON_OBJECT)
		json_each(v, check_member, above);
	else if (json_type(v) == JSON_ARRAY)
		for (size_t i = 0; i < json_length(v); i++)
			check_members(above, json_at(v, i));
}

static void
check_sample(struct checked *c, const struct detection_test *t, const char *path)
{
	struct member_at top = { .c = c, .path = path };
	const struct json_value *v;

	if (t->record.text.p == NULL)
		return;
	if (t->record.text.n > LIM_RULE_RECORD) {
		add_fault(c, path, "too_long",
		    arena_printf(c->rq->arena, "must have at most %d bytes", (int)LIM_RULE_RECORD));
		return;
	}
	v = json_parse(c->rq->arena, t->record.text);
	if (v == NULL || json_type(v) != JSON_OBJECT)
		add_fault(c, path, "invalid_type", STR("must be an object"));
	else if (c->has_dataset)
		check_members(&top, v);
}

static void
check_samples(struct checked *c)
{
	const struct detection_test *t = c->in->tests.items;

	for (size_t i = 0; i < c->in->tests.n; i++) {
		if (t[i].name.p != NULL && !name_visible(t[i].name))
			add_fault(c, arena_printf(c->rq->arena, "tests[%zu].name", i).p,
			    "invalid_format", STR("must not have control characters"));
		check_sample(c, &t[i], arena_printf(c->rq->arena, "tests[%zu].record", i).p);
	}
}

/* ---- what it produces ---- */

/* Whether each {name} in the title is a field of the dataset. */
static bool
title_fits(enum dataset d, struct str title)
{
	const char *end = title.p + title.n;

	for (const char *p = title.p; p < end; p++) {
		const char *close;

		if (*p == '}')
			return false;
		if (*p != '{')
			continue;
		close = memchr(p, '}', (size_t)(end - p));
		if (close == NULL ||
		    fields_at(d, (struct str){ p + 1, (size_t)(close - p) - 1 }) != 1)
			return false;
		p = close;
	}
	return true;
}

static bool
is_kind(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(ascii_digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'z') ||
			(i > 0 && (s.p[i] == '/' || s.p[i] == '-' || s.p[i] == '_'))))
			return false;
	return s.n > 0;
}

static void
check_product(struct checked *c)
{
	const struct detection_product *p = &c->in->produces;

	if (p->title.p != NULL && !name_visible(p->title))
		add_fault(
		    c, "produces.title", "invalid_format", STR("must not have control characters"));
	else if (p->title.p != NULL && c->has_dataset && !title_fits(c->dataset, p->title))
		add_fault(c, "produces.title", "invalid_format",
		    STR("braces must have the name of a field of the dataset"));
	if (p->exposure_kind.p != NULL && !is_kind(p->exposure_kind))
		add_fault(c, "produces.exposure_kind", "invalid_format",
		    STR("must consist of small letters, digits, hyphens, underscores and slashes"));
}

static void
check_visible(struct checked *c, const char *member, struct str text)
{
	if (text.p != NULL && !name_visible(text))
		add_fault(c, member, "invalid_format", STR("must not have control characters"));
}

int
detection_check(
    struct req *rq, const struct detection_in *in, const char *prefix, struct body_faults *faults)
{
	struct checked c = { .rq = rq, .in = in, .prefix = prefix, .faults = faults };

	c.has_dataset = in->dataset.p != NULL;
	if (c.has_dataset)
		c.dataset = detection_dataset(in->dataset);
	check_visible(&c, "name", in->name);
	check_visible(&c, "author", in->author);
	check_visible(&c, "licence", in->licence);
	check_text(&c, "query", in->query);
	check_text(&c, "exclude", in->exclude);
	check_items(&c, "techniques", &in->techniques, is_technique,
	    "must be a technique of ATT&CK, such as T1190 or T1059.001");
	check_items(&c, "references", &in->references, is_reference,
	    "must be an http or https URL of at most 2048 bytes");
	check_items(&c, "false_positives", &in->false_positives, is_false_positive,
	    "must have 1 to 500 visible characters");
	check_samples(&c);
	check_product(&c);
	return check_tags(&c);
}
