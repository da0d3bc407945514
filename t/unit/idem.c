/* SPDX-License-Identifier: ISC */
/* Hashes of parts, and names of countries. */
#include "config.h"

#include "access/idem.h"
#include "resource/country.h"
#include "t/unit/tap.h"

static bool
same(const struct str *a, size_t na, const struct str *b, size_t nb)
{
	unsigned char one[IDEM_HASH_LEN], two[IDEM_HASH_LEN];

	idem_hash(a, na, one);
	idem_hash(b, nb, two);
	return memcmp(one, two, sizeof(one)) == 0;
}

static void
parts(void)
{
	static const struct str ab_c[] = { STR_INIT("ab"), STR_INIT("c") },
				a_bc[] = { STR_INIT("a"), STR_INIT("bc") },
				abc[] = { STR_INIT("abc") },
				abc_[] = { STR_INIT("abc"), STR_INIT("") };

	CU_ASSERT(same(ab_c, 2, ab_c, 2));
	CU_ASSERT(!same(ab_c, 2, a_bc, 2)); /* C-085: where a part ends counts */
	CU_ASSERT(!same(abc, 1, abc_, 2));
	CU_ASSERT(!same(abc, 1, NULL, 0));
}

static void
countries(void)
{
	CU_ASSERT_STRING_EQUAL(country_name(STR("GB")), "United Kingdom");
	CU_ASSERT_STRING_EQUAL(country_name(STR("AD")), "Andorra");
	CU_ASSERT_STRING_EQUAL(country_name(STR("ZW")), "Zimbabwe");
	CU_ASSERT_PTR_NULL(country_name(STR("XX")));
	CU_ASSERT_PTR_NULL(country_name(STR("gb"))); /* C-096 */
	CU_ASSERT_PTR_NULL(country_name(STR("G")));
	CU_ASSERT_PTR_NULL(country_name(STR_NULL));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "the hash of a request depends on each part", parts },
		{ "a country is found by its code in upper case only", countries },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
