/* SPDX-License-Identifier: ISC */
/* The constants LIM_x, one for each row of tbl/limits.h. __extension__ allows values beyond int. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

__extension__ enum limit {
#define LIMIT(id, value, unit, source) LIM_##id = value,
#include "tbl/limits.h"
#undef LIMIT
};

#endif
