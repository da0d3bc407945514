/* SPDX-License-Identifier: ISC */
/* Allocation for objects of the process, with a panic instead of NULL. */
#include "config.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void *
panic_if_null(void *p)
{
	if (p == NULL)
		panic("out of memory");
	return p;
}

void *
mem_alloc(size_t n)
{
	return panic_if_null(malloc(n));
}

void *
mem_zero(size_t n)
{
	return panic_if_null(calloc(1, n));
}

void *
mem_array(size_t count, size_t size)
{
	return panic_if_null(calloc(count + 1, size));
}

void *
mem_grow(void *p, size_t n)
{
	return panic_if_null(realloc(p, n));
}

char *
mem_text(const char *z)
{
	return panic_if_null(strdup(z));
}
