/* SPDX-License-Identifier: ISC */
/* Adds to a host that is imported what the databases of enrich/enrich.h know of its address. */
#include "config.h"

#include "cli/import/import.h"
#include "enrich/enrich.h"

void
import_enrich(struct enrich *e, struct arena *a, struct import_host *h)
{
	struct enrich_facts have = { h->asn.set, h->asn.v, h->as_name, h->prefix, h->country_code,
		h->region, h->city };
	struct enrich_facts found;
	struct ipnet ip;

	if (!ipnet_parse(h->ip, &ip))
		return;
	found = enrich_find(e, a, ip.a);
	enrich_add(&have, &found, false);
	h->asn = (struct opt){ have.has_asn, have.asn };
	h->as_name = have.as_name;
	h->prefix = have.prefix;
	h->country_code = have.country_code;
	h->region = have.region;
	h->city = have.city;
}
