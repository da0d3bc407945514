/* SPDX-License-Identifier: ISC */
/* Values of STIX: an observable's members and a pattern's comparisons are found by one table of
   paths (tbl/stix_paths.h).

     file     "hashes": { "SHA-256": "ab.." }        [file:hashes.'SHA-256' = 'ab..']
                                      \                 /
                        normalised:  file  hashes.sha256      row  file  hashes.*  HASH */
#include "config.h"

#include "cli/report/stix_priv.h"

#include "cli/report/misp.h"
#include "cli/report/pattern.h"

enum { PATH = 128, STIX_CONFIDENCE = 90, MENTION_CONFIDENCE = 30, GROUP_DIGITS = 16 };

static const struct {
	const char *object, *path;
	enum value_kind kind;
} paths[] = {
#define STIX_PATH(object, path, kind) { object, path, VALUE_##kind },
#include "tbl/stix_paths.h"
#undef STIX_PATH
};

bool
stix_is_observable(struct str type)
{
	for (size_t i = 0; i < COUNT(paths); i++)
		if (str_is(type, paths[i].object))
			return true;
	return false;
}

/* ---- paths ---- */

/* Drops quotes and indexes. STR_NULL: the path is longer than any of the table. */
static struct str
plain_path(struct str path, char room[PATH])
{
	size_t n = 0;

	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];

		if (c == '[')
			while (i + 1 < path.n && path.p[i] != ']')
				i++;
		else if (c != '\'' && c != '"') {
			if (n == PATH)
				return STR_NULL;
			room[n++] = c;
		}
	}
	return (struct str){ room, n };
}

/* The kind of a certificate's fingerprint: that of SHA-256 alone has a type. */
static enum value_kind
certificate_kind(enum value_kind hash)
{
	return hash == VALUE_SHA256 ? VALUE_CERTIFICATE : VALUE_NONE;
}

/* The kind of the values at a path; VALUE_NONE: they are no indicators. */
static enum value_kind
kind_at(struct str object, struct str path)
{
	char room[PATH];
	struct str plain = plain_path(path, room);

	if (str_starts(plain, STR("extensions.")))
		return VALUE_NONE;
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct str row = str_of(paths[i].path), hash;

		if (!str_is_nocase(object, paths[i].object))
			continue;
		if (str_is_nocase(plain, paths[i].path))
			return paths[i].kind;
		row.n -= str_ends(row, STR(".*"));
		if (row.p[row.n] == '\0' || plain.n <= row.n ||
		    !str_starts(plain, (struct str){ row.p, row.n }))
			continue;
		hash = (struct str){ plain.p + row.n, plain.n - row.n };
		return paths[i].kind == VALUE_CERTIFICATE ? certificate_kind(value_hash_kind(hash))
							  : value_hash_kind(hash);
	}
	return VALUE_NONE;
}

/* ---- observables ---- */

struct hashes {
	struct report_builder *b;
	struct str type;
	struct report_value value;
	bool any;
};

static bool
take_hash(void *arg, struct str name, struct json_value *v)
{
	struct hashes *h = arg;
	struct str path = arena_printf(h->b->r->a, "hashes.%.*s", (int)name.n, name.p);
	enum value_kind kind = kind_at(h->type, path);

	if (kind == VALUE_NONE)
		return true;
	h->any = true;
	h->value.kind = kind;
	h->value.value = json_text(v);
	builder_value(h->b, &h->value);
	return true;
}

/* The value of a member that is a text or a number; STR_NULL: none. */
static struct str
scalar(struct arena *a, const struct json_value *v)
{
	int64_t n;

	if (v == NULL)
		return STR_NULL;
	if (json_int(v, &n))
		return arena_printf(a, "%jd", (intmax_t)n);
	return json_text(v);
}

void
stix_observable(const struct stix_bundle *s, struct report_builder *b,
    const struct json_value *object, const struct report_value *like)
{
	static const char *const members[] = { "value", "number" };
	struct hashes h = { .b = b, .type = stix_text(object, "type"), .value = *like };
	const struct json_value *hashes = json_get(object, "hashes");

	for (size_t i = 0; i < COUNT(members); i++) {
		struct report_value v = *like;

		v.kind = kind_at(h.type, str_of(members[i]));
		v.value = scalar(s->r->a, json_get(object, members[i]));
		if (v.kind == VALUE_NONE || v.value.p == NULL)
			continue;
		builder_value(b, &v);
		h.any = true;
	}
	if (hashes != NULL && json_type(hashes) == JSON_OBJECT)
		json_each(hashes, take_hash, &h);
}

/* ---- observations ---- */

struct observation {
	const struct stix_bundle *s;
	struct report_builder *b;
	struct report_value like;
};

/* STIX 2.0: the objects are within the observation. */
static bool
take_observed(void *arg, struct str key, struct json_value *object)
{
	struct observation *o = arg;
	struct str type = json_type(object) == JSON_OBJECT ? stix_text(object, "type") : STR_NULL;

	if (type.p != NULL && stix_is_observable(type))
		stix_observable(o->s, o->b, object, &o->like);
	else
		report_note(o->s->r, NOTE_NO_TYPE,
		    arena_printf(o->s->r->a, "%.*s, object %.*s", (int)o->like.of.n, o->like.of.p,
			(int)key.n, key.p));
	return true;
}

