/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "indexer/tags.h"

static int
by_slug_of_tag(const void *a, const void *b)
{
	return str_cmp(((const struct tag *)a)->slug, ((const struct tag *)b)->slug);
}

static void
print_tag(struct buf *out, const struct tag *t)
{
	buf_str(out, t->slug);
	buf_char(out, '\t');
	buf_str(out, t->classification);
	for (size_t i = 0; i < t->ncategories; i++) {
		buf_char(out, '\t');
		buf_str(out, t->categories[i]);
	}
	buf_z(out, "\t\t");
	for (size_t i = 0; i < t->name.n; i++)
		buf_char(out, t->name.p[i] == '\t' || t->name.p[i] == '\n' ? ' ' : t->name.p[i]);
	buf_char(out, '\n');
}

void
tags_print(struct buf *out, const struct tag *tags, size_t n)
{
	struct tag *sorted = mem_array(n, sizeof(*sorted));

	if (n > 0)
		memcpy(sorted, tags, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_slug_of_tag);
	for (size_t i = 0; i < n; i++)
		print_tag(out, &sorted[i]);
	free(sorted);
}

static struct str
slug_of(struct str line)
{
	struct str slug = STR_NULL;

	(void)str_part(&line, '\t', &slug);
	return slug;
}

/* The part of a line that is compared. */
static struct str
meaning_of(struct str line, bool with_names)
{
	const char *names = with_names ? NULL : memmem(line.p, line.n, "\t\t", 2);

	return names == NULL ? line : (struct str){ line.p, (size_t)(names - line.p) };
}

static void
add_slug(struct arena *a, struct str **slugs, size_t *n, struct str slug)
{
	*slugs = arena_room(a, *slugs, *n, sizeof(**slugs));
	(*slugs)[(*n)++] = slug;
}

/* Both texts are sorted by slug, so one walk over both finds the lines that only one has. */
size_t
tags_changed(struct arena *a, struct str was, struct str now, bool with_names, struct str **slugs)
{
	struct str x = STR_NULL, y = STR_NULL;
	bool has_x = str_line(&was, &x), has_y = str_line(&now, &y);
	size_t n = 0;

	*slugs = NULL;
	while (has_x || has_y) {
		int order = !has_x ? 1 : !has_y ? -1 : str_cmp(slug_of(x), slug_of(y));

		if (order != 0)
			add_slug(a, slugs, &n, slug_of(order < 0 ? x : y));
		else if (!str_eq(meaning_of(x, with_names), meaning_of(y, with_names)))
			add_slug(a, slugs, &n, slug_of(y));
		if (order <= 0)
			has_x = str_line(&was, &x);
		if (order >= 0)
			has_y = str_line(&now, &y);
	}
	return n;
}
