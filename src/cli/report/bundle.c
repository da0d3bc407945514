/* SPDX-License-Identifier: ISC */
/* The objects of a STIX bundle by their ids, and their markings. */
#include "config.h"

#include "cli/report/stix_priv.h"

static const struct {
	const char *level, *id;
} markings[] = {
#define TLP_MARKING(level, marking) { level, "marking-definition--" marking },
#define TLP(spelling, name, strict, marking) TLP_MARKING(name, marking)
#include "tbl/tlp_markings.h"
#include "tbl/tlps.h"
#undef TLP
#undef TLP_MARKING
};

struct str
stix_text(const struct json_value *object, const char *member)
{
	const struct json_value *v = json_get(object, member);

	return v == NULL ? STR_NULL : json_text(v);
}

struct ts
stix_time(const struct json_value *object, const char *member)
{
	struct str text = stix_text(object, member);
	struct ts t;

	return text.p != NULL && ts_parse(text, &t) ? t : TS_NULL;
}

bool
stix_is_revoked(const struct json_value *object)
{
	const struct json_value *v = json_get(object, "revoked");

	return v != NULL && json_bool(v);
}

struct strs
stix_texts(struct arena *a, const struct json_value *object, const char *member)
{
	const struct json_value *v = json_get(object, member);
	size_t n = v == NULL || json_type(v) != JSON_ARRAY ? 0 : json_length(v);
	struct str *p = NULL; /* by arena_room, since callers append to the list */
	struct strs out = { NULL, 0 };

	for (size_t i = 0; i < n; i++) {
		struct str text = json_text(json_at(v, i));

		if (text.p == NULL)
			continue;
		p = arena_room(a, p, out.n, sizeof(*p));
		p[out.n++] = text;
		out.p = p;
	}
	return out;
}

/* ---- ids ---- */

/* The newest of one id comes last, and of equally new ones the later in the bundle. */
static int
compare_entries(const void *x, const void *y)
{
	const struct stix_entry *a = x, *b = y;
	int c = str_cmp(a->id, b->id);

	if (c == 0)
		c = ts_cmp(a->modified, b->modified);
	return c != 0 ? c : a->place < b->place ? -1 : a->place > b->place;
}

/* Marks the objects with which an opinion disagrees; misp-stix writes a false positive as an
   opinion. */
static void
mark_disputed(struct stix_bundle *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct json_value *o = s->p[i].object;
		struct str opinion = stix_text(o, "opinion");
		struct strs refs;

		if (!str_is(stix_text(o, "type"), "opinion") || stix_is_revoked(o) ||
		    !(str_is(opinion, "disagree") || str_is(opinion, "strongly-disagree")))
			continue;
		refs = stix_texts(s->r->a, o, "object_refs");
		for (size_t k = 0; k < refs.n; k++) {
			struct stix_entry *e = bundle_find(s, refs.p[k]);

			if (e != NULL)
				e->disputed = true;
		}
	}
}

void
bundle_index(struct stix_bundle *s, const struct json_value *objects)
{
	size_t length = json_length(objects), n = 0;

	s->p = ARENA_ARRAY(s->r->a, length, struct stix_entry);
	for (size_t i = 0; i < length; i++) {
		const struct json_value *o = json_at(objects, i);

		if (json_type(o) != JSON_OBJECT || stix_text(o, "id").n == 0 ||
		    stix_text(o, "type").n == 0) {
			report_note(
			    s->r, NOTE_UNKNOWN_TYPE, arena_printf(s->r->a, "object %zu", i + 1));
			continue;
		}
		s->p[s->n++] = (struct stix_entry){
			.id = stix_text(o, "id"),
			.object = o,
			.modified = stix_time(o, "modified"),
			.place = i,
		};
	}
	if (s->n > 1)
		qsort(s->p, s->n, sizeof(*s->p), compare_entries);
	for (size_t i = 0; i < s->n; i++) {
		bool again = n > 0 && str_eq(s->p[n - 1].id, s->p[i].id);

		if (again)
			report_note(s->r, NOTE_DUPLICATE, s->p[i].id);
		n += !again;
		s->p[n - 1] = s->p[i];
	}
	s->n = n;
	mark_disputed(s);
}

struct stix_entry *
bundle_find(const struct stix_bundle *s, struct str id)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = str_cmp(s->p[middle].id, id);

		if (c == 0)
			return &s->p[middle];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* ---- markings ---- */

/* The value of the extension of TLP 2.0, whose id is the key of an object; STR_NULL: none. */
struct level {
	struct str text;
};

static bool
find_tlp2(void *arg, struct str name, struct json_value *extension)
{
	struct level *level = arg;

	(void)name;
	if (json_type(extension) == JSON_OBJECT)
		level->text = stix_text(extension, "tlp_2_0");
	return level->text.p == NULL;
}

/* A statement, such as a copyright, restricts no reader. */
static void
mark_by_object(struct report_builder *b, struct str id, const struct json_value *marking)
{
	const struct json_value *definition = json_get(marking, "definition");
	const struct json_value *extensions = json_get(marking, "extensions");
	struct str type = stix_text(marking, "definition_type");
	struct level level = { STR_NULL };

	if (extensions != NULL && json_type(extensions) == JSON_OBJECT)
		json_each(extensions, find_tlp2, &level);
	if (level.text.p == NULL && definition != NULL && json_type(definition) == JSON_OBJECT &&
	    str_is(type, "tlp"))
		level.text = stix_text(definition, "tlp");
	if (level.text.p != NULL)
		builder_tlp(b, level.text);
	else if (!str_is(type, "statement"))
		builder_unknown_marking(b, id);
}

static void
mark_by_id(const struct stix_bundle *s, struct report_builder *b, struct str id)
{
	const struct stix_entry *e;

	for (size_t i = 0; i < COUNT(markings); i++)
		if (str_is(id, markings[i].id)) {
			builder_tlp(b, str_of(markings[i].level));
			return;
		}
	e = bundle_find(s, id);
	if (e == NULL)
		builder_unknown_marking(b, id);
	else
		mark_by_object(b, id, e->object);
}

void
bundle_markings(
    const struct stix_bundle *s, struct report_builder *b, const struct json_value *object)
{
	struct strs refs = stix_texts(s->r->a, object, "object_marking_refs");
	const struct json_value *granular = json_get(object, "granular_markings");
	struct str ref;

	for (size_t i = 0; i < refs.n; i++)
		mark_by_id(s, b, refs.p[i]);
	if (granular == NULL || json_type(granular) != JSON_ARRAY)
		return;
	for (size_t i = 0; i < json_length(granular); i++) {
		const struct json_value *part = json_at(granular, i);

		ref = json_type(part) == JSON_OBJECT ? stix_text(part, "marking_ref") : STR_NULL;
		if (ref.p != NULL) /* without it the part names a language */
			mark_by_id(s, b, ref);
	}
}
