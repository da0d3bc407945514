/* SPDX-License-Identifier: ISC */
/* What an engine may not answer: C-041 to C-053, C-065. */
#include "config.h"

#include "api/api.h"
#include "t/unit/tap.h"

static struct agg agg;
static struct bucket buckets[3];
static struct group group;
static struct tag tag;

/* A good answer: two values of the field, counts descending. */
static void
begin(const char *field)
{
	agg = (struct agg){ .field = schema_find(DATASET_HOSTS, str_of(field)), .limit = 2 };
	for (size_t i = 0; i < COUNT(buckets); i++) {
		buckets[i] = (struct bucket){ .count = 9 - i };
		buckets[i].value.type = agg.field->type;
		if (agg.field->type == VALUE_INTEGER)
			buckets[i].value.i = (int64_t)i;
		else
			buckets[i].value.s = i == 0 ? STR("a") : STR("b");
	}
	tag = (struct tag){ .slug = STR("a"),
		.name = STR("A"),
		.classification = STR("benign"),
		.categories = { STR("malware"), STR("malware/c2") },
		.ncategories = 2 };
	group = (struct group){ .field = agg.field, .buckets = buckets, .nbuckets = 2 };
}

static bool
good(void)
{
	return check_groups(&agg, 1, &group) == NULL;
}

static void
groups_answer_what_was_asked(void)
{
	begin("services.port");
	CU_ASSERT_TRUE(good());
	group.nbuckets = 0;
	CU_ASSERT_TRUE(good()); /* C-055 */
	group.nbuckets = 3;
	CU_ASSERT_FALSE(good());
	begin("services.port");
	group.field = schema_find(DATASET_HOSTS, STR("asn"));
	CU_ASSERT_FALSE(good()); /* C-041 */
	begin("services.port");
	buckets[1].value.type = VALUE_KEYWORD;
	CU_ASSERT_FALSE(good()); /* C-043, C-044 */
}

static void
counts_and_order(void)
{
	begin("services.port");
	buckets[1].count = 0;
	CU_ASSERT_FALSE(good()); /* C-047 */
	begin("services.port");
	buckets[0].count = (uint64_t)LIM_BUCKET_COUNT;
	CU_ASSERT_TRUE(good()); /* C-047 */
	buckets[0].count++;
	CU_ASSERT_FALSE(good()); /* C-047 */
	begin("services.port");
	buckets[1].count = 10;
	CU_ASSERT_FALSE(good()); /* C-049 */
	begin("services.port");
	buckets[1].count = buckets[0].count;
	CU_ASSERT_TRUE(good()); /* C-049: value ascending */
	buckets[1].value.i = -1;
	CU_ASSERT_FALSE(good()); /* C-049 */
	buckets[1].value.i = 0;
	CU_ASSERT_FALSE(good()); /* C-049: a value twice */
}

static void
texts_are_bounded(void)
{
	static char text[5000];

	memset(text, 'a', sizeof(text));
	begin("os");
	buckets[0].value.s = STR("");
	CU_ASSERT_FALSE(good()); /* C-050 */
	buckets[0].value.s = (struct str){ text, 4096 };
	CU_ASSERT_TRUE(good()); /* C-050 */
	buckets[0].value.s = (struct str){ text, 4097 };
	CU_ASSERT_FALSE(good()); /* C-050 */
	buckets[0].value.s = STR("\xff");
	CU_ASSERT_FALSE(good());
	begin("os");
	buckets[0].label = (struct str){ text, 256 };
	CU_ASSERT_TRUE(good()); /* C-051 */
	buckets[0].label.n = 257;
	CU_ASSERT_FALSE(good()); /* C-051 */
	buckets[0].label.n = 0;
	CU_ASSERT_FALSE(good()); /* C-051 */
}

static void
tags_are_whole(void)
{
	static const char *const bad[] = { "", "/", "a/", "/a", "a//b", "A", "a b", "-a", "a/-b",
		"\xc3\xa9" };

	begin("tags");
	buckets[0].tag = &tag;
	CU_ASSERT_TRUE(good()); /* C-052 */
	tag.slug = STR("b");
	CU_ASSERT_FALSE(good()); /* C-052 */
	begin("services.tags");
	buckets[0].tag = &tag;
	CU_ASSERT_TRUE(good()); /* C-052 */
	tag.classification = STR("nice");
	CU_ASSERT_FALSE(good()); /* C-053 */
	begin("os");
	buckets[0].tag = &tag;
	CU_ASSERT_FALSE(good()); /* C-052 */
	begin("tags");
	buckets[0].tag = &tag;
	tag.ncategories = 5;
	CU_ASSERT_FALSE(good()); /* C-053 */
	tag.ncategories = 1;
	tag.categories[0] = STR("a-/9-b");
	CU_ASSERT_TRUE(good()); /* C-053 */
	for (size_t i = 0; i < COUNT(bad); i++) {
		tag.categories[0] = str_of(bad[i]);
		CU_ASSERT_FALSE(good()); /* C-053 */
	}
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "a group of another field or type is refused (C-041, C-043, C-055)",
		    groups_answer_what_was_asked },
		{ "buckets with wrong counts or order are refused (C-047, C-049)",
		    counts_and_order },
		{ "texts of buckets above their limits are refused (C-050, C-051)",
		    texts_are_bounded },
		{ "a bucket with an incomplete tag is refused (C-052, C-053)", tags_are_whole },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
