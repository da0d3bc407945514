/* SPDX-License-Identifier: ISC */
/* The host document: reads, checks and prints it by the table of members in member.c, which
   surfaced-import(5) describes row by row. Each of the three steps is a walk over the same rows:

     import_host_read     JSON value -> struct import_host      unknown members and wrong JSON types are faults
     import_host_finish   checks the bounds, brings texts into their stored form, sorts lists, completes times,
                          adds derived members
     import_host_print    struct import_host -> document        members that are not set are left out

   Scanners' readers fill the struct themselves and begin with the second step, in the lenient
   manner. The document of one host must be the same bytes at each import (import.h), which is why
   everything without an order is sorted. */
#include "config.h"

#include "cli/import/import_priv.h"

/* The place of a member in the document, for messages: "services[2].tls.certificate.names[0]". */
struct place {
	const struct place *up;
	const char *name;
	size_t item; /* SIZE_MAX: not an item of a list */
};

struct reading {
	struct arena *a;
	const struct member *members;
	char *base;
	const struct place *up;
	struct str *what;
	bool ok;
};

static void
print_place(struct buf *b, const struct place *at)
{
	if (at->up != NULL) {
		print_place(b, at->up);
		buf_char(b, '.');
	}
	buf_z(b, at->name);
	if (at->item != SIZE_MAX)
		buf_printf(b, "[%zu]", at->item);
}

static bool
member_fault(struct arena *a, const struct place *at, const char *why, struct str *what)
{
	struct buf b = { .a = a };

	print_place(&b, at);
	buf_z(&b, ": ");
	buf_z(&b, why);
	*what = buf_done(&b);
	return false;
}

static const struct member *
find_member(const struct member *m, struct str name)
{
	for (; m->type != MEMBER_END; m++)
		if (str_eq(m->name, name))
			return m;
	return NULL;
}

static bool members_from(struct arena *a, const struct json_value *v, const struct member *members,
    char *base, const struct place *up, struct str *what);

static bool
texts_from(struct arena *a, const struct json_value *v, struct texts *t, struct place *at,
    struct str *what)
{
	size_t n;

	if (json_type(v) != JSON_ARRAY)
		return member_fault(a, at, "must be an array of strings", what);
	n = json_length(v);
	if (n > IMPORT_ITEMS)
		return member_fault(a, at, "has too many items", what);
	t->p = ARENA_ARRAY(a, n, struct str);
	t->n = n;
	for (size_t i = 0; i < n; i++) {
		const struct json_value *item = json_at(v, i);

		at->item = i;
		if (json_type(item) != JSON_STRING)
			return member_fault(a, at, "must be a string", what);
		t->p[i] = json_text(item);
	}
	return true;
}

static bool
services_from(struct arena *a, const struct json_value *v, struct import_host *h, struct place *at,
    struct str *what)
{
	size_t n;

	if (json_type(v) != JSON_ARRAY)
		return member_fault(a, at, "must be an array of objects", what);
	n = json_length(v);
	if (n > IMPORT_ITEMS)
		return member_fault(a, at, "has too many items", what);
	h->has_services = true;
	h->services = ARENA_ARRAY(a, n, struct import_service);
	h->nservices = n;
	for (size_t i = 0; i < n; i++) {
		at->item = i;
		if (!members_from(
			a, json_at(v, i), member_service, (char *)&h->services[i], at, what))
			return false;
	}
	return true;
}

static bool
time_from(const struct json_value *v, struct opt *o)
{
	struct ts t;

	if (json_type(v) != JSON_STRING || !ts_parse(json_text(v), &t))
		return false;
	*o = (struct opt){ true, t.us };
	return true;
}

static bool
member_from(struct arena *a, const struct json_value *v, const struct member *m, char *base,
    struct place *at, struct str *what)
{
	struct opt *o = (struct opt *)(void *)(base + m->offset);

	switch (m->type) {
	case MEMBER_TEXT:
		if (json_type(v) != JSON_STRING)
			return member_fault(a, at, "must be a string", what);
		*(struct str *)(void *)(base + m->offset) = json_text(v);
		return true;
	case MEMBER_INT:
		if (json_type(v) != JSON_NUMBER || !json_int(v, &o->v))
			return member_fault(a, at, "must be an integer", what);
		o->set = true;
		return true;
	case MEMBER_BOOL:
		if (json_type(v) != JSON_BOOL)
			return member_fault(a, at, "must be true or false", what);
		*o = (struct opt){ true, json_bool(v) };
		return true;
	case MEMBER_TIME:
		if (!time_from(v, o))
			return member_fault(
			    a, at, "must be an RFC 3339 date and time with an offset", what);
		return true;
	case MEMBER_TEXTS:
		return texts_from(a, v, (struct texts *)(void *)(base + m->offset), at, what);
	case MEMBER_OBJECT:
		return members_from(a, v, m->sub, base, at, what);
	case MEMBER_SERVICES:
		return services_from(a, v, (struct import_host *)(void *)base, at, what);
	case MEMBER_END:
		break;
	}
	panic("a member of type %d", (int)m->type);
}

