/* SPDX-License-Identifier: ISC */
/* The datasets and the columns of their tables; src/tbl has their names. */
#include "config.h"

#include "base/guess.h"
#include "client/dataset.h"

static const struct column columns_HOSTS[] = {
	{ "ip", "ip", CELL_TEXT },
	{ "country_code", "country", CELL_TEXT },
	{ "asn", "asn", CELL_TEXT },
	{ "as_name", "as_name", CELL_TEXT },
	{ "services.port", "port", CELL_TEXT },
	{ "hostnames", "hostname", CELL_TEXT },
	{ "last_seen", "last_seen", CELL_DAY },
	{ 0 },
};
static const struct column columns_SERVICES[] = {
	{ "ip", "ip", CELL_TEXT },
	{ "port", "port", CELL_TEXT },
	{ "transport", "transport", CELL_TEXT },
	{ "protocol", "protocol", CELL_TEXT },
	{ "product", "product", CELL_TEXT },
	{ "version", "version", CELL_TEXT },
	{ "http.title", "title", CELL_TEXT },
	{ 0 },
};
static const struct column columns_DNS[] = {
	{ "host", "host", CELL_TEXT },
	{ "record_type", "record_type", CELL_TEXT },
	{ "answer", "answer", CELL_TEXT },
	{ "ttl", "ttl", CELL_TEXT },
	{ "first_seen", "first_seen", CELL_DAY },
	{ "last_seen", "last_seen", CELL_DAY },
	{ 0 },
};
static const struct column columns_WHOIS[] = {
	{ "domain", "domain", CELL_TEXT },
	{ "whois.registrar", "whois.registrar", CELL_TEXT },
	{ "whois.registrant.organisation", "holder", CELL_TEXT },
	{ "whois.nameservers", "whois.nameservers", CELL_TEXT },
	{ "whois.created_at", "created", CELL_DAY },
	{ "whois.expires_at", "expires", CELL_DAY },
	{ 0 },
};
static const struct column columns_CERTIFICATES[] = {
	{ "fingerprint_sha256", "fingerprint_sha256", CELL_TEXT },
	{ "subject.common_name", "subject", CELL_TEXT },
	{ "issuer.common_name", "issuer", CELL_TEXT },
	{ "names", "names", CELL_TEXT },
	{ "not_before", "not_before", CELL_DAY },
	{ "not_after", "not_after", CELL_DAY },
	{ 0 },
};
static const struct column columns_REPORTS[] = {
	{ "published_at", "published_at", CELL_DAY },
	{ "publisher", "publisher", CELL_TEXT },
	{ "title", "title", CELL_TEXT },
	{ "threat_actors", "threat_actors", CELL_TEXT },
	{ "uuid", "uuid", CELL_TEXT },
	{ 0 },
};
static const struct column columns_DIRECTORIES[] = {
	{ "url", "url", CELL_TEXT },
	{ "title", "title", CELL_TEXT },
	{ "file_count", "file_count", CELL_TEXT },
	{ "total_size", "total_size", CELL_TEXT },
	{ "last_seen", "last_seen", CELL_DAY },
	{ 0 },
};

/* tbl/datasets.h has the names of the paths, tbl/answers.h those of the answers. */
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	static const char name_##id[] = name;
#define VIEW(id, number, name, unit, source, nested, naming, label)                                \
	static const char name_##id[] = name;
#include "tbl/datasets.h"

const struct dataset datasets[] = {
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, one, two)                \
	{ name_##id, list, record, columns_##id },
#include "tbl/answers.h"
#undef ANSWER
	{ 0 },
};

const struct dataset *
dataset_named(const char *name)
{
	for (const struct dataset *d = datasets; d->name != NULL; d++)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

const struct dataset *
dataset_of_words(struct client *c)
{
	const char *word = c->words[0].p;
	const struct dataset *d = dataset_named(word);
	struct buf names = { .a = c->arena };
	struct guess g;

	c->query = words_joined(c, 1);
	if (d != NULL)
		return d;
	guess_begin(&g, c->words[0]);
	for (d = datasets; d->name != NULL; d++) {
		guess_try(&g, str_of(d->name), d->name);
		buf_printf(&names, "%s%s", d == datasets ? "" : ", ", d->name);
	}
	if (g.found != NULL)
		fail(c, WRONG_USAGE, "there is no dataset %s; did you mean %s?", word, g.found);
	else
		fail(c, WRONG_USAGE, "there is no dataset %s; the datasets are %.*s", word,
		    (int)names.n, names.p);
	return NULL;
}