void
stix_observed(const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e)
{
	const struct json_value *objects = json_get(e->object, "objects");
	struct strs refs = stix_texts(s->r->a, e->object, "object_refs");
	struct observation o = { s, b,
		{ .of = e->id,
		    .disposition = DISPOSITION_MENTION,
		    .confidence = MENTION_CONFIDENCE,
		    .first_seen_at = stix_time(e->object, "first_observed"),
		    .last_seen_at = stix_time(e->object, "last_observed"),
		    .valid_until = TS_NULL } };

	if (objects != NULL && json_type(objects) == JSON_OBJECT)
		json_each(objects, take_observed, &o);
	for (size_t i = 0; i < refs.n; i++) {
		struct stix_entry *seen = bundle_find(s, refs.p[i]);

		if (seen == NULL) {
			report_note(s->r, NOTE_DANGLING, refs.p[i]);
			continue;
		}
		seen->used_by = s->report;
		bundle_markings(s, b, seen->object);
		if (stix_is_observable(stix_text(seen->object, "type")))
			stix_observable(s, b, seen->object, &o.like);
	}
}

/* ---- patterns ---- */

static bool
has_label(struct strs labels, const char *label)
{
	for (size_t i = 0; i < labels.n; i++)
		if (str_is_nocase(labels.p[i], label))
			return true;
	return false;
}

/* The judgement of the source. The standard leaves an indicator without a confidence unjudged
   (STIX 2.1, 3.2); the confidence of the report is about the report. */
static void
judge_by_source(const struct stix_entry *e, struct report_value *v)
{
	const struct json_value *own = json_get(e->object, "confidence");
	int64_t n;

	if (own != NULL && json_int(own, &n) && n >= 0 && n <= 100)
		v->confidence = (unsigned)n;
	if (v->confidence >= MENTION_CONFIDENCE && !e->disputed &&
	    !has_label(v->labels, "benign") && !has_label(v->labels, "misp:to_ids=\"false\""))
		return;
	v->disposition = DISPOSITION_MENTION;
	if (v->confidence > MENTION_CONFIDENCE)
		v->confidence = MENTION_CONFIDENCE;
}

/* The label of the hashes of one file: the beginning of its longest hash, so that the same file has
   the same label in every source. STR_NULL: the observation has fewer than two hashes. */
static struct str
file_group(struct arena *a, const struct stix_pattern *p, unsigned observation)
{
	struct str longest = STR_NULL;
	size_t hashes = 0;

	for (size_t i = 0; i < p->n && observation > 0; i++) {
		enum value_kind kind = kind_at(p->p[i].object, p->p[i].path);

		if (p->p[i].observation != observation || !p->p[i].names || kind < VALUE_MD5 ||
		    kind > VALUE_SHA512)
			continue;
		hashes++;
		if (p->p[i].value.n > longest.n)
			longest = p->p[i].value;
	}
	if (hashes < 2 || longest.n < GROUP_DIGITS)
		return STR_NULL;
	longest = arena_lower(a, (struct str){ longest.p, GROUP_DIGITS });
	return arena_printf(a, "file_group:%.*s", (int)longest.n, longest.p);
}

static void
take_pattern(struct report_builder *b, const struct stix_pattern *p, struct report_value v)
{
	struct arena *a = b->r->a;
	struct strs labels = v.labels;
	size_t found = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct stix_comparison *c = &p->p[i];
		struct str group = file_group(a, p, c->observation);

		v.kind = c->names ? kind_at(c->object, c->path) : VALUE_NONE;
		if (v.kind == VALUE_NONE)
			continue;
		found++;
		v.value = c->value;
		v.labels = labels;
		if (group.p != NULL && v.kind >= VALUE_MD5 && v.kind <= VALUE_SHA512) {
			v.labels = (struct strs){ NULL, 0 };
			arena_add_once(a, &v.labels, group, SIZE_MAX);
			for (size_t j = 0; j < labels.n; j++)
				arena_add_once(a, &v.labels, labels.p[j], SIZE_MAX);
		}
		builder_value(b, &v);
	}
	if (found == 0 && p->n > 0)
		report_note(b->r, NOTE_UNPARSED,
		    arena_printf(a, "%.*s (%.*s:%.*s)", (int)v.of.n, v.of.p, (int)p->p[0].object.n,
			p->p[0].object.p, (int)p->p[0].path.n, p->p[0].path.p));
}

void
stix_indicator(struct report_builder *b, const struct stix_entry *e)
{
	struct arena *a = b->r->a;
	struct str type = stix_text(e->object, "pattern_type");
	struct str text = stix_text(e->object, "pattern");
	struct strs more = stix_texts(a, e->object, "labels");
	struct report_value v = { .of = e->id,
		.disposition = DISPOSITION_INDICATOR,
		.confidence = STIX_CONFIDENCE,
		.labels = stix_texts(a, e->object, "indicator_types"),
		.first_seen_at = stix_time(e->object, "valid_from"),
		.last_seen_at = TS_NULL,
		.valid_until = stix_time(e->object, "valid_until") };
	struct stix_pattern p;

	for (size_t i = 0; i < more.n; i++)
		arena_add_once(a, &v.labels, more.p[i], SIZE_MAX);
	judge_by_source(e, &v);
	if (text.p == NULL || (type.p != NULL && !str_is_nocase(type, "stix"))) {
		report_note(b->r, NOTE_UNPARSED,
		    arena_printf(a, "%.*s (%.*s)", (int)e->id.n, e->id.p, (int)type.n,
			type.p == NULL ? "" : type.p));
		return;
	}
	p = stix_pattern_read(a, text);
	if (p.fault != NULL)
		report_note(b->r, NOTE_UNPARSED,
		    arena_printf(a, "%.*s (%s)", (int)e->id.n, e->id.p, p.fault));
	else
		take_pattern(b, &p, v);
}
