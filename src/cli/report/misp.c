/* SPDX-License-Identifier: ISC */
/* Events of MISP's format 2.4: {"Event": {...}}, the answer of a search {"response": [...]}, or the
 * event alone. The answer of a search for attributes, {"response": {"Attribute": [...]}}, has
 * attributes of many events and none of them whole, so it is one report that its file names.
 *
 * An attribute with to_ids is an indicator. Some publishers set to_ids nowhere, though their events
 * list nothing but indicators: when no attribute of an event has it, the categories of malicious
 * things decide. Attributes of galaxies and of related events are not the event's. */
#include "config.h"

#include "cli/report/misp.h"

#include "json/json.h"
#include "json/tree.h"

enum { TITLE = 500, PUBLISHER = 200 };

static const char *const malicious[] = { "Payload delivery", "Artifacts dropped",
	"Network activity", "Payload installation" };

struct event {
	struct report_builder b;
	bool by_category; /* no attribute has to_ids */
};

static const struct json_value *
member(const struct json_value *v, const char *name, enum json_type type)
{
	const struct json_value *m =
	    v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;

	return m != NULL && json_type(m) == type ? m : NULL;
}

static struct str
text(const struct json_value *v, const char *name)
{
	const struct json_value *m = member(v, name, JSON_STRING);

	return m == NULL ? STR_NULL : json_text(m);
}

/* true, 1, "1" and "true": MISP has written each of them. */
static bool
flag(const struct json_value *v, const char *name)
{
	const struct json_value *m =
	    v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;
	int64_t n;

	if (m == NULL)
		return false;
	return json_bool(m) || (json_int(m, &n) && n == 1) || str_is(json_text(m), "1") ||
	       str_is(json_text(m), "true");
}

/* A number, or a text that is one. */
static bool
number(const struct json_value *v, const char *name, int64_t *out)
{
	const struct json_value *m =
	    v != NULL && json_type(v) == JSON_OBJECT ? json_get(v, name) : NULL;
	struct str s = m == NULL ? STR_NULL : json_text(m);

	return m != NULL && (json_int(m, out) || (s.p != NULL && str_int64(s, out)));
}

/* A time in RFC 3339, a date, or seconds since 1970. */
static struct ts
when(const struct json_value *v, const char *name)
{
	struct str s = text(v, name);
	int64_t seconds;
	struct ts t;

	if (s.p != NULL && (ts_parse(s, &t) || ts_parse_date(s, &t)))
		return t;
	if (number(v, name, &seconds) && seconds > 0 && seconds < TS_NEWEST_US / SECOND_US)
		return (struct ts){ seconds * SECOND_US };
	return TS_NULL;
}

/* Calls take() for each item of a list, or for the object that stands in place of a list of one. */
static void
each_item(const struct json_value *v, const char *name, struct event *e,
    void (*take)(struct event *e, const struct json_value *item))
{
	const struct json_value *one = member(v, name, JSON_OBJECT);
	const struct json_value *list = member(v, name, JSON_ARRAY);

	if (one != NULL)
		take(e, one);
	for (size_t i = 0; list != NULL && i < json_length(list); i++)
		take(e, json_at(list, i));
}

/* ---- attributes ---- */

static void
find_to_ids(struct event *e, const struct json_value *attribute)
{
	if (flag(attribute, "to_ids") && !flag(attribute, "deleted"))
		e->by_category = false;
}

static void
find_to_ids_of(struct event *e, const struct json_value *object)
{
	if (!flag(object, "deleted"))
		each_item(object, "Attribute", e, find_to_ids);
}

/* The confidence that a tag of MISP's own taxonomy gives; MISP_UNJUDGED: another tag. */
static int
confidence_of_tag(struct str tag)
{
	static const struct {
		const char *level;
		int confidence;
	} levels[] = { { "completely-confident", 100 }, { "usually-confident", 75 },
		{ "fairly-confident", 50 }, { "rarely-confident", 25 }, { "unconfident", 0 } };
	static const struct str prefix = STR_INIT("misp:confidence-level=\"");

	if (!str_starts(tag, prefix) || tag.p[tag.n - 1] != '"')
		return MISP_UNJUDGED;
	tag = (struct str){ tag.p + prefix.n, tag.n - prefix.n - 1 };
	for (size_t i = 0; i < COUNT(levels); i++)
		if (str_is(tag, levels[i].level))
			return levels[i].confidence;
	return MISP_UNJUDGED;
}

