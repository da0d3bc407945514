/* SPDX-License-Identifier: ISC */
/* Lists of harmless values: the program's own ones and those that the caller read from the
 * database. A list judges exact values alone: google.com on a list leaves
 * https://drive.google.com/uc?id=x as it is (C-134). Sites of analysis are the exception: their
 * plain URLs are references in every report. */
#include "config.h"

#include "extract/extract_priv.h"

static const struct {
	struct str list;
	enum find_type type;
	struct str value;
} values[] = {
#define BENIGN(list, type, value) { STR_INIT(list), FIND_##type, STR_INIT(value) },
#include "tbl/benign_values.h"
#undef BENIGN
};

static const struct str services[] = {
#define ANALYSIS_SERVICE(domain) STR_INIT(domain),
#include "tbl/analysis_services.h"
#undef ANALYSIS_SERVICE
};

static int
compare(const struct extract_benign *b, struct str type, struct str value)
{
	int by_type = str_cmp(b->type, type);

	return by_type != 0 ? by_type : str_cmp(b->value, value);
}

/* The caller's rows are sorted by type and value. */
static struct str
find_given(const struct run *r, struct str type, struct str value)
{
	size_t from = 0, to = r->in->nbenign;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare(&r->in->benign[middle], type, value);

		if (order == 0)
			return r->in->benign[middle].list;
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return STR_NULL;
}

struct str
benign_list(const struct run *r, const struct find *f)
{
	if (f->reserved)
		return STR("reserved");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i].type == f->type && str_eq(values[i].value, f->value))
			return values[i].list;
	if (!f->defanged && f->host.p != NULL)
		for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
			if (str_within(f->host, services[i]))
				return STR("analysis-services");
	return find_given(r, type_name(f->type), f->value);
}
