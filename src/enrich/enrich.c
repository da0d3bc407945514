/* SPDX-License-Identifier: ISC */
/* Opens the databases, asks them, and adds what they know to a host. See enrich.h. */
#include "config.h"

#include "enrich/enrich_priv.h"

struct enrich {
	MMDB_s asn, city;
	bool has_asn, has_city;
	struct prefixes prefixes;
};

static bool
is_path_set(const char *path)
{
	return path != NULL && path[0] != '\0';
}

static bool
open_mmdb(MMDB_s *db, const char *path, void (*fault)(void *arg, const char *what), void *arg)
{
	char why[ENRICH_FAULT];

	if (!is_path_set(path))
		return false;
	if (mmdb_open(db, path, why))
		return true;
	fault(arg, why);
	return false;
}

static void
open_prefixes(struct enrich *e, const struct enrich_files *files,
    void (*fault)(void *arg, const char *what), void *arg)
{
	char why[ENRICH_FAULT];
	size_t bad;

	for (size_t i = 0; i < ENRICH_PREFIX_FILES; i++) {
		if (!is_path_set(files->pfx2as[i]))
			continue;
		if (!prefixes_read(&e->prefixes, files->pfx2as[i], &bad, why)) {
			fault(arg, why);
		} else if (bad > 0) {
			snprintf(why, sizeof(why), "%s: %zu malformed lines were skipped",
			    files->pfx2as[i], bad);
			fault(arg, why);
		}
	}
	prefixes_finish(&e->prefixes);
}

struct enrich *
enrich_open(const struct enrich_files *files, void (*fault)(void *arg, const char *what), void *arg)
{
	struct enrich *e = mem_zero(sizeof(*e));

	e->has_asn = open_mmdb(&e->asn, files->mmdb_asn, fault, arg);
	e->has_city = open_mmdb(&e->city, files->mmdb_city, fault, arg);
	open_prefixes(e, files, fault, arg);
	if (e->has_asn || e->has_city || e->prefixes.n > 0)
		return e;
	enrich_close(e);
	return NULL;
}

void
enrich_close(struct enrich *e)
{
	if (e == NULL)
		return;
	if (e->has_asn)
		MMDB_close(&e->asn);
	if (e->has_city)
		MMDB_close(&e->city);
	free(e->prefixes.p);
	free(e);
}

static struct str
print_prefix(struct arena *a, const struct prefix *p)
{
	struct ipnet net = { .bits = p->bits };
	char *text = arena_alloc(a, IPNET_LEN + 1);

	memcpy(net.a, p->from, sizeof(net.a));
	return (struct str){ text, ipnet_print(&net, text) };
}

struct enrich_facts
enrich_find(struct enrich *e, struct arena *a, const unsigned char ip[16])
{
	struct enrich_facts found = { 0 };
	const struct prefix *p;

	if (e->has_asn)
		mmdb_find_network(&e->asn, a, ip, &found);
	if (e->has_city)
		mmdb_find_place(&e->city, a, ip, &found);
	p = found.has_asn ? NULL : prefixes_find(&e->prefixes, ip);
	if (p != NULL) {
		found.has_asn = true;
		found.asn = p->asn;
		found.prefix = print_prefix(a, p);
	}
	return found;
}

static struct str
text_or(struct str a, struct str b)
{
	return a.p != NULL ? a : b;
}

static struct enrich_facts
add_network(const struct enrich_facts *have, const struct enrich_facts *found, bool replace)
{
	struct enrich_facts sum = *have;
	bool same = have->has_asn && have->asn == found->asn;

	if (!found->has_asn || (have->has_asn && !same && !replace))
		return sum;
	sum.has_asn = true;
	sum.asn = found->asn;
	if (replace) {
		sum.as_name = same ? text_or(found->as_name, have->as_name) : found->as_name;
		sum.prefix = found->prefix;
	} else {
		sum.as_name = text_or(have->as_name, found->as_name);
		sum.prefix = text_or(have->prefix, found->prefix);
	}
	return sum;
}

/* True when the host lacks the member, or has the value that was found. */
static bool
agrees(struct str have, struct str found)
{
	return have.p == NULL || str_eq(have, found);
}

static struct enrich_facts
add_place(const struct enrich_facts *have, const struct enrich_facts *found, bool replace)
{
	struct enrich_facts sum = *have;

	if (found->country_code.p == NULL)
		return sum;
	if (replace) {
		sum.country_code = found->country_code;
		sum.region = found->region;
		sum.city = found->city;
	} else if (agrees(have->country_code, found->country_code) &&
		   agrees(have->region, found->region) && agrees(have->city, found->city)) {
		sum.country_code = found->country_code;
		sum.region = text_or(have->region, found->region);
		sum.city = text_or(have->city, found->city);
	}
	return sum;
}

static bool
is_same_text(struct str a, struct str b)
{
	return (a.p == NULL) == (b.p == NULL) && str_eq(a, b);
}

bool
enrich_add(struct enrich_facts *have, const struct enrich_facts *found, bool replace)
{
	struct enrich_facts before = *have;

	*have = add_network(have, found, replace);
	*have = add_place(have, found, replace);
	return before.has_asn != have->has_asn || before.asn != have->asn ||
	       !is_same_text(before.as_name, have->as_name) ||
	       !is_same_text(before.prefix, have->prefix) ||
	       !is_same_text(before.country_code, have->country_code) ||
	       !is_same_text(before.region, have->region) || !is_same_text(before.city, have->city);
}