static bool
read_member(void *arg, struct str name, struct json_value *v)
{
	struct reading *r = arg;
	const struct member *m = find_member(r->members, name);
	struct place at = { r->up, m == NULL ? "" : m->name.p, SIZE_MAX };

	if (m == NULL) {
		size_t n = name.n > 64 ? 64 : name.n;

		at.name = arena_str(r->a, (struct str){ name.p, n }).p;
		r->ok = member_fault(r->a, &at, "is no member of this format", r->what);
	} else {
		r->ok = member_from(r->a, v, m, r->base, &at, r->what);
	}
	return r->ok;
}

static bool
members_from(struct arena *a, const struct json_value *v, const struct member *members, char *base,
    const struct place *up, struct str *what)
{
	struct reading r = { a, members, base, up, what, true };

	if (json_type(v) != JSON_OBJECT) {
		if (up != NULL)
			return member_fault(a, up, "must be an object", what);
		*what = STR("must be an object");
		return false;
	}
	json_each(v, read_member, &r);
	return r.ok;
}

bool
import_host_read(
    struct arena *a, const struct json_value *v, struct import_host *h, struct str *what)
{
	return members_from(a, v, member_host, (char *)h, NULL, what);
}

/* ---- checking and the stored form ---- */

static bool form_members(struct arena *a, const struct member *m, char *base,
    enum import_manner manner, const struct place *up, struct str *what);

static int
by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Sorts the texts and removes duplicates, so that the same findings in another order are the same document. */
static void
sort_texts(struct texts *t)
{
	size_t n = 0;

	if (t->n < 2)
		return;
	qsort(t->p, t->n, sizeof(t->p[0]), by_text);
	for (size_t i = 0; i < t->n; i++)
		if (n == 0 || !str_eq(t->p[n - 1], t->p[i]))
			t->p[n++] = t->p[i];
	t->n = n;
}

static bool
form_texts(struct arena *a, const struct member *m, struct texts *t, enum import_manner manner,
    struct place *at, struct str *what)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *why = member_form(a, m, &t->p[i], manner);

		at->item = i;
		if (why != NULL && manner == IMPORT_EXACT)
			return member_fault(a, at, why, what);
		if (why == NULL)
			t->p[n++] = t->p[i];
	}
	t->n = n;
	sort_texts(t);
	return true;
}

static int
by_port(const void *x, const void *y)
{
	const struct import_service *a = x, *b = y;

	if (a->port.v != b->port.v)
		return a->port.v < b->port.v ? -1 : 1;
	return str_cmp(a->transport, b->transport);
}

static bool
form_services(struct arena *a, struct import_host *h, enum import_manner manner, struct place *at,
    struct str *what)
{
	for (size_t i = 0; i < h->nservices; i++) {
		struct import_service *s = &h->services[i];

		at->item = i;
		if (!form_members(a, member_service, (char *)s, manner, at, what))
			return false;
		if (!s->port.set)
			return member_fault(a, at, "has no port", what);
		if (s->transport.p == NULL)
			s->transport = STR("tcp");
		if (s->first_seen.set && s->last_seen.set && s->first_seen.v > s->last_seen.v)
			return member_fault(a, at, "first_seen is later than last_seen", what);
	}
	if (h->nservices > 1)
		qsort(h->services, h->nservices, sizeof(h->services[0]), by_port);
	at->item = SIZE_MAX;
	for (size_t i = 1; i < h->nservices; i++)
		if (by_port(&h->services[i - 1], &h->services[i]) == 0)
			return member_fault(a, at, "two have the same port and transport", what);
	return true;
}

static bool
form_member(struct arena *a, const struct member *m, char *base, enum import_manner manner,
    struct place *at, struct str *what)
{
	struct opt *o = (struct opt *)(void *)(base + m->offset);
	struct str *s = (struct str *)(void *)(base + m->offset);
	const char *why = NULL;

	switch (m->type) {
	case MEMBER_TEXT:
		if (s->p != NULL && (why = member_form(a, m, s, manner)) != NULL)
			*s = STR_NULL;
		break;
	case MEMBER_INT:
	case MEMBER_TIME:
		if (o->set && (o->v < m->lo || o->v > m->hi)) {
			why = "is out of range";
			o->set = false;
		}
		break;
	case MEMBER_BOOL:
		break;
	case MEMBER_TEXTS:
		return form_texts(
		    a, m, (struct texts *)(void *)(base + m->offset), manner, at, what);
	case MEMBER_OBJECT:
		return form_members(a, m->sub, base, manner, at, what);
	case MEMBER_SERVICES:
		return form_services(a, (struct import_host *)(void *)base, manner, at, what);
	case MEMBER_END:
		panic("the end of a table is no member");
	}
	return why == NULL || manner == IMPORT_LENIENT || member_fault(a, at, why, what);
}

static bool
form_members(struct arena *a, const struct member *m, char *base, enum import_manner manner,
    const struct place *up, struct str *what)
{
	for (; m->type != MEMBER_END; m++) {
		struct place at = { up, m->name.p, SIZE_MAX };

		if (!form_member(a, m, base, manner, &at, what))
			return false;
	}
	return true;
}

