/* SPDX-License-Identifier: ISC */
/* The names of the types of indicators. */
#include "config.h"

#include "extract/extract_priv.h"

static const struct str type_names[] = {
#define INDICATOR_TYPE(name, form, digits, of) STR_INIT(name),
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
};

_Static_assert(sizeof(type_names) / sizeof(*type_names) == FIND_TYPES, "a find_type for each type");

struct str
type_name(enum find_type type)
{
	return type_names[type];
}
