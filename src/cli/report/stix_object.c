/* SPDX-License-Identifier: ISC */
/* One object of a bundle, put into a report by its type. */
#include "config.h"

#include "cli/report/stix_priv.h"

#include "cli/report/misp.h"

enum { MENTION_CONFIDENCE = 30 };

typedef void take_object(
    const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e);

static const char *const ignored[] = {
#define STIX_IGNORED(type) type,
#include "tbl/stix_types.h"
#undef STIX_IGNORED
};

static void
take_actor(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	(void)s;
	builder_name(b, "actor", stix_text(e->object, "name"));
}

static void
take_malware(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	(void)s;
	builder_name(b, "malware", stix_text(e->object, "name"));
}

static void
take_tool(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	(void)s;
	builder_name(b, "tool", stix_text(e->object, "name"));
}

/* The number of a technique is the id of its page at ATT&CK. */
static void
take_technique(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	const struct json_value *refs = json_get(e->object, "external_references");

	(void)s;
	for (size_t i = 0; refs != NULL && i < json_length(refs); i++) {
		const struct json_value *ref = json_at(refs, i);
		struct str id = ref != NULL && json_type(ref) == JSON_OBJECT
				    ? stix_text(ref, "external_id")
				    : STR_NULL;

		if (id.p != NULL)
			builder_technique(b, id);
	}
}

static void
take_vulnerability(
    const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	struct str name = stix_text(e->object, "name");

	(void)s;
	if (name.p != NULL)
		builder_cve(b, name);
}

static void
take_identity(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	struct strs sectors = stix_texts(s->r->a, e->object, "sectors");

	for (size_t i = 0; i < sectors.n; i++)
		builder_name(b, "sector", sectors.p[i]);
}

static void
take_location(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	(void)s;
	builder_name(b, "country", stix_text(e->object, "country"));
}

static void
take_indicator(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	(void)s;
	stix_indicator(b, e);
}

/* x-misp-attribute of misp-stix and PyMISP: an attribute of MISP, with its members as they are or
   behind "x_misp_". */
static void
take_misp(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	struct strs labels = stix_texts(s->r->a, e->object, "labels");
	struct misp_value v = { .type = stix_text(e->object, "x_misp_type"),
		.value = stix_text(e->object, "x_misp_value"),
		.of = e->id,
		.false_positive = e->disputed,
		.confidence = MISP_UNJUDGED,
		.first_seen_at = TS_NULL,
		.last_seen_at = TS_NULL,
		.valid_until = TS_NULL };

	for (size_t i = 0; i < labels.n; i++)
		v.to_ids = v.to_ids || str_is_nocase(labels.p[i], "misp:to_ids=\"true\"");
	misp_value(b, &v);
}

static const struct {
	const char *type;
	take_object *take;
} types[] = {
	{ "indicator", take_indicator },
	{ "observed-data", stix_observed },
	{ "threat-actor", take_actor },
	{ "intrusion-set", take_actor },
	{ "malware", take_malware },
	{ "tool", take_tool },
	{ "attack-pattern", take_technique },
	{ "vulnerability", take_vulnerability },
	{ "identity", take_identity },
	{ "location", take_location },
	{ "x-misp-attribute", take_misp },
};

static bool
is_ignored(struct str type)
{
	for (size_t i = 0; i < COUNT(ignored); i++)
		if (str_is(type, ignored[i]))
			return true;
	return str_is(type, "report") || str_is(type, "grouping");
}

void
stix_object(const struct stix_bundle *s, struct report_builder *b, struct stix_entry *e)
{
	struct str type = stix_text(e->object, "type");
	struct report_value mention = { .of = e->id,
		.disposition = DISPOSITION_MENTION,
		.confidence = MENTION_CONFIDENCE,
		.first_seen_at = TS_NULL,
		.last_seen_at = TS_NULL,
		.valid_until = TS_NULL };

	e->used_by = s->report;
	if (stix_is_revoked(e->object)) {
		report_note(s->r, NOTE_REVOKED, e->id);
		return;
	}
	bundle_markings(s, b, e->object);
	for (size_t i = 0; i < COUNT(types); i++)
		if (str_is(type, types[i].type)) {
			types[i].take(s, b, e);
			return;
		}
	if (stix_is_observable(type))
		stix_observable(s, b, e->object, &mention);
	else if (!is_ignored(type))
		report_note(s->r, NOTE_UNKNOWN_TYPE, e->id);
}