static void
take_attribute_tags(struct event *e, const struct json_value *attribute, struct misp_value *v)
{
	const struct json_value *tags = member(attribute, "Tag", JSON_ARRAY);

	for (size_t i = 0; tags != NULL && i < json_length(tags); i++) {
		struct str name = text(json_at(tags, i), "name");
		int confidence = confidence_of_tag(name);

		if (confidence != MISP_UNJUDGED)
			v->confidence = confidence;
		if (str_starts(name, STR("tlp:")))
			builder_tlp(&e->b, (struct str){ name.p + 4, name.n - 4 });
		else if (name.n > 0)
			arena_add_once(e->b.r->a, &v->labels, name, SIZE_MAX);
	}
}

/* Sightings are of type 0 (seen), 1 (a false positive) and 2 (the attribute expires then). */
static void
take_sightings(const struct json_value *attribute, struct misp_value *v)
{
	const struct json_value *sightings = member(attribute, "Sighting", JSON_ARRAY);

	for (size_t i = 0; sightings != NULL && i < json_length(sightings); i++) {
		const struct json_value *s = json_at(sightings, i);
		struct ts at = when(s, "date_sighting");
		int64_t type = 0;

		if (number(s, "type", &type) && type == 1)
			v->false_positive = true;
		if (type == 2 && ts_cmp(at, v->valid_until) > 0)
			v->valid_until = at;
	}
}

static void
take_attribute(struct event *e, const struct json_value *attribute)
{
	struct str category = text(attribute, "category");
	struct misp_value v = { .type = text(attribute, "type"),
		.value = text(attribute, "value"),
		.of = text(attribute, "uuid"),
		.to_ids = flag(attribute, "to_ids"),
		.confidence = MISP_UNJUDGED,
		.first_seen_at = when(attribute, "first_seen"),
		.last_seen_at = when(attribute, "last_seen"),
		.valid_until = TS_NULL };

	if (flag(attribute, "deleted")) {
		report_note(e->b.r, NOTE_REVOKED, v.of);
		return;
	}
	for (size_t i = 0; i < COUNT(malicious) && e->by_category; i++)
		v.malicious = v.malicious || str_is(category, malicious[i]);
	take_attribute_tags(e, attribute, &v);
	take_sightings(attribute, &v);
	misp_value(&e->b, &v);
}

static void
take_object(struct event *e, const struct json_value *object)
{
	if (flag(object, "deleted"))
		report_note(e->b.r, NOTE_REVOKED, text(object, "uuid"));
	else
		each_item(object, "Attribute", e, take_attribute);
}

/* ---- tags and galaxies ---- */

/* The names that galaxies give: misp-galaxy:threat-actor="NAME". */
static const struct {
	const char *galaxy, *kind;
} galaxies[] = {
	{ "threat-actor", "actor" },
	{ "mitre-intrusion-set", "actor" },
	{ "mitre-enterprise-attack-intrusion-set", "actor" },
	{ "malpedia", "malware" },
	{ "mitre-malware", "malware" },
	{ "mitre-enterprise-attack-malware", "malware" },
	{ "ransomware", "malware" },
	{ "rat", "malware" },
	{ "banker", "malware" },
	{ "stealer", "malware" },
	{ "backdoor", "malware" },
	{ "botnet", "malware" },
	{ "android", "malware" },
	{ "tool", "tool" },
	{ "mitre-tool", "tool" },
	{ "mitre-enterprise-attack-tool", "tool" },
	{ "sector", "sector" },
};

/* "Phishing - T1566", as ATT&CK's techniques are written in tags; also "Emotet - S0367". */
static struct str
cut_number(struct str *name)
{
	for (size_t i = name->n; i >= 3; i--)
		if (memcmp(name->p + i - 3, " - ", 3) == 0) {
			struct str number = { name->p + i, name->n - i };

			name->n = i - 3;
			return number;
		}
	return STR_NULL;
}

