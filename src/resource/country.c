/* SPDX-License-Identifier: ISC */
/* Names of countries, from src/tbl/countries.h. */
#include "config.h"

#include "resource/country.h"

static const struct {
	const char *code, *name;
} countries[] = {
#define COUNTRY(code, name) { code, name },
#include "tbl/countries.h"
#undef COUNTRY
};

const char *
country_name(struct str code)
{
	for (size_t i = 0; i < COUNT(countries); i++)
		if (str_is(code, countries[i].code))
			return countries[i].name;
	return NULL;
}
