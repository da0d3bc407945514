/* SPDX-License-Identifier: ISC */
/* The list of all route tables. Each file of operations registers its table with ROUTES(place,
   name), and the linker collects the pointers in one section (base/registry.h) in an order of its
   own. The places sort them, because three things must not depend on the linker: the order of
   openapi.json, the numbers of operations in the metrics, and the header Allow. Two tables with one
   place end the program at its start, which every test would notice. */
#include "config.h"

#include "api/api.h"

enum { TABLES_MAX = 100 };

REGISTRY(const struct route_table, routes);

static int
compare_places(const void *a, const void *b)
{
	const struct route_table *const *x = a, *const *y = b;

	if (*x != *y && (*x)->place == (*y)->place)
		panic("two route tables have the place %d", (*x)->place);
	return (*x)->place - (*y)->place;
}

const struct route *const *
route_tables(void)
{
	static const struct route *rows[TABLES_MAX + 1];
	const struct route_table *sorted[TABLES_MAX];
	size_t n = (size_t)(routes_end - routes_first);

	if (rows[0] != NULL)
		return rows;
	if (n > TABLES_MAX)
		panic("more than %d route tables", TABLES_MAX);
	memcpy(sorted, routes_first, n * sizeof(sorted[0]));
	qsort(sorted, n, sizeof(sorted[0]), compare_places);
	for (size_t i = 0; i < n; i++)
		rows[i] = sorted[i]->rows;
	return rows;
}
