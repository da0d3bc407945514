/* SPDX-License-Identifier: ISC */
/* Writes stored documents into answers.

   Records are stored as this program prints them, so a whole document is copied into the answer.
   Two cases need the tree of the record: a projection, and reports, which have hidden members.

   A service has no document of its own: it is an object in the document of its host, and its answer
   has the address of the host before its members and the place of the host after them:

     stored   {"ip":"192.0.2.1","asn":64500,"city":"Bath","services":[{"port":443,"transport":"tcp","protocol":"https"}]}
     answer   {"ip":"192.0.2.1","port":443,"transport":"tcp","protocol":"https","host":{"asn":64500,"city":"Bath"}}

   A page may have hundreds of services of one host with every port open, so its document is parsed
   once, and the search for a service begins after the service that was found last. */
#include "config.h"

#include "record/stored.h"
#include "json/json.h"

static const char *const place_texts[] = { "as_name", "organisation", "country_code", "city" };
static const char *const place_lists[] = { "hostnames", "apex_domains" };

/* ---- documents ---- */

bool
stored_is_answer(enum dataset d, const struct record_fields *fields)
{
	return fields == NULL && record_fields_answered(d) == NULL;
}

void
stored_write(struct buf *b, struct arena *tree, enum dataset d, struct str doc,
    const struct record_fields *fields)
{
	struct record r;
	struct str what;

	if (stored_is_answer(d, fields)) {
		buf_str(b, doc);
		return;
	}
	if (!record_parse(tree, d, doc, RECORD_LENIENT, &r, &what))
		panic("a stored document: %.*s", (int)what.n, what.p);
	record_print(b, &r, fields != NULL ? fields : record_fields_answered(d));
	arena_reset(tree);
}

/* ---- names of fields of services ---- */

static bool
is_of_host(struct str name)
{
	bool found = str_is(name, "ip") || str_is(name, "asn");

	for (size_t i = 0; i < COUNT(place_texts); i++)
		found |= str_is(name, place_texts[i]);
	for (size_t i = 0; i < COUNT(place_lists); i++)
		found |= str_is(name, place_lists[i]);
	return found;
}

bool
service_field_of_place(struct str name)
{
	return is_of_host(name) && !str_is(name, "ip");
}

/* Converts names of fields of services to names in the document of the host: "port,asn,host.city"
   becomes "services.port,asn,city". */
struct str
service_fields(struct arena *a, struct str names)
{
	struct buf b = { .a = a };

	while (names.p != NULL) {
		struct str name = str_trim(str_until(&names, ','));
		struct str below = { name.p + 5, name.n - 5 };

		if (b.n > 0)
			buf_char(&b, ',');
		if (str_is(name, "host"))
			buf_z(&b,
			    "asn,as_name,organisation,country_code,city,hostnames,apex_domains");
		else if (str_starts(name, STR("host.")) && service_field_of_place(below))
			buf_str(&b, below);
		else if (is_of_host(name))
			buf_str(&b, name);
		else
			buf_printf(&b, SERVICE_PREFIX "%.*s", (int)name.n, name.p);
	}
	return buf_done(&b);
}

/* ---- services ---- */

/* Returns the members of the host that the answers of its services contain. */
static struct record
place_of_member(struct arena *a, const struct record *host)
{
	struct record place = record_new(a, DATASET_HOSTS);
	const struct str *texts;
	int64_t asn;

	if (record_int(host->root, "asn", &asn))
		record_set_int(a, place.root, "asn", asn);
	for (size_t i = 0; i < COUNT(place_texts); i++)
		record_set_text(
		    a, place.root, place_texts[i], record_text(host->root, place_texts[i]));
	for (size_t i = 0; i < COUNT(place_lists); i++)
		for (size_t k = 0, n = record_texts(host->root, place_lists[i], &texts); k < n; k++)
			record_add(a, place.root, place_lists[i], texts[k]);
	return place;
}

void
services_open(
    struct services *s, struct arena *a, struct str host, const struct record_fields *fields)
{
	struct record address = record_new(a, DATASET_HOSTS), place;
	struct str what;

	*s = (struct services){
		.fields = fields, .address = { .a = a }, .place = { .a = a }, .members = { .a = a }
	};
	if (!record_parse(a, DATASET_HOSTS, host, RECORD_LENIENT, &s->host, &what))
		panic("a stored document: %.*s", (int)what.n, what.p);
	record_set_text(a, address.root, "ip", record_text(s->host.root, "ip"));
	record_print(&s->address, &address, fields);
	place = place_of_member(a, &s->host);
	record_print(&s->place, &place, fields);
}

static const struct record_object *
find_service(struct services *s, int64_t port, struct str transport)
{
	struct record_object *const *all;
	size_t n = record_nested_all(&s->host, &all);

	for (size_t i = 0; i < n; i++) {
		const struct record_object *o = all[(s->next + i) % n];
		int64_t number;

		if (!record_int(o, "port", &number) || number != port ||
		    !str_eq(record_text(o, "transport"), transport))
			continue;
		s->next = (s->next + i + 1) % n;
		return o;
	}
	return NULL;
}

/* Writes the members of a printed object without its braces. */
static void
append_members(struct buf *b, const struct buf *object)
{
	if (object->n <= 2)
		return;
	if (b->p[b->n - 1] != '{')
		buf_char(b, ',');
	buf_add(b, object->p + 1, object->n - 2);
}

bool
service_write(struct buf *b, struct services *s, int64_t port, struct str transport)
{
	const struct record_object *service = find_service(s, port, transport);

	if (service == NULL)
		return false;
	buf_clear(&s->members);
	record_print_object(&s->members, service, s->fields);
	buf_char(b, '{');
	append_members(b, &s->address);
	append_members(b, &s->members);
	if (s->fields == NULL || s->place.n > 2) {
		json_member(b, "host");
		buf_add(b, s->place.p, s->place.n);
	}
	buf_char(b, '}');
	return true;
}
