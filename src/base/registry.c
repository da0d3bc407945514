/* SPDX-License-Identifier: ISC */
/* The order of lists that the linker collects. */
#include "config.h"

#include "base/registry.h"

/* The beginning of every object in a list. */
struct named {
	const char *name;
};

static int
compare_entry_names(const void *a, const void *b)
{
	const struct named *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

void
registry_sort(const void *list, size_t n, void *room)
{
	if (n == 0)
		return;
	memcpy(room, list, n * sizeof(struct named *));
	qsort(room, n, sizeof(struct named *), compare_entry_names);
}
