/* SPDX-License-Identifier: ISC */
/* Anchors: a rule whose query says product:redis is not tried on a document without that product
 * (C-152).
 *
 *   rule 7  product:redis ----> table: (services.product, "redis") -> 7
 *   rule 8  ip:192.0.2.0/24 --> table: (ip, /24 192.0.2.0)         -> 8        networks of length 24 are asked
 *   rule 9  os:lin*  ---------> free: 9                                        tried on every document
 *
 *   document {"ip":"192.0.2.7","services":[{"product":"nginx"}]}
 *     each value of a field that any rule is anchored by is looked up: keywords folded, names with
 *     all names above them, addresses with all lengths of networks that are asked
 *
 * The lookup may find too many rules, never too few, because the whole query of each candidate
 * is evaluated afterwards. */
#include "config.h"

#include "base/hash.h"
#include "detect/detect.h"
#include "json/tree.h"
#include "search/text.h"

struct entry {
	const struct entry *next;
	const struct schema_field *field;
	struct str bytes;
	uint32_t rule;
};

/* A field that rules are anchored by. */
struct anchor_field {
	const struct schema_field *field;
	bool lengths[129]; /* of networks */
};

struct side {
	struct anchor_field *fields;
	size_t nfields;
	uint32_t *unanchored;
	size_t nunanchored;
};

struct anchors {
	struct side sides[DATASETS]; /* by the dataset of the documents */
	const struct entry **slots;
	size_t mask;
	uint32_t *stamp; /* the number of the lookup that found the rule last */
	uint32_t *found;
	uint32_t lookup;
};

static uint64_t
hash_value(const struct schema_field *f, struct str bytes)
{
	uint64_t h = hash_str(HASH_START ^ (uintptr_t)f, bytes);

	return h ^ h >> 29;
}

/* ---- values as bytes ---- */

static struct str
name_bytes(struct arena *a, struct str name)
{
	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	return text_fold(a, arena_lower(a, name));
}

static struct str
integer_bytes(struct arena *a, int64_t i)
{
	return arena_str(a, (struct str){ (const char *)&i, sizeof(i) });
}

static struct str
network_bytes(struct arena *a, const unsigned char address[16], uint8_t bits)
{
	struct ipnet net = { .bits = bits };
	char bytes[17];

	memcpy(net.a, address, sizeof(net.a));
	ipnet_clear_host_bits(&net);
	bytes[0] = (char)bits;
	memcpy(bytes + 1, net.a, sizeof(net.a));
	return arena_str(a, (struct str){ bytes, sizeof(bytes) });
}

/* ---- making ---- */

static const struct schema_field *
source_field(const struct schema_field *f)
{
	return f->of == NULL ? f : f->of;
}

static struct anchor_field *
field_of_side(struct arena *a, struct side *s, const struct schema_field *f)
{
	for (size_t i = 0; i < s->nfields; i++)
		if (s->fields[i].field == f)
			return &s->fields[i];
	s->fields = arena_room(a, s->fields, s->nfields, sizeof(*s->fields));
	s->fields[s->nfields] = (struct anchor_field){ .field = f };
	return &s->fields[s->nfields++];
}

static void
add_entry(struct arena *a, struct anchors *an, const struct schema_field *f, struct str bytes,
    uint32_t rule)
{
	struct entry *e = ARENA_NEW(a, struct entry);
	size_t slot = hash_value(f, bytes) & an->mask;

	*e = (struct entry){ .next = an->slots[slot], .field = f, .bytes = bytes, .rule = rule };
	an->slots[slot] = e;
}

static void
add_query_anchor(struct arena *a, struct anchors *an, const struct node *n, uint32_t rule)
{
	const struct schema_field *f = source_field(n->field);
	struct anchor_field *known = field_of_side(a, &an->sides[schema_source(f->dataset)], f);

	for (size_t i = 0; i < n->nvalues; i++) {
		const struct value *v = &n->values[i];

		if (f->type == VALUE_IP) {
			known->lengths[v->ip.bits] = true;
			add_entry(a, an, f, network_bytes(a, v->ip.a, v->ip.bits), rule);
		} else if (f->type == VALUE_INTEGER) {
			add_entry(a, an, f, integer_bytes(a, v->i), rule);
		} else if (f->type == VALUE_DNS) {
			add_entry(a, an, f, name_bytes(a, v->s), rule);
		} else {
			add_entry(a, an, f, text_fold(a, v->s), rule);
		}
	}
}

