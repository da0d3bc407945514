/* SPDX-License-Identifier: ISC */
/* Memory of the process: who asks goes on with it, or not at all. */
#include "config.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void *
got(void *p)
{
	if (p == NULL)
		panic("out of memory");
	return p;
}

void *
mem_alloc(size_t n)
{
	return got(malloc(n));
}

void *
mem_zero(size_t n)
{
	return got(calloc(1, n));
}

void *
mem_array(size_t count, size_t size)
{
	return got(calloc(count + 1, size));
}

void *
mem_grow(void *p, size_t n)
{
	return got(realloc(p, n));
}

char *
mem_text(const char *z)
{
	return got(strdup(z));
}
