/* SPDX-License-Identifier: ISC */
/* Sets the members that follow from others; each dataset has a function. Derived members are stored,
   because the index and SQL need them. A derived value replaces the one in the document, except that
   the document's own apex_domains of a host, banner_hash of a service and extension of a file are
   kept, and so is wildcard when it is true. validity_days, file_count and total_size are kept when
   the members from which they follow are missing.

     hosts         ip -> ip_version; hostnames -> apex_domains; services -> service_count; banner -> banner_hash;
                   texts that a server sends, without their secrets (masked.h)
     dns           host -> apex_domain, tld, wildcard; answer -> its canonical form, answer_ip, answer_name
     whois         domain -> tld
     certificates  names -> apex_domains; not_before and not_after -> validity_days
     reports       indicators -> indicator_types, and hidden members of each indicator (report.c)
     directories   files -> file_count, total_size; a file's name -> its extension

   The functions also refuse a record without the members of its key, because they are the first to
   use these. They run again after lists were sorted and after two records were merged, so running
   one twice must change nothing. */
#include "config.h"

#include "address/start_url.h"
#include "base/url.h"
#include "record/masked_priv.h"
#include "record/record_priv.h"

#include <openssl/sha.h>

static struct str
without_star(struct str name)
{
	if (str_starts(name, STR("*.")))
		return (struct str){ name.p + 2, name.n - 2 };
	return name;
}

/* Sets the members apex_domain and tld of the name. */
static void
set_name_parts(struct arena *a, struct record_object *o, struct str name, const char *apex)
{
	const char *dot = memrchr(name.p, '.', name.n);
	struct str tld =
	    dot == NULL ? name : (struct str){ dot + 1, (size_t)(name.p + name.n - dot) - 1 };

	if (apex != NULL)
		record_set_text(a, o, apex, host_registrable(a, without_star(name)));
	record_set_text(a, o, "tld", tld.n > 0 ? tld : STR_NULL);
}

/* Sets apex_domains to the registrable domains of a list of names. */
static void
set_apex_domains(struct arena *a, struct record_object *o, const char *from)
{
	const struct str *names;
	size_t n = record_texts(o, from, &names);
	struct record_value *v = record_make(a, o, "apex_domains");

	if (record_find(o, from) == NULL)
		return;
	*v = (struct record_value){ .set = true, .texts = { ARENA_ARRAY(a, n, struct str), 0 } };
	for (size_t i = 0; i < n; i++) {
		struct str apex = host_registrable(a, without_star(names[i]));

		if (apex.p != NULL)
			v->texts.p[v->texts.n++] = apex;
	}
	record_sort_texts(v);
}

static struct str
sha256_text(struct arena *a, struct str s)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char *hex = arena_alloc(a, 2 * sizeof(sum) + 1);

	SHA256((const unsigned char *)s.p, s.n, sum);
	hex_print(hex, sum, sizeof(sum));
	return (struct str){ hex, 2 * sizeof(sum) };
}

static const char *
derive_services(struct arena *a, struct record_object *root)
{
	const struct record_value *list = record_find(root, "services");
	struct ts seen = TS_NULL;

	if (list == NULL)
		return NULL;
	if (!record_int(root, "last_seen", &seen.us))
		seen = TS_NULL;
	record_set_int(a, root, "service_count", (int64_t)list->objects.n);
	for (size_t i = 0; i < list->objects.n; i++) {
		struct record_object *s = list->objects.p[i];
		struct str banner;

		record_mask_service(a, s, seen);
		banner = record_text(s, "banner");
		if (record_text(s, "transport").p == NULL)
			record_set_text(a, s, "transport", STR("tcp"));
		if (banner.p != NULL && record_text(s, "banner_hash").p == NULL)
			record_set_text(a, s, "banner_hash", sha256_text(a, banner));
		record_derive_capabilities(a, s);
	}
	return NULL;
}

static const char *
derive_hosts(struct arena *a, struct record_object *o)
{
	struct str ip = record_text(o, "ip");

	if (ip.p == NULL)
		return "ip: is missing or no IP address";
	record_set_int(a, o, "ip_version", memchr(ip.p, ':', ip.n) == NULL ? 4 : 6);
	if (record_find(o, "apex_domains") == NULL)
		set_apex_domains(a, o, "hostnames");
	record_make(a, o, "service_count")->set = false;
	return derive_services(a, o);
}

static const char *
derive_answer(struct arena *a, struct record_object *o, struct str type)
{
	struct str answer = record_text(o, "answer"), ip = STR_NULL, name = STR_NULL;
	const char *why = NULL;

	if (answer.p != NULL)
		why = record_answer(a, type, &answer, &ip, &name);
	if (why != NULL)
		return arena_printf(a, "answer: %s", why).p;
	if (ip.p == NULL && name.p == NULL && answer.p != NULL)
		answer = record_masked_answer(a, answer);
	if (answer.n > LIM_ANSWER)
		return "answer: is too long";
	record_set_text(a, o, "answer", answer);
	record_set_text(a, o, "answer_ip", ip);
	record_set_text(a, o, "answer_name", name);
	return NULL;
}