struct anchors *
anchors_new(struct arena *a, const struct detect_rule *const *rules, size_t nrules)
{
	struct anchors *an = ARENA_NEW(a, struct anchors);
	size_t values = 0, room = 64;

	for (size_t i = 0; i < nrules; i++)
		values += rules[i]->anchor == NULL ? 0 : rules[i]->anchor->nvalues;
	while (room < 2 * values)
		room *= 2;
	an->mask = room - 1;
	an->slots = ARENA_ARRAY(a, room, const struct entry *);
	an->stamp = ARENA_ARRAY(a, nrules + 1, uint32_t);
	an->found = ARENA_ARRAY(a, nrules + 1, uint32_t);
	for (size_t i = 0; i < nrules; i++) {
		struct side *s;

		if (rules[i]->failed)
			continue;
		s = &an->sides[schema_source(rules[i]->dataset)];
		if (rules[i]->anchor != NULL) {
			add_query_anchor(a, an, rules[i]->anchor, (uint32_t)i);
			continue;
		}
		s->unanchored =
		    arena_room(a, s->unanchored, s->nunanchored, sizeof(*s->unanchored));
		s->unanchored[s->nunanchored++] = (uint32_t)i;
	}
	return an;
}

/* ---- looking up ---- */

struct lookup {
	struct anchors *an;
	struct arena *scratch;
	const struct anchor_field *field;
	size_t n;
};

static void
look_up(struct lookup *l, struct str bytes)
{
	const struct schema_field *f = l->field->field;
	const struct entry *e = l->an->slots[hash_value(f, bytes) & l->an->mask];

	for (; e != NULL; e = e->next)
		if (e->field == f && l->an->stamp[e->rule] != l->an->lookup &&
		    str_eq(e->bytes, bytes)) {
			l->an->stamp[e->rule] = l->an->lookup;
			l->an->found[l->n++] = e->rule;
		}
}

static void
look_up_name(struct lookup *l, struct str name)
{
	const char *dot;

	name = name_bytes(l->scratch, name);
	for (;;) {
		look_up(l, name);
		dot = memchr(name.p, '.', name.n);
		if (dot == NULL)
			return;
		name = (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) };
	}
}

static void
look_up_address(struct lookup *l, struct str text)
{
	struct ipnet ip;

	if (!ipnet_parse(text, &ip))
		return;
	for (unsigned bits = 0; bits <= 128; bits++)
		if (l->field->lengths[bits])
			look_up(l, network_bytes(l->scratch, ip.a, (uint8_t)bits));
}

static void
look_up_value(struct lookup *l, const struct json_value *v)
{
	enum value_type type = l->field->field->type;
	int64_t i;

	if (json_type(v) == JSON_ARRAY) {
		for (size_t k = 0; k < json_length(v); k++)
			if (json_type(json_at(v, k)) != JSON_ARRAY)
				look_up_value(l, json_at(v, k));
		return;
	}
	if (type == VALUE_INTEGER) {
		if (json_type(v) == JSON_NUMBER && json_int(v, &i))
			look_up(l, integer_bytes(l->scratch, i));
		return;
	}
	if (json_type(v) != JSON_STRING)
		return;
	if (type == VALUE_DNS)
		look_up_name(l, json_text(v));
	else if (type == VALUE_IP)
		look_up_address(l, json_text(v));
	else
		look_up(l, text_fold(l->scratch, json_text(v)));
}

static void
look_up_member(struct lookup *l, const struct json_value *object, const char *name)
{
	const struct json_value *v = match_member(object, name);

	if (v != NULL)
		look_up_value(l, v);
}

static void
look_up_field(struct lookup *l, enum dataset source, const struct json_value *doc)
{
	const struct schema_field *f = l->field->field;
	const struct json_value *all;

	if (!f->nested) {
		look_up_member(l, doc, f->name);
		return;
	}
	all = match_member(doc, schema_nested(source));
	for (size_t i = 0; all != NULL && i < json_length(all); i++)
		look_up_member(l, json_at(all, i), f->relative);
}

size_t
anchors_candidates(struct anchors *an, struct arena *scratch, enum dataset source,
    const struct json_value *doc, const uint32_t **out)
{
	const struct side *s = &an->sides[source];
	struct lookup l = { .an = an, .scratch = scratch };

	l.an->lookup++;
	for (size_t i = 0; i < s->nfields; i++) {
		l.field = &s->fields[i];
		look_up_field(&l, source, doc);
	}
	for (size_t i = 0; i < s->nunanchored; i++)
		l.an->found[l.n++] = s->unanchored[i];
	arena_reset(scratch);
	*out = an->found;
	return l.n;
}
