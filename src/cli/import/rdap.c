/* SPDX-License-Identifier: ISC */
/* Reader of answers of RDAP servers (RFC 9083), for surfacectl import whois. An answer is one
   object, or a search result, whose elements are records of their own:

     ldhName                                      domain
     status[]                                     whois.status, in the words of EPP (RFC 8056)
     events[]{eventAction, eventDate}             registration: created_at, last changed: updated_at,
                                                  expiration: expires_at
     secureDNS.delegationSigned                   whois.dnssec; absent when this member is absent
     nameservers[].ldhName                        whois.nameservers
     entities[] with the role registrar           fn, org or handle: registrar; publicIds[]: registrar_iana_id
     entities[] with the role registrant          org, country, hash of the email

   An error with errorCode 404 is the answer that a domain is not registered: its whois.status is
   notRegistered and all other members are unset. RFC 9083 gives such an answer no ldhName. The
   domain is the end of the request's URL, which links have as their value or as the href of "self",
   or the option --domain.

   An entity may have several roles, and entities of its own: the abuse contact of a registrar is
   inside of it and is not the registrar. So only the entities of the domain itself count.

   An entity has a jCard (RFC 7095), lists in lists:

     "vcardArray": [ "vcard", [ [ "fn", {}, "text", "Example Registrar" ],
                                [ "adr", {"cc":"GB"}, "text", ["", "", "1 Street", "Town", "", "X1",
                                "GB"] ] ] ] */
#include "config.h"

#include "cli/import/whois.h"
#include "record/registration.h"

/* ---- jCards ---- */

/* Returns a property of an entity's jCard: [name, parameters, type, value]. NULL: the jCard has no
   such property. */
static const struct json_value *
property(const struct json_value *entity, const char *name)
{
	const struct json_value *list = tool_item(tool_get(entity, "vcardArray"), 1);

	for (size_t i = 0; i < tool_items(list); i++) {
		const struct json_value *p = tool_item(list, i), *v = tool_item(p, 0);

		if (v != NULL && str_is(json_text(v), name))
			return p;
	}
	return NULL;
}

/* Returns the value of a property; of a list, its first text. */
static struct str
first_item_text(const struct json_value *v)
{
	struct str s = tool_text(v);

	for (size_t i = 0; s.p == NULL && i < tool_items(v); i++)
		s = tool_text(tool_item(v, i));
	return s;
}

static struct str
property_text(const struct json_value *entity, const char *name)
{
	return first_item_text(tool_item(property(entity, name), 3));
}

/* Returns the country of an address: the parameter cc, or the seventh part of the address. */
static struct str
country_of(const struct json_value *entity)
{
	const struct json_value *address = property(entity, "adr"),
				*parameters = tool_item(address, 1);
	struct str code = tool_text(tool_get(parameters, "cc"));

	if (code.p == NULL)
		code = tool_text(tool_get(parameters, "CC"));
	return code.p != NULL ? code : first_item_text(tool_item(tool_item(address, 3), 6));
}

/* The organisation of a contact. Some registries send an empty org and the organisation as the name
   of the contact; a name that may be a person's is not stored. */
static struct str
organisation_of(const struct json_value *entity)
{
	struct str org = property_text(entity, "org"), kind = property_text(entity, "kind");

	if (org.p != NULL || str_is(kind, "individual"))
		return org;
	return property(entity, "org") != NULL || str_is(kind, "org") ? property_text(entity, "fn")
								      : STR_NULL;
}

/* ---- entities ---- */

static void
read_registrar(struct records *rs, struct record *r, const struct json_value *entity)
{
	const struct json_value *ids = tool_get(entity, "publicIds");
	struct str name = property_text(entity, "fn");

	if (name.p == NULL)
		name = property_text(entity, "org");
	if (name.p == NULL)
		name = tool_text(tool_get(entity, "handle"));
	whois_set(rs, r, "whois.registrar", name);
	for (size_t i = 0; i < tool_items(ids); i++)
		if (str_is(tool_text(tool_get(tool_item(ids, i), "type")), "IANA Registrar ID"))
			whois_set_iana_id(
			    rs, r, tool_text(tool_get(tool_item(ids, i), "identifier")));
}

static void
read_registrant(struct records *rs, struct record *r, const struct json_value *entity)
{
	whois_set(rs, r, "whois.registrant.organisation", organisation_of(entity));
	whois_set_country(rs, r, country_of(entity));
	whois_set_email(rs, r, property_text(entity, "email"));
}

static void
read_entities(struct records *rs, struct record *r, const struct json_value *list)
{
	static const struct {
		const char *role;
		void (*read)(struct records *, struct record *, const struct json_value *);
	} roles[] = { { "registrar", read_registrar }, { "registrant", read_registrant } };

	for (size_t k = 0; k < COUNT(roles); k++)
		for (size_t i = 0; i < tool_items(list); i++) {
			if (!tool_has(tool_get(tool_item(list, i), "roles"), roles[k].role))
				continue;
			roles[k].read(rs, r, tool_item(list, i));
			break;
		}
}

/* ---- the domain ---- */

/* Returns the time of an event; TS_NULL: the domain has no such event. Case is ignored, because
   some registries capitalise the names of events. */
