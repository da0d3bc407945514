/* SPDX-License-Identifier: ISC */
/* Reports: the canonical form of their indicators, and the members that follow from them
   (derive.c).

     type, value                                   hidden members           found by
     ipv4  192.0.2.1                               ip    192.0.2.1          indicators.ip:192.0.2.0/24
     domain  WWW.Example.org.                      name  www.example.org    indicators.name:example.org
     url   http://www.example.org:8080/x           name  www.example.org    the same
     url   http://192.0.2.1/x                      ip    192.0.2.1

   Type and value identify an indicator. Two indicators of a report with the same type and value
   after the canonical form are merged to one, with the labels of both. */
#include "config.h"

#include "base/url.h"
#include "record/record_priv.h"

enum indicator_of { OF_NOTHING, OF_IP, OF_NAME, OF_HOST };

struct indicator_type {
	const char *name;
	enum form form;
	size_t digits;
	enum indicator_of of;
};

static const struct indicator_type types[] = {
#define INDICATOR_TYPE(name, form, digits, of) { name, FORM_##form, digits, OF_##of },
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
};

/* ---- an indicator ---- */

static bool
is_hash(struct str s, size_t digits)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("0123456789abcdef", s.p[i]) == NULL)
			return false;
	return s.n == digits;
}

/* Sets the hidden members for the host of a URL. A host of another form, such as a name that is not
   ASCII, gets none; its URL is an indicator nevertheless. */
static void
set_host(struct arena *a, struct record_object *o, struct str host)
{
	struct record_member domain = { .form = FORM_DOMAIN, .least = 1, .most = LIM_DNS_NAME };
	struct str ip = host;

	if (ipnet_canonical_address(a, &ip))
		record_set_text(a, o, "ip", ip);
	else if (record_form(a, &domain, &host, RECORD_STRICT) == NULL)
		record_set_text(a, o, "name", host);
}

static void
set_hidden(struct arena *a, struct record_object *o, enum indicator_of of, struct str value)
{
	struct str authority, rest;

	record_set_text(a, o, "ip", of == OF_IP ? value : STR_NULL);
	record_set_text(a, o, "name", of == OF_NAME ? value : STR_NULL);
	if (of == OF_HOST && url_split(value, &authority, &rest))
		set_host(a, o, url_host(authority));
}

/* Returns NULL, or the fault of the value as the end of a sentence. */
static const char *
indicator_fault(struct arena *a, const struct indicator_type *t, size_t most, struct str *value)
{
	struct record_member m = { .form = t->form, .least = 1, .most = (int64_t)most };
	const char *why = record_form(a, &m, value, RECORD_STRICT);

	if (why != NULL)
		return why;
	if (t->digits > 0 && !is_hash(*value, t->digits))
		return "is no such hash in hexadecimal";
	if (t->of == OF_IP &&
	    (memchr(value->p, ':', value->n) != NULL) != (strcmp(t->name, "ipv6") == 0))
		return "is an address of the other version of IP";
	return NULL;
}

/* Returns NULL, or the fault. *type: the number of its row in types[]. */
static const char *
finish_indicator(struct arena *a, struct record_object *o, size_t *type)
{
	struct str name = record_text(o, "type"), value = record_text(o, "value"), shown = value;
	size_t most = (size_t)record_kid(o->of, STR("value"))->most;
	const char *why;

	if (name.p == NULL || value.p == NULL)
		return "indicators: one has no type or no value";
	/* the form of the member has checked that the table contains the name */
	for (*type = 0; !str_is(name, types[*type].name);)
		if (++*type == COUNT(types))
			panic("indicators have no type %.*s", (int)name.n, name.p);
	why = indicator_fault(a, &types[*type], most, &value);
	if (why != NULL) {
		shown = str_cut_bytes(shown, 80);
		return arena_printf(a, "indicators: the %s \"%.*s\" %s", types[*type].name,
		    (int)shown.n, shown.p, why)
		    .p;
	}
	record_set_text(a, o, "value", value);
	set_hidden(a, o, types[*type].of, value);
	return NULL;
}

const char *
record_indicator_fault(struct arena *a, struct str type, struct str *value)
{
	if (value->n == 0 || value->n > LIM_INDICATOR)
		return "must have 1 to 4096 bytes";
	for (size_t i = 0; i < COUNT(types); i++)
		if (str_is(type, types[i].name))
			return indicator_fault(a, &types[i], LIM_INDICATOR, value);
	return "is of no type that is known";
}

/* ---- the list ---- */

static bool
is_same_indicator(const struct record_object *x, const struct record_object *y)
{
	return str_eq(record_text(x, "type"), record_text(y, "type")) &&
	       str_eq(record_text(x, "value"), record_text(y, "value"));
}

static void
unite_labels(struct arena *a, struct record_object *to, const struct record_object *from)
{
	const struct str *x, *y;
	size_t nx = record_texts(to, "labels", &x), ny = record_texts(from, "labels", &y);
	size_t most = record_kid(to->of, STR("labels"))->items;
	struct record_value v = { .set = true,
		.texts = { ARENA_ARRAY(a, nx + ny, struct str), nx + ny } };

	if (ny == 0)
		return;
	for (size_t i = 0; i < nx + ny; i++)
		v.texts.p[i] = i < nx ? x[i] : y[i - nx];
	record_sort_texts(&v);
	if (v.texts.n > most)
		v.texts.n = most;
	*record_make(a, to, "labels") = v;
}

/* Adds the times and labels of `from` to another indicator with the same type and value. */
static void
unite_indicators(struct arena *a, struct record_object *to, const struct record_object *from)
{
	int64_t x, y;

	if (record_int(from, "first_seen", &x) && (!record_int(to, "first_seen", &y) || x < y))
		record_set_int(a, to, "first_seen", x);
	if (record_int(from, "last_seen", &x) && (!record_int(to, "last_seen", &y) || x > y))
		record_set_int(a, to, "last_seen", x);
	unite_labels(a, to, from);
}

/* record_finish calls this before and after it sorts the list; only after that are all equal
   indicators adjacent. */
static const char *
finish_indicators(struct arena *a, struct record_value *list, bool seen[COUNT(types)])
{
	size_t n = 0;

	for (size_t i = 0; i < list->objects.n; i++) {
		struct record_object *o = list->objects.p[i];
		size_t type;
		const char *why = finish_indicator(a, o, &type);

		if (why != NULL)
			return why;
		seen[type] = true;
		if (n > 0 && is_same_indicator(list->objects.p[n - 1], o))
			unite_indicators(a, list->objects.p[n - 1], o);
		else
			list->objects.p[n++] = o;
	}
	list->objects.n = n;
	return NULL;
}

const char *
record_derive_report(struct arena *a, struct record_object *o)
{
	struct record_value *list = record_find(o, "indicators");
	bool seen[COUNT(types)] = { false };
	const char *why = NULL;
	int64_t when;

	if (record_text(o, "uuid").p == NULL)
		return "uuid: is missing or no UUID";
	if (!record_int(o, "published_at", &when))
		return "published_at: is missing";
	if (list != NULL)
		why = finish_indicators(a, list, seen);
	if (why != NULL)
		return why;
	*record_make(a, o, "indicator_types") = (struct record_value){ .set = false };
	for (size_t i = 0; i < COUNT(types); i++)
		if (seen[i])
			record_add(a, o, "indicator_types", str_of(types[i].name));
	record_sort_texts(record_make(a, o, "indicator_types"));
	return NULL;
}
