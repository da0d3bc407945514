/* SPDX-License-Identifier: ISC */
/* src/search/schema.c: datasets, fields, aliases and near misses. */
#include "config.h"

#include "search/schema.h"
#include "t/unit/tap.h"

static void
datasets_have_names_and_units(void) /* C-042 */
{
	CU_ASSERT_STRING_EQUAL(schema_dataset_name(DATASET_HOSTS), "hosts");
	CU_ASSERT_STRING_EQUAL(schema_count_unit(DATASET_HOSTS), "host");
	CU_ASSERT_EQUAL(schema_of_source(STR("finding")), DATASET_FINDINGS);
	CU_ASSERT_EQUAL(schema_of_source(STR("service")), DATASET_ASSET_SERVICES);
}

static void
fields_are_in_table_order(void)
{
	const struct schema_field *f;
	size_t n = schema_fields(DATASET_HOSTS, &f);

	CU_ASSERT_TRUE(n > 40);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(f[i].index, i);
		CU_ASSERT_PTR_EQUAL(schema_find(DATASET_HOSTS, str_of(f[i].name)), &f[i]);
		CU_ASSERT_TRUE(str_ends(str_of(f[i].name), str_of(f[i].relative)));
		CU_ASSERT_EQUAL(f[i].nested, strncmp(f[i].name, "services.", 9) == 0);
		CU_ASSERT_EQUAL(f[i].nested, f[i].relative != f[i].name);
		CU_ASSERT_TRUE(strlen(f[i].name) <= 128); /* C-033 */
	}
}

static void
find_knows_no_alias(void) /* C-036 */
{
	CU_ASSERT_PTR_NOT_NULL(schema_find(DATASET_HOSTS, STR("services.port")));
	CU_ASSERT_PTR_NULL(schema_find(DATASET_HOSTS, STR("port")));
	CU_ASSERT_PTR_NULL(schema_find(DATASET_HOSTS, STR("host.ip")));
	CU_ASSERT_PTR_NULL(schema_find(DATASET_HOSTS, STR("IP")));
	CU_ASSERT_PTR_NULL(schema_find(DATASET_HOSTS, STR("")));
}

static void
resolves(const char *name, const char *expected)
{
	const struct schema_field *f = schema_resolve(DATASET_HOSTS, str_of(name));

	CU_ASSERT_STRING_EQUAL(f == NULL ? "" : f->name, expected);
}

static void
aliases_resolve(void)
{
	static char long_name[200] = "host.";
	const char *const *pairs;
	size_t n = schema_aliases(DATASET_HOSTS, &pairs);

	CU_ASSERT_EQUAL(n, 13);
	for (size_t i = 0; i < n; i++)
		if (!str_ends(str_of(pairs[2 * i]), STR("*")))
			resolves(pairs[2 * i], pairs[2 * i + 1]);
	resolves("ip", "ip");
	resolves("Country_Code", "country_code");
	resolves("PORT", "services.port");
	resolves("host.ip", "ip");
	resolves("host.port", "services.port");
	resolves("host.location.country_code", "country_code");
	resolves("host.services.port", "services.port");
	resolves("host.host.ip", "");
	resolves("host.", "");
	resolves("host.*", "");
	resolves("", "");
	memset(long_name + 5, 'x', 194);
	resolves(long_name, "");
}

static void
the_nested_object_has_members(void)
{
	static char long_name[200];
	const struct schema_field *f;

	CU_ASSERT_STRING_EQUAL(schema_nested(DATASET_HOSTS), "services");
	CU_ASSERT_TRUE(schema_is_nested(DATASET_HOSTS, STR("services")));
	CU_ASSERT_TRUE(schema_is_nested(DATASET_HOSTS, STR("Host.Services")));
	CU_ASSERT_FALSE(schema_is_nested(DATASET_HOSTS, STR("services.port")));
	CU_ASSERT_FALSE(schema_is_nested(DATASET_HOSTS, STR("")));
	f = schema_member(DATASET_HOSTS, STR("tags"));
	CU_ASSERT_STRING_EQUAL(f->name, "services.tags");
	f = schema_member(DATASET_HOSTS, STR("services.Port"));
	CU_ASSERT_STRING_EQUAL(f->name, "services.port");
	f = schema_member(DATASET_HOSTS, STR("title"));
	CU_ASSERT_STRING_EQUAL(f->name, "services.http.title");
	CU_ASSERT_PTR_NULL(schema_member(DATASET_HOSTS, STR("country_code")));
	memset(long_name, 'x', 199);
	CU_ASSERT_FALSE(schema_is_nested(DATASET_HOSTS, str_of(long_name)));
	CU_ASSERT_PTR_NULL(schema_member(DATASET_HOSTS, str_of(long_name)));
}

static void
near(const char *name, const char *expected)
{
	const char *got = schema_nearest(DATASET_HOSTS, str_of(name));

	CU_ASSERT_STRING_EQUAL(got == NULL ? "" : got, expected);
}

static void
mistakes_have_a_nearest_name(void)
{
	static char long_name[200];

	near("contry_code", "country_code");
	near("COUNTYR_CODE", "country_code");
	near("hostnams", "hostnames");
	near("jarm", "services.tls.jarm");
	near("status_code", "services.http.status_code");
	near("srvices.port", "services.port");
	near("ttle", "services.http.title");
	near("vulns", "vuln");
	near("prot", "services.port");
	near("zzzzzzzz", "");
	near("x", "");
	near("", "");
	memset(long_name, 'x', 199);
	near(long_name, "");
}

static void
types_have_json_names(void) /* C-043 */
{
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_KEYWORD), "string");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_TEXT), "string");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_DNS), "string");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_IP), "string");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_DATE), "string");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_INTEGER), "integer");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_NUMBER), "number");
	CU_ASSERT_STRING_EQUAL(schema_json_type(VALUE_BOOLEAN), "boolean");
}

static void
names_tell_countries_and_asns(void)
{
	CU_ASSERT_TRUE(schema_is_country(schema_find(DATASET_HOSTS, STR("country_code"))));
	CU_ASSERT_FALSE(schema_is_country(schema_find(DATASET_HOSTS, STR("city"))));
	CU_ASSERT_TRUE(schema_is_asn(schema_find(DATASET_HOSTS, STR("asn"))));
	CU_ASSERT_FALSE(schema_is_asn(schema_find(DATASET_HOSTS, STR("services.port"))));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "datasets have names and units (C-042)", datasets_have_names_and_units },
		{ "fields are in table order with their flags", fields_are_in_table_order },
		{ "the exact look-up knows no alias (C-036)", find_knows_no_alias },
		{ "aliases are resolved in any case", aliases_resolve },
		{ "the nested object has its members", the_nested_object_has_members },
		{ "misspelt names have a nearest name", mistakes_have_a_nearest_name },
		{ "types have their JSON names (C-043)", types_have_json_names },
		{ "names of countries and ASNs are recognised", names_tell_countries_and_asns },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