static struct ts
event_time(const struct json_value *events, const char *action)
{
	struct ts t;

	for (size_t i = 0; i < tool_items(events); i++) {
		struct str word = tool_text(tool_get(tool_item(events, i), "eventAction"));
		struct str date = tool_text(tool_get(tool_item(events, i), "eventDate"));

		if (str_is_nocase(word, action) && date.p != NULL && tool_time(date, &t))
			return t;
	}
	return TS_NULL;
}

/* Sets the times of the events. "last update of RDAP database" is the time when the server's copy
   of the registry was current, so it is the time of observation. */
static void
read_events(struct records *rs, struct record *r, const struct json_value *events)
{
	struct ts expires = event_time(events, "expiration");
	struct ts seen = event_time(events, "last update of RDAP database");

	if (ts_is_null(expires))
		expires = event_time(events, "registrar expiration");
	record_set_time(rs->a, r->root, "whois.created_at", event_time(events, "registration"));
	record_set_time(rs->a, r->root, "whois.updated_at", event_time(events, "last changed"));
	record_set_time(rs->a, r->root, "whois.expires_at", expires);
	record_set_time(rs->a, r->root, "first_seen", seen);
	record_set_time(rs->a, r->root, "last_seen", seen);
}

/* ---- domains that are not registered ---- */

/* Returns the domain in a URL such as https://rdap.example/v1/domain/example.org; STR_NULL: the URL
   is no query of a domain. */
static struct str
queried_domain(struct str url)
{
	static const struct str path = STR_INIT("/domain/");
	const char *at = url.n == 0 ? NULL : memmem(url.p, url.n, path.p, path.n);
	struct str name;

	if (at == NULL)
		return STR_NULL;
	name = (struct str){ at + path.n, url.n - (size_t)(at + path.n - url.p) };
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '?' || name.p[i] == '/' || name.p[i] == '#')
			name.n = i;
	return name.n == 0 ? STR_NULL : name;
}

static struct str
linked_domain(const struct json_value *links)
{
	struct str name = STR_NULL;

	for (size_t i = 0; i < tool_items(links) && name.p == NULL; i++) {
		const struct json_value *link = tool_item(links, i);

		name = queried_domain(tool_text(tool_get(link, "value")));
		if (name.p == NULL && str_is(tool_text(tool_get(link, "rel")), "self"))
			name = queried_domain(tool_text(tool_get(link, "href")));
	}
	return name;
}

/* The domain that an error is about. */
static struct str
domain_of_error(const struct records *rs, const struct json_value *o)
{
	const struct json_value *notices = tool_get(o, "notices");
	struct str name = tool_text(tool_get(o, "ldhName"));

	if (name.p == NULL)
		name = linked_domain(tool_get(o, "links"));
	for (size_t i = 0; i < tool_items(notices) && name.p == NULL; i++)
		name = linked_domain(tool_get(tool_item(notices, i), "links"));
	return name.p == NULL ? rs->options.domain : name;
}

static void
read_rdap_error(struct records *rs, const struct json_value *o, uint64_t line)
{
	struct record r = record_new(rs->a, DATASET_WHOIS);
	struct str name = domain_of_error(rs, o);
	int64_t code = 0;

	if (!json_int(tool_get(o, "errorCode"), &code) || code != 404) {
		records_bad(rs, line, "errorCode: only 404 is an answer about a domain");
		return;
	}
	if (name.p == NULL) {
		records_bad(rs, line, "no link has the URL of the query; name it with --domain");
		return;
	}
	whois_set(rs, &r, "domain", name);
	record_add(rs->a, r.root, "whois.status", STR(RECORD_NOT_REGISTERED));
	read_events(rs, &r, tool_get(o, "events"));
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
}

static void
read_rdap_domain(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	struct record r = record_new(rs->a, DATASET_WHOIS);
	const struct json_value *status = tool_get(o, "status");
	const struct json_value *servers = tool_get(o, "nameservers");
	const struct json_value *is_signed = tool_get(tool_get(o, "secureDNS"), "delegationSigned");

	if (tool_get(o, "errorCode") != NULL) {
		read_rdap_error(rs, o, line);
		return;
	}
	if (!str_is(tool_text(tool_get(o, "objectClassName")), "domain")) {
		records_bad(rs, line, "objectClassName: must be domain");
		return;
	}
	whois_set(rs, &r, "domain", tool_text(tool_get(o, "ldhName")));
	for (size_t i = 0; i < tool_items(status); i++)
		if (tool_text(tool_item(status, i)).p != NULL)
			record_add(rs->a, r.root, "whois.status", tool_text(tool_item(status, i)));
	for (size_t i = 0; i < tool_items(servers); i++) {
		struct str name = tool_text(tool_get(tool_item(servers, i), "ldhName"));

		if (name.p != NULL)
			record_add(rs->a, r.root, "whois.nameservers", name);
	}
	if (is_signed != NULL && json_type(is_signed) == JSON_BOOL)
		record_set_bool(rs->a, r.root, "whois.dnssec", json_bool(is_signed));
	read_events(rs, &r, tool_get(o, "events"));
	read_entities(rs, &r, tool_get(o, "entities"));
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
}

void
read_rdap(struct records *rs)
{
	records_json(rs, "domainSearchResults", read_rdap_domain, rs);
}
