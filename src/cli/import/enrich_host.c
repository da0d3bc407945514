/* SPDX-License-Identifier: ISC */
/* Adds to a host the facts about its address in the databases of enrich/enrich.h. */
#include "config.h"

#include "cli/import/enrich_host.h"

static const struct {
	const char *member;
	size_t at;
} texts[] = {
	{ "as_name", offsetof(struct enrich_facts, as_name) },
	{ "prefix", offsetof(struct enrich_facts, prefix) },
	{ "country_code", offsetof(struct enrich_facts, country_code) },
	{ "region", offsetof(struct enrich_facts, region) },
	{ "city", offsetof(struct enrich_facts, city) },
};

static struct str *
fact(struct enrich_facts *f, size_t i)
{
	return (struct str *)(void *)((char *)f + texts[i].at);
}

bool
enrich_host(struct enrich *e, struct arena *a, struct record *host, bool replace)
{
	struct record_object *o = host->root;
	struct enrich_facts have = { 0 }, found;
	struct ipnet ip;

	if (!ipnet_parse(record_text(o, "ip"), &ip))
		return false;
	have.has_asn = record_int(o, "asn", &have.asn);
	for (size_t i = 0; i < COUNT(texts); i++)
		*fact(&have, i) = record_text(o, texts[i].member);
	found = enrich_find(e, a, ip.a);
	if (!enrich_add(&have, &found, replace))
		return false;
	if (have.has_asn)
		record_set_int(a, o, "asn", have.asn);
	for (size_t i = 0; i < COUNT(texts); i++)
		record_set_text(a, o, texts[i].member, *fact(&have, i));
	return true;
}