/* Completes the times: a missing first_seen is last_seen and the reverse; a service without times
   has those of its host. A service with one time does not get the other from its host: a host that
   was seen for a year must not make a service that was found today a year old. Without any time at
   all, the host gets the time of the import when it is stored for the first time (merge_round in
   store.c). */
static void
spread_times(struct import_host *h)
{
	if (!h->first_seen.set)
		h->first_seen = h->last_seen;
	if (!h->last_seen.set)
		h->last_seen = h->first_seen;
	for (size_t i = 0; i < h->nservices; i++) {
		struct import_service *s = &h->services[i];

		if (!s->first_seen.set && !s->last_seen.set) {
			s->first_seen = h->first_seen;
			s->last_seen = h->last_seen;
		} else if (!s->first_seen.set) {
			s->first_seen = s->last_seen;
		} else if (!s->last_seen.set) {
			s->last_seen = s->first_seen;
		}
	}
}

bool
import_host_finish(
    struct arena *a, struct import_host *h, enum import_manner manner, struct str *what)
{
	if (h->ip.p == NULL) {
		*what = STR("ip: is missing");
		return false;
	}
	if (!form_members(a, member_host, (char *)h, manner, NULL, what))
		return false;
	if (h->ip.p == NULL) {
		*what = STR("ip: is no IP address");
		return false;
	}
	if (h->first_seen.set && h->last_seen.set && h->first_seen.v > h->last_seen.v) {
		*what = STR("first_seen: is later than last_seen");
		return false;
	}
	spread_times(h);
	h->ip_version = (struct opt){ true, memchr(h->ip.p, ':', h->ip.n) == NULL ? 4 : 6 };
	h->service_count = (struct opt){ h->has_services, (int64_t)h->nservices };
	if (h->hostnames.p != NULL && h->apex_domains.p == NULL)
		h->apex_domains = import_apex_domains(a, &h->hostnames);
	sort_texts(&h->apex_domains);
	for (size_t i = 0; i < h->nservices; i++)
		member_hash_banner(a, &h->services[i]);
	return true;
}

/* ---- printing ---- */

static void print_members(struct buf *b, const struct member *m, const char *base);

static bool
is_set(const struct member *m, const char *base)
{
	switch (m->type) {
	case MEMBER_TEXT:
		return ((const struct str *)(const void *)(base + m->offset))->p != NULL;
	case MEMBER_INT:
	case MEMBER_BOOL:
	case MEMBER_TIME:
		return ((const struct opt *)(const void *)(base + m->offset))->set;
	case MEMBER_TEXTS:
		return ((const struct texts *)(const void *)(base + m->offset))->p != NULL;
	case MEMBER_OBJECT:
		for (const struct member *s = m->sub; s->type != MEMBER_END; s++)
			if (is_set(s, base))
				return true;
		return false;
	case MEMBER_SERVICES:
		return ((const struct import_host *)(const void *)base)->has_services;
	case MEMBER_END:
		break;
	}
	return false;
}

static void
print_services(struct buf *b, const struct import_host *h)
{
	buf_char(b, '[');
	for (size_t i = 0; i < h->nservices; i++) {
		if (i > 0)
			buf_char(b, ',');
		print_members(b, member_service, (const char *)&h->services[i]);
	}
	buf_char(b, ']');
}

static void
print_texts(struct buf *b, const struct texts *t)
{
	buf_char(b, '[');
	for (size_t i = 0; i < t->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_write_str(b, t->p[i]);
	}
	buf_char(b, ']');
}

static void
print_value(struct buf *b, const struct member *m, const char *base)
{
	const void *at = base + m->offset;
	char when[TS_LEN + 1];

	switch (m->type) {
	case MEMBER_TEXT:
		json_write_str(b, *(const struct str *)at);
		break;
	case MEMBER_INT:
		json_write_int(b, ((const struct opt *)at)->v);
		break;
	case MEMBER_BOOL:
		buf_z(b, ((const struct opt *)at)->v != 0 ? "true" : "false");
		break;
	case MEMBER_TIME:
		ts_print((struct ts){ ((const struct opt *)at)->v }, when);
		buf_char(b, '"');
		buf_add(b, when, TS_LEN);
		buf_char(b, '"');
		break;
	case MEMBER_TEXTS:
		print_texts(b, at);
		break;
	case MEMBER_OBJECT:
		print_members(b, m->sub, base);
		break;
	case MEMBER_SERVICES:
		print_services(b, (const struct import_host *)(const void *)base);
		break;
	case MEMBER_END:
		break;
	}
}

static void
print_members(struct buf *b, const struct member *m, const char *base)
{
	bool first = true;

	buf_char(b, '{');
	for (; m->type != MEMBER_END; m++) {
		if (!is_set(m, base))
			continue;
		buf_add(b, ",\"", 2);
		if (first) {
			b->n -= 2;
			b->p[b->n++] = '"';
			first = false;
		}
		buf_str(b, m->name);
		buf_add(b, "\":", 2);
		print_value(b, m, base);
	}
	buf_char(b, '}');
}

void
import_host_print(struct buf *b, const struct import_host *h)
{
	print_members(b, member_host, (const char *)h);
}
