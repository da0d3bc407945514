/* SPDX-License-Identifier: ISC */
/* Texts, words and lists of a rule's mappings. */
#include "config.h"

#include "cli/rule/member_priv.h"
#include "json/json.h"

bool
rule_refuse_member(struct rule_reader *r, size_t line, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	r->fault->line = line;
	r->fault->what = arena_str(r->a, str_of(what));
	return false;
}

struct rule_member
rule_member_of(struct rule_reader *r, const struct tree *map, const char *path, const char *name)
{
	const struct tree *t = yaml_member(map, name);

	return (struct rule_member){ t, arena_printf(r->a, "%s%s", path, name).p,
		t == NULL ? map->line : t->line };
}

bool
rule_check_names(
    struct rule_reader *r, const struct tree *map, const char *path, const char *const *known)
{
	for (size_t i = 0; i < map->n; i++) {
		size_t k = 0;

		while (known[k] != NULL && !str_is(map->names[i], known[k]))
			k++;
		if (known[k] == NULL)
			return rule_refuse_member(
			    r, map->items[i]->line, "%s%.100s: is unknown", path, map->names[i].p);
	}
	return true;
}

/* ---- texts and lists ---- */

bool
rule_read_text(
    struct rule_reader *r, struct rule_member m, enum need need, size_t most, struct str *out)
{
	struct str s;

	if (m.t == NULL)
		return need == OPTIONAL_MEMBER ||
		       rule_refuse_member(r, m.line, "%s: is missing", m.name);
	if (m.t->type != TREE_TEXT)
		return rule_refuse_member(r, m.line, "%s: is no text", m.name);
	s = str_trim(m.t->text);
	if (s.n == 0 && need == NEEDED)
		return rule_refuse_member(r, m.line, "%s: is empty", m.name);
	if (str_chars(s) > most)
		return rule_refuse_member(
		    r, m.line, "%s: has more than %zu characters", m.name, most);
	if (s.n > 0)
		*out = s;
	return true;
}

static bool
is_one_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return true;
}

bool
rule_read_line(
    struct rule_reader *r, struct rule_member m, enum need need, size_t most, struct str *out)
{
	return rule_read_text(r, m, need, most, out) &&
	       (is_one_line(*out) ||
		   rule_refuse_member(r, m.line, "%s: has a control character", m.name));
}

bool
rule_read_word(struct rule_reader *r, struct rule_member m, enum need need,
    const char *const *words, struct str *out)
{
	if (!rule_read_text(r, m, need, 100, out))
		return false;
	if (m.t == NULL)
		return true;
	for (size_t i = 0; words[i] != NULL; i++)
		if (str_is(*out, words[i]))
			return true;
	return rule_refuse_member(r, m.line, "%s: %.*s", m.name, (int)json_one_of(r->a, words).n,
	    json_one_of(r->a, words).p);
}

bool
rule_read_bool(struct rule_reader *r, struct rule_member m, bool *out)
{
	static const char *const words[] = { "false", "true", NULL };
	struct str word = STR("false");

	if (!rule_read_word(r, m, OPTIONAL_MEMBER, words, &word))
		return false;
	*out = str_is(word, "true");
	return true;
}

bool
rule_read_list(
    struct rule_reader *r, struct rule_member m, struct rule_bounds most, struct strs *out)
{
	struct str *p;

	*out = (struct strs){ NULL, 0 };
	if (m.t == NULL)
		return true;
	if (m.t->type != TREE_LIST)
		return rule_refuse_member(r, m.line, "%s: is no list", m.name);
	if (m.t->n > most.items)
		return rule_refuse_member(
		    r, m.line, "%s: has more than %zu items", m.name, most.items);
	p = ARENA_ARRAY(r->a, m.t->n + 1, struct str);
	for (size_t i = 0; i < m.t->n; i++) {
		struct rule_member item = { m.t->items[i],
			arena_printf(r->a, "%s[%zu]", m.name, i).p, m.t->items[i]->line };

		if (!rule_read_line(r, item, NEEDED, most.characters, &p[i]))
			return false;
	}
	*out = (struct strs){ p, m.t->n };
	return true;
}
