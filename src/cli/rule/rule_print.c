/* SPDX-License-Identifier: ISC */
/* Writes a rule: as JSON for the database, and as YAML for people and for other installations. */
#include "config.h"

#include "cli/rule/rule_file.h"

#include "json/json.h"
#include "json/tree.h"

/* ---- JSON ---- */

/* An unset text is null. */
static void
write_rule_member(struct buf *out, const char *name, struct str text)
{
	json_member(out, name);
	if (text.p == NULL)
		buf_z(out, "null");
	else
		json_write_str(out, text);
}

static void
write_texts(struct buf *out, const char *name, struct strs list)
{
	json_member(out, name);
	buf_char(out, '[');
	for (size_t i = 0; i < list.n; i++) {
		if (i > 0)
			buf_char(out, ',');
		json_write_str(out, list.p[i]);
	}
	buf_char(out, ']');
}

static void
write_uuid(struct buf *out, const char *name, const struct uuid *u)
{
	char text[UUID_LEN + 1];

	uuid_print(u, text);
	write_rule_member(out, name, str_of(text));
}

static void
write_samples(struct buf *out, const struct rule_file *r)
{
	json_member_begin(out, "tests", '[');
	for (size_t i = 0; i < r->ntests; i++) {
		json_begin(out, '{');
		write_rule_member(out, "name", r->tests[i].name);
		json_member(out, "record");
		buf_str(out, r->tests[i].record);
		json_member_str(out, "expect", r->tests[i].match ? "match" : "no_match");
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void
write_product(struct buf *out, const struct rule_file_product *p)
{
	json_member(out, "produces");
	if (p->area.p == NULL) {
		buf_z(out, "null");
		return;
	}
	json_begin(out, '{');
	write_rule_member(out, "area", p->area);
	write_rule_member(out, "exposure_kind", p->exposure_kind);
	json_member_int(out, "rank", p->rank);
	write_rule_member(out, "title", p->title);
	buf_char(out, '}');
}

void
rule_file_json(struct buf *out, const struct rule_file *r, struct str hash)
{
	json_begin(out, '{');
	write_uuid(out, "id", &r->id);
	write_rule_member(out, "name", r->title);
	write_rule_member(out, "description", r->description);
	write_rule_member(out, "author", r->author);
	write_rule_member(out, "licence", r->licence);
	json_member_str(out, "dataset", rule_dataset_name(r->dataset));
	write_rule_member(out, "scope", r->scope);
	write_rule_member(out, "query", r->query);
	write_rule_member(out, "exclude", r->exclude);
	write_rule_member(out, "severity", r->severity);
	write_rule_member(out, "status", r->status);
	json_member(out, "applies_tags");
	buf_z(out, r->applies_tags ? "true" : "false");
	write_texts(out, "tags", r->tags);
	write_texts(out, "techniques", r->techniques);
	write_texts(out, "reference_urls", r->references);
	write_texts(out, "false_positives", r->false_positives);
	write_product(out, &r->produces);
	write_samples(out, r);
	json_member_begin(out, "related", '[');
	for (size_t i = 0; i < r->nrelated; i++) {
		json_begin(out, '{');
		write_uuid(out, "id", &r->related[i].id);
		write_rule_member(out, "type", r->related[i].type);
		buf_char(out, '}');
	}
	buf_char(out, ']');
	write_rule_member(out, "content_sha256", hash);
	buf_char(out, '}');
}

/* ---- YAML ---- */

static void
print_quoted(struct buf *out, const char *name, struct str text)
{
	if (text.n == 0)
		return;
	buf_printf(out, "%s: ", name);
	yaml_quote(out, text);
	buf_char(out, '\n');
}

static void
print_word(struct buf *out, const char *name, struct str word)
{
	buf_printf(out, "%s: %.*s\n", name, (int)word.n, word.p);
}

static void
print_texts(struct buf *out, const char *name, struct strs list)
{
	if (list.n == 0)
		return;
	buf_printf(out, "%s:\n", name);
	for (size_t i = 0; i < list.n; i++) {
		buf_z(out, "  - ");
		yaml_quote(out, list.p[i]);
		buf_char(out, '\n');
	}
}

static void
print_tags(struct arena *a, struct buf *out, const struct rule_file *r)
{
	struct str *all = ARENA_ARRAY(a, r->tags.n + r->techniques.n + 1, struct str);
	size_t n = 0;

	for (size_t i = 0; i < r->tags.n; i++)
		all[n++] = r->tags.p[i];
	for (size_t i = 0; i < r->techniques.n; i++) {
		struct str t = arena_lower(a, r->techniques.p[i]);

		all[n++] = arena_printf(a, "attack.%.*s", (int)t.n, t.p);
	}
	print_texts(out, "tags", (struct strs){ all, n });
}

static void print_value(struct buf *out, const struct json_value *v);

struct member_writer {
	struct buf *out;
	bool more;
};

static bool
print_json_member(void *arg, struct str name, struct json_value *v)
{
	struct member_writer *w = arg;

	buf_z(w->out, w->more ? ", " : "");
	w->more = true;
	yaml_quote(w->out, name);
	buf_z(w->out, ": ");
	print_value(w->out, v);
	return true;
}

/* JSON in the flow style of YAML. Recursive; a record has at most YAML_LEVELS levels. */
static void
print_value(struct buf *out, const struct json_value *v)
{
	struct member_writer w = { out, false };

	switch (json_type(v)) {
	case JSON_NULL:
		buf_z(out, "null");
		return;
	case JSON_BOOL:
		buf_z(out, json_bool(v) ? "true" : "false");
		return;
	case JSON_NUMBER:
		buf_str(out, json_lexeme(v));
		return;
	case JSON_STRING:
		yaml_quote(out, json_text(v));
		return;
	case JSON_ARRAY:
		buf_char(out, '[');
		for (size_t i = 0; i < json_length(v); i++) {
			buf_z(out, i > 0 ? ", " : "");
			print_value(out, json_at(v, i));
		}
		buf_char(out, ']');
		return;
	case JSON_OBJECT:
		buf_char(out, '{');
		json_each(v, print_json_member, &w);
		buf_char(out, '}');
		return;
	}
	panic("json_type %d", (int)json_type(v)); /* UNCOVERED: the switch is complete */
}

static void
print_samples(struct arena *a, struct buf *out, const struct rule_file *r)
{
	if (r->ntests > 0)
		buf_z(out, "  tests:\n");
	for (size_t i = 0; i < r->ntests; i++) {
		const struct json_value *record = json_parse(a, r->tests[i].record);

		print_quoted(out, "    - name", r->tests[i].name);
		buf_printf(out,
		    "      expect: %s\n      record: ", r->tests[i].match ? "match" : "no_match");
		if (record == NULL)
			panic("the record of a stored sample is no JSON");
		print_value(out, record);
		buf_char(out, '\n');
	}
}

static void
print_surface(struct arena *a, struct buf *out, const struct rule_file *r)
{
	const struct rule_file_product *p = &r->produces;

	buf_printf(out, "surface:\n  dataset: %s\n", rule_dataset_name(r->dataset));
	print_quoted(out, "  scope", r->scope);
	buf_z(out, "  query: ");
	yaml_quote(out, r->query);
	buf_char(out, '\n');
	print_quoted(out, "  exclude", r->exclude);
	if (r->applies_tags)
		buf_z(out, "  applies_tags: true\n");
	if (p->area.p != NULL) {
		buf_z(out, "  produces:\n");
		print_quoted(out, "    area", p->area);
		print_quoted(out, "    exposure_kind", p->exposure_kind);
		buf_printf(out, "    rank: %d\n", (int)p->rank);
		print_quoted(out, "    title", p->title);
	}
	print_samples(a, out, r);
}

void
rule_file_print(struct arena *a, struct buf *out, const struct rule_file *r)
{
	char id[UUID_LEN + 1];

	uuid_print(&r->id, id);
	print_quoted(out, "title", r->title);
	buf_printf(out, "id: %s\n", id);
	print_word(out, "status", str_is(r->status, "testing") ? STR("test") : r->status);
	print_word(out, "level", str_is(r->severity, "info") ? STR("informational") : r->severity);
	print_quoted(out, "description", r->description);
	print_texts(out, "references", r->references);
	print_quoted(out, "author", r->author);
	print_quoted(out, "license", r->licence);
	print_tags(a, out, r);
	print_texts(out, "falsepositives", r->false_positives);
	if (r->nrelated > 0)
		buf_z(out, "related:\n");
	for (size_t i = 0; i < r->nrelated; i++) {
		uuid_print(&r->related[i].id, id);
		buf_printf(out, "  - id: %s\n    type: %.*s\n", id, (int)r->related[i].type.n,
		    r->related[i].type.p);
	}
	print_surface(a, out, r);
}
