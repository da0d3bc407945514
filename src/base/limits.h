/* SPDX-License-Identifier: ISC */
/* The constants LIM_x, one for each row of tbl/limits.h. Each has an enum of its own: since GCC 13,
   a value beyond int, which __extension__ allows, changes the type of all constants of its enum,
   but P() and printf need an int. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define LIMIT(id, value, unit, rule) __extension__ enum { LIM_##id = value };
#include "tbl/limits.h"
#undef LIMIT

#endif
