/* SPDX-License-Identifier: ISC */
/* LIM_x for every row of tbl/limits.h. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

__extension__ enum limit {
#define LIMIT(id, value, unit, source) LIM_##id = value,
#include "tbl/limits.h"
#undef LIMIT
};

#endif
