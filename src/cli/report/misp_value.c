/* SPDX-License-Identifier: ISC */
/* One attribute of MISP by the table of its types (tbl/misp_types.h). */
#include "config.h"

#include "cli/report/misp.h"

enum { TO_IDS = 90, CATEGORY = 60, MENTION = 30 };

static const struct {
	const char *type;
	enum value_kind kinds[2];
} types[] = {
#define MISP_TYPE(type, first, second) { type, { VALUE_##first, VALUE_##second } },
#include "tbl/misp_types.h"
#undef MISP_TYPE
};

static void
add_parts(struct report_builder *b, const struct misp_value *v, const enum value_kind kinds[2])
{
	bool listed = (v->to_ids || v->malicious) && !v->false_positive;
	int confidence = !listed                          ? MENTION
			 : v->confidence != MISP_UNJUDGED ? v->confidence
			 : v->to_ids                      ? TO_IDS
							  : CATEGORY;
	struct report_value out = { .of = v->of,
		.disposition =
		    listed && confidence >= MENTION ? DISPOSITION_INDICATOR : DISPOSITION_MENTION,
		.confidence = (unsigned)confidence,
		.labels = v->labels,
		.first_seen_at = v->first_seen_at,
		.last_seen_at = v->last_seen_at,
		.valid_until = v->valid_until };
	struct str rest = v->value;

	for (size_t i = 0; i < 2; i++) {
		/* a single value may contain "|", as URLs do; only compounds are split */
		bool compound = memchr(v->type.p, '|', v->type.n) != NULL || kinds[0] == VALUE_NONE;

		if (rest.p == NULL)
			break;
		out.value = compound ? str_until(&rest, '|') : rest;
		out.kind = kinds[i];
		if (out.kind != VALUE_NONE)
			builder_value(b, &out);
		if (!compound)
			break;
	}
}

void
misp_value(struct report_builder *b, const struct misp_value *v)
{
	for (size_t i = 0; i < COUNT(types) && v->value.p != NULL; i++)
		if (str_is(v->type, types[i].type)) {
			add_parts(b, v, types[i].kinds);
			return;
		}
	report_note(b->r, NOTE_NO_TYPE,
	    arena_printf(b->r->a, "%.*s (%.*s)", (int)v->of.n, v->of.p == NULL ? "" : v->of.p,
		(int)v->type.n, v->type.p == NULL ? "" : v->type.p));
}