static void
take_cluster(struct event *e, struct str galaxy, struct str name)
{
	struct str number = cut_number(&name);

	if (number.n > 0 && number.p[0] == 'T')
		builder_technique(&e->b, number);
	for (size_t i = 0; i < COUNT(galaxies); i++)
		if (str_is(galaxy, galaxies[i].galaxy))
			builder_name(&e->b, galaxies[i].kind, name);
}

/* misp-galaxy:GALAXY="NAME"; false: the tag is of another form. */
static bool
take_galaxy_tag(struct event *e, struct str tag)
{
	static const struct str prefix = STR_INIT("misp-galaxy:");
	struct str rest = { tag.p + prefix.n, tag.n - prefix.n }, galaxy;

	if (!str_starts(tag, prefix))
		return false;
	galaxy = str_until(&rest, '=');
	if (rest.p != NULL && rest.n >= 2 && rest.p[0] == '"' && rest.p[rest.n - 1] == '"')
		take_cluster(e, galaxy, (struct str){ rest.p + 1, rest.n - 2 });
	return true;
}

static void
take_tag(struct event *e, const struct json_value *tag)
{
	struct str name = text(tag, "name");

	if (str_starts(name, STR("tlp:")))
		builder_tlp(&e->b, (struct str){ name.p + 4, name.n - 4 });
	else if (name.n > 0 && !take_galaxy_tag(e, name))
		builder_tag(&e->b, name);
}

static void
take_galaxy(struct event *e, const struct json_value *galaxy)
{
	const struct json_value *clusters = member(galaxy, "GalaxyCluster", JSON_ARRAY);
	struct str type = text(galaxy, "type");

	for (size_t i = 0; clusters != NULL && i < json_length(clusters); i++)
		take_cluster(e, type, text(json_at(clusters, i), "value"));
}

/* ---- events ---- */

static void
read_event(struct report_reading *r, const struct json_value *event)
{
	struct event e = { .by_category = true };
	struct report_builder *b = &e.b;

	builder_begin(b, r, "misp");
	b->d.title = b->d.source_ref = r->file;
	if (text(event, "uuid").n > 0)
		b->d.source_ref = text(event, "uuid");
	builder_text(&b->d.title, text(event, "info"), TITLE);
	builder_text(&b->d.publisher, text(member(event, "Orgc", JSON_OBJECT), "name"), PUBLISHER);
	b->d.published_at = when(event, "date");
	if (ts_is_null(b->d.published_at))
		b->d.published_at = when(event, "publish_timestamp");
	b->d.withdrawn = flag(event, "deleted");
	each_item(event, "Tag", &e, take_tag);
	each_item(event, "Galaxy", &e, take_galaxy);
	each_item(event, "Attribute", &e, find_to_ids);
	each_item(event, "Object", &e, find_to_ids_of);
	each_item(event, "Attribute", &e, take_attribute);
	each_item(event, "Object", &e, take_object);
	builder_end(b);
}

/* Reads {"Event": ...} or the event itself. False: v is neither. */
static bool
read_wrapped(struct report_reading *r, const struct json_value *v)
{
	const struct json_value *event = member(v, "Event", JSON_OBJECT);

	if (event == NULL && text(v, "info").p != NULL)
		event = v;
	if (event == NULL)
		return false;
	read_event(r, event);
	return true;
}

/* Reads the answer of a search for attributes. False: v is none. */
static bool
read_attributes(struct report_reading *r, const struct json_value *v)
{
	const struct json_value *answer = member(v, "response", JSON_OBJECT);

	if (answer == NULL)
		answer = v;
	if (member(answer, "Attribute", JSON_ARRAY) == NULL || text(answer, "info").p != NULL)
		return false;
	read_event(r, answer);
	return true;
}

void
report_read_misp(struct report_reading *r)
{
	struct json_value *root = report_json(r);
	const struct json_value *list;

	if (root == NULL)
		return;
	list = json_type(root) == JSON_ARRAY ? root : member(root, "response", JSON_ARRAY);
	for (size_t i = 0; list != NULL && i < json_length(list); i++)
		if (!read_wrapped(r, json_at(list, i)))
			report_note(r, NOTE_UNKNOWN_TYPE, arena_printf(r->a, "event %zu", i + 1));
	if (list == NULL && !read_attributes(r, root) && !read_wrapped(r, root))
		r->fault = STR("is no event of MISP: it has neither \"Event\" nor \"response\"");
}
