/* SPDX-License-Identifier: ISC */
/* Names of the vocabulary: whole words, letters as they are written. At each word the longest alias
 * of at most WORDS words is looked up by halving, so time does not grow with the number of aliases.
 * An alias that is short or ambiguous counts only beside another name. */
#include "config.h"

#include "extract/extract_priv.h"

enum { WORDS = 8, LONGEST_ALIAS = 100, NAMES = 300, SHORT = 4 };

static bool
part_of_word(char c)
{
	return ascii_alnum(c) || (unsigned char)c >= 0x80;
}

/* The first row of the alias, or NULL. */
static const struct extract_alias *
alias_find(const struct extract_input *in, struct str alias)
{
	size_t from = 0, to = in->naliases;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (str_cmp(in->aliases[middle].alias, alias) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < in->naliases && str_eq(in->aliases[from].alias, alias) ? &in->aliases[from]
									     : NULL;
}

/* The longest alias at `at`, which begins a word; *end is behind it. */
static const struct extract_alias *
alias_at(struct run *r, size_t at, size_t *end)
{
	const struct extract_alias *found = NULL;
	size_t i = at;

	for (int words = 0; words < WORDS && i < r->text.n && i - at < LONGEST_ALIAS; words++) {
		const struct extract_alias *row;

		while (i < r->text.n && part_of_word(r->text.p[i]) && i - at <= LONGEST_ALIAS)
			i++;
		r->steps += i - at;
		row = alias_find(r->in, (struct str){ r->text.p + at, i - at });
		if (row != NULL) {
			found = row;
			*end = i;
		}
		if (i == r->text.n || strchr(" -._'&/\n", r->text.p[i]) == NULL)
			break;
		i++;
		while (i < r->text.n && !part_of_word(r->text.p[i]) && r->text.p[i] != '\n' &&
		       i - at < LONGEST_ALIAS)
			i++;
	}
	return found;
}

struct naming {
	const struct extract_alias *row;
	struct str as;
};

static void
add_naming(struct run *r, struct naming **list, size_t *n, struct naming new)
{
	for (size_t i = 0; i < *n; i++)
		if (str_eq((*list)[i].row->kind, new.row->kind) &&
		    str_eq((*list)[i].row->name, new.row->name))
			return;
	if (*n == NAMES)
		return;
	*list = arena_room(r->a, *list, *n, sizeof(**list));
	(*list)[(*n)++] = new;
}

static bool
is_weak(const struct extract_alias *row)
{
	return row->ambiguous || row->alias.n < SHORT;
}

void
vocabulary_names(struct run *r, struct extract_output *out)
{
	struct naming *list = NULL;
	struct indicator_name *names;
	size_t n = 0, end = 0;

	if (r->in->naliases == 0)
		return;
	for (size_t i = 0; i < r->text.n; i++) {
		const struct extract_alias *row;

		if (!part_of_word(r->text.p[i]) || (i > 0 && part_of_word(r->text.p[i - 1])) ||
		    (row = alias_at(r, i, &end)) == NULL)
			continue;
		for (const struct extract_alias *last = r->in->aliases + r->in->naliases;
		     row < last && str_eq(row->alias, (struct str){ r->text.p + i, end - i });
		     row++)
			add_naming(r, &list, &n, (struct naming){ row, row->alias });
		i = end - 1;
	}
	names = ARENA_ARRAY(r->a, n + 1, struct indicator_name);
	for (size_t i = 0; i < n; i++) {
		const struct extract_alias *row = list[i].row;

		if (!is_weak(row) || n > 1)
			names[out->nnames++] = (struct indicator_name){ row->kind, row->name,
				list[i].as, is_weak(row) ? 50 : 80 };
	}
	out->names = names;
}
