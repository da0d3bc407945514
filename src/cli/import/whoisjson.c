/* SPDX-License-Identifier: ISC */
/* Reader of the JSON of WhoisXML, for surfacectl import whois. A record is an object of the file,
   or its member WhoisRecord, or an element of its member records (an answer of the history API).

   The members of the record come from the registrar. Its member registryData is an object of the
   same form with the members that come from the registry. Either may lack a member, and a date may
   be in any of three members, so a date is taken from the first of these that has one:

     createdDateNormalized, createdDate, createdDateISO8601     of the record
     the same                                                   of registryData */
#include "config.h"

#include "cli/import/whois.h"
#include "record/registration.h"

struct answer {
	struct records *rs;
	const struct json_value *parts[2]; /* the record, registryData */
};

/* Returns the text of the member in the record, or else in registryData. */
static struct str
answer_text(const struct answer *w, const char *name)
{
	struct str s = STR_NULL;

	for (size_t i = 0; s.p == NULL && i < COUNT(w->parts); i++)
		s = tool_text(tool_get(w->parts[i], name));
	return s;
}

static const struct json_value *
answer_value(const struct answer *w, const char *name, enum json_type type)
{
	for (size_t i = 0; i < COUNT(w->parts); i++) {
		const struct json_value *v = tool_get(w->parts[i], name);

		if (v != NULL && json_type(v) == type && json_length(v) > 0)
			return v;
	}
	return NULL;
}

static void
set_date(const struct answer *w, struct record *r, const char *member, const char *const names[3])
{
	struct ts t;

	for (size_t i = 0; i < COUNT(w->parts); i++)
		for (size_t k = 0; k < 3; k++) {
			struct str s = tool_text(tool_get(w->parts[i], names[k]));

			if (s.p == NULL || !tool_time(s, &t))
				continue;
			record_set_time(w->rs->a, r->root, member, t);
			return;
		}
}

static void
set_dates(const struct answer *w, struct record *r)
{
	static const char *const created[] = { "createdDateNormalized", "createdDate",
		"createdDateISO8601" };
	static const char *const updated[] = { "updatedDateNormalized", "updatedDate",
		"updatedDateISO8601" };
	static const char *const expires[] = { "expiresDateNormalized", "expiresDate",
		"expiresDateISO8601" };
	const struct json_value *audit = tool_get(w->parts[0], "audit");
	struct ts t;

	set_date(w, r, "whois.created_at", created);
	set_date(w, r, "whois.updated_at", updated);
	set_date(w, r, "whois.expires_at", expires);
	/* when the vendor collected the record first and last */
	if (tool_time(tool_text(tool_get(audit, "createdDate")), &t))
		record_set_time(w->rs->a, r->root, "first_seen", t);
	if (tool_time(tool_text(tool_get(audit, "updatedDate")), &t))
		record_set_time(w->rs->a, r->root, "last_seen", t);
}

static bool
is_epp_status(struct str word)
{
	static const struct {
		const char *form, *spelling;
	} words[] = {
#define WORD(form, spelling, canonical) { #form, spelling },
#include "tbl/words.h"
#undef WORD
	};
	char room[64];

	if (word.n > sizeof(room))
		return false;
	word = str_lower_ascii(room, word);
	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(words[i].form, "EPP_STATUS") == 0 && str_is(word, words[i].spelling))
			return true;
	return false;
}

static bool
is_status_url(struct str word)
{
	return word.n > 3 && memmem(word.p, word.n, "://", 3) != NULL;
}

static const char WORD_ENDS[] = " ,\t\r\n";

/* Adds the statuses. The text is a list of EPP statuses, each of which may be followed by its URL.
   A text with any other word is a single status, such as "Registered until expiry date". */
static void
set_statuses(const struct answer *w, struct record *r)
{
	struct str text = answer_text(w, "status"), rest = text, word;
	bool words = text.p != NULL;

	while (words && str_word(&rest, WORD_ENDS, &word))
		words = is_status_url(word) || is_epp_status(word);
	if (text.p != NULL && !words)
		record_add(w->rs->a, r->root, "whois.status", text);
	rest = text;
	while (words && str_word(&rest, WORD_ENDS, &word))
		if (!is_status_url(word))
			record_add(w->rs->a, r->root, "whois.status", word);
}

/* Adds the name servers: the member is a list, or an object with the list hostNames. */
static void
set_nameservers(const struct answer *w, struct record *r)
{
	const struct json_value *list = answer_value(w, "nameServers", JSON_ARRAY);

	for (size_t i = 0; list == NULL && i < COUNT(w->parts); i++) {
		list = tool_get(tool_get(w->parts[i], "nameServers"), "hostNames");
		if (list != NULL && (json_type(list) != JSON_ARRAY || json_length(list) == 0))
			list = NULL;
	}
	for (size_t i = 0; list != NULL && i < json_length(list); i++)
		if (tool_text(json_at(list, i)).p != NULL)
			record_add(
			    w->rs->a, r->root, "whois.nameservers", tool_text(json_at(list, i)));
}

static void
set_registrant_members(const struct answer *w, struct record *r)
{
	const struct json_value *o = answer_value(w, "registrant", JSON_OBJECT);
	struct str country;

	if (o == NULL)
		o = answer_value(w, "registrantContact", JSON_OBJECT);
	country = tool_text(tool_get(o, "countryCode"));
	whois_set(
	    w->rs, r, "whois.registrant.organisation", tool_text(tool_get(o, "organization")));
	whois_set_country(
	    w->rs, r, country.p != NULL ? country : tool_text(tool_get(o, "country")));
	whois_set_email(w->rs, r, tool_text(tool_get(o, "email")));
}

static void
read_whois(void *arg, const struct json_value *o, uint64_t line)
{
	struct answer w = { .rs = arg };
	const struct json_value *inner = tool_get(o, "WhoisRecord");
	struct record r = record_new(w.rs->a, DATASET_WHOIS);
	struct str domain;

	w.parts[0] = inner != NULL ? inner : o;
	w.parts[1] = tool_get(w.parts[0], "registryData");
	domain = answer_text(&w, "domainName");
	if (domain.p == NULL) {
		records_bad(w.rs, line, "domainName: must be a string");
		return;
	}
	if (str_is_nocase(answer_text(&w, "domainAvailability"), "AVAILABLE"))
		record_add(w.rs->a, r.root, "whois.status", STR(RECORD_NOT_REGISTERED));
	else if (answer_text(&w, "dataError").p != NULL &&
		 answer_text(&w, "registrarName").p == NULL &&
		 answer_text(&w, "status").p == NULL) {
		w.rs->skipped++; /* the vendor found no registration */
		return;
	}
	whois_set(w.rs, &r, "domain", domain);
	whois_set(w.rs, &r, "whois.registrar", answer_text(&w, "registrarName"));
	whois_set_iana_id(w.rs, &r, answer_text(&w, "registrarIANAID"));
	set_statuses(&w, &r);
	set_nameservers(&w, &r);
	set_registrant_members(&w, &r);
	set_dates(&w, &r);
	records_emit(w.rs, &r, STR_NULL, RECORD_LENIENT, line);
}

void
read_whoisjson(struct records *rs)
{
	records_json(rs, "records", read_whois, rs);
}