static const char *
derive_dns(struct arena *a, struct record_object *o)
{
	struct str host = record_text(o, "host"), type = record_text(o, "record_type");
	int64_t wildcard = 0;

	if (host.p == NULL)
		return "host: is missing or no name of a DNS record";
	if (type.p == NULL)
		return "record_type: is missing or no type of DNS records";
	if (record_text(o, "rcode").p == NULL)
		record_set_text(a, o, "rcode", STR("NOERROR"));
	set_name_parts(a, o, host, "apex_domain");
	if (!record_int(o, "wildcard", &wildcard))
		wildcard = 0;
	record_set_bool(a, o, "wildcard", wildcard != 0 || str_starts(host, STR("*.")));
	return derive_answer(a, o, type);
}

static const char *
derive_whois(struct arena *a, struct record_object *o)
{
	struct str domain = record_text(o, "domain");

	if (domain.p == NULL)
		return "domain: is missing or no domain name";
	set_name_parts(a, o, domain, NULL);
	return NULL;
}

/* Rounds towards the earlier day, as SQL's floor does. */
static int64_t
days_between(int64_t from, int64_t to)
{
	int64_t us = to - from, days = us / DAY_US;

	return days - (us % DAY_US < 0);
}

static const char *
derive_certificates(struct arena *a, struct record_object *o)
{
	int64_t from, to;

	if (record_text(o, "fingerprint_sha256").p == NULL)
		return "fingerprint_sha256: is missing or no SHA-256";
	if (!record_int(o, "not_before", &from))
		return "not_before: is missing";
	if (record_int(o, "not_after", &to))
		record_set_int(a, o, "validity_days", days_between(from, to));
	set_apex_domains(a, o, "names");
	return NULL;
}

static void
derive_file(struct arena *a, struct record_object *o)
{
	struct str name = record_text(o, "name");
	const char *slash = memrchr(name.p, '/', name.n);
	struct str last =
	    slash == NULL ? name : (struct str){ slash + 1, (size_t)(name.p + name.n - slash) - 1 };
	const char *dot = memrchr(last.p, '.', last.n);
	size_t n = dot == NULL ? 0 : (size_t)(last.p + last.n - dot) - 1;

	if (record_text(o, "extension").p != NULL || n == 0 || n > 64 || dot == last.p)
		return;
	record_set_text(a, o, "extension", arena_lower(a, (struct str){ dot + 1, n }));
}

/* The path of a URL, without its query and fragment. */
static struct str
path_of_url(struct str url)
{
	struct str authority, path;

	if (!url_split(url, &authority, &path))
		return STR("/");
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '?' || path.p[i] == '#')
			path.n = i;
	return str_starts(path, STR("/")) ? path : STR("/");
}

static const char *
derive_directories(struct arena *a, struct record_object *o)
{
	const struct record_value *list = record_find(o, "files");
	int64_t most = record_kid(o->of, STR("total_size"))->most, total = 0, size;

	if (record_text(o, "host").p == NULL && record_text(o, "ip").p == NULL)
		return "host: an open directory needs a host or an ip";
	if (!record_int(o, "port", &size))
		return "port: is missing";
	if (record_text(o, "path").p == NULL)
		record_set_text(a, o, "path", path_of_url(record_text(o, "url")));
	record_mask_text(a, o, "title");
	record_mask_text(a, o, "server");
	for (size_t i = 0; list != NULL && i < list->objects.n; i++) {
		if (record_text(list->objects.p[i], "name").p == NULL)
			return "files: one has no name";
		record_mask_text(a, list->objects.p[i], "name");
		derive_file(a, list->objects.p[i]);
		if (record_int(list->objects.p[i], "size", &size))
			total += size; /* both are at most 2^53: no overflow */
		if (total > most)
			return "files: the sum of the sizes is out of range";
	}
	if (list == NULL)
		return NULL;
	record_set_int(a, o, "file_count", (int64_t)list->objects.n);
	record_set_int(a, o, "total_size", total);
	return NULL;
}

const char *
record_derive(struct arena *a, struct record *r)
{
	static const char *(*const functions[])(struct arena *, struct record_object *) = {
		[DATASET_HOSTS] = derive_hosts,
		[DATASET_DNS] = derive_dns,
		[DATASET_WHOIS] = derive_whois,
		[DATASET_CERTIFICATES] = derive_certificates,
		[DATASET_REPORTS] = record_derive_report,
		[DATASET_DIRECTORIES] = derive_directories,
	};

	_Static_assert(COUNT(functions) == DATASETS, "each dataset has a function");
	return functions[r->dataset](a, r->root);
}
