/* SPDX-License-Identifier: ISC */
/* The records of assets, services and findings: their fields, their checks and their stored form.

   A scanner has no UUIDs, so records identify objects by their properties, and SQL finds the UUIDs:

     asset      kind and name                     "host" "www.example.org"; the name in its canonical form
     service    service_key in its project        given, or made from endpoint and protocol: "192.0.2.1:443/tcp"
     finding    finding_key in its project        perhaps with an asset, a service_key, or both

   These keys decide whether a record is new or known. A key that is spelt in two ways would be two
   records; hence names are brought into one form before they are stored. */
#include "config.h"

#include "base/limits.h"
#include "cli/import/esi.h"
#include "json/tree.h"
#include "record/lookup.h"
#include "resource/asset.h"
#include "resource/finding.h"
#include "resource/finding_evidence.h"
#include "resource/origin.h"
#include "resource/service.h"

enum { SHA256_HEX = 64 };

/* ---- names ---- */

#define NO_DNS_NAME "a name is no DNS name"

static const char *
check_address(struct arena *a, struct str *s)
{
	return ipnet_canonical_address(a, s) ? NULL : "an address is no IP address";
}

static const char *
check_fingerprint(struct arena *a, struct str *s)
{
	*s = arena_lower(a, *s);
	if (s->n != SHA256_HEX)
		return "a certificate is named by its SHA-256, 64 hexadecimal digits";
	for (size_t i = 0; i < s->n; i++)
		if (s->p[i] == '\0' || strchr("0123456789abcdef", s->p[i]) == NULL)
			return "a certificate is named by its SHA-256, 64 hexadecimal "
			       "digits";
	return NULL;
}

static bool
is_dns_name(struct arena *a, struct str *name)
{
	return record_canonical(a, DATASET_HOSTS, "ptr", name);
}

static const char *
asset_name(struct arena *a, struct str kind, struct str *name)
{
	if (str_is(kind, "address"))
		return check_address(a, name);
	if (str_is(kind, "certificate"))
		return check_fingerprint(a, name);
	return is_dns_name(a, name) ? NULL : NO_DNS_NAME;
}

/* metadata must be an object or absent. */
static const char *
metadata_fault(struct json j)
{
	struct str s = j.text.p == NULL ? STR("{") : str_trim(j.text);

	return str_starts(s, STR("{")) ? NULL : "metadata must be an object";
}

/* ---- assets ---- */

static bool
times_cross(struct ts first, struct ts last)
{
	return !ts_is_null(first) && !ts_is_null(last) && ts_cmp(first, last) > 0;
}

static const char *
finish_asset(struct arena *a, void *record)
{
	struct asset *r = record;
	const char *fault = asset_name(a, r->kind, &r->name);

	if (times_cross(r->first_seen_at, r->last_seen_at))
		return "first_seen_at is after last_seen_at";
	return fault != NULL ? fault : metadata_fault(r->metadata);
}

static void *
blank_asset(struct arena *a)
{
	return ARENA_NEW(a, struct asset);
}

const struct esi_table esi_assets = { asset_in, blank_asset, finish_asset };

/* ---- services ---- */

static const char *
service_names(struct arena *a, struct imported_service *r)
{
	const char *fault = NULL;

	if (r->ip.p != NULL)
		fault = check_address(a, &r->ip);
	if (fault == NULL && r->hostname.p != NULL && !is_dns_name(a, &r->hostname))
		fault = NO_DNS_NAME;
	if (fault == NULL && r->tls_certificate_sha256.p != NULL)
		fault = check_fingerprint(a, &r->tls_certificate_sha256);
	return fault;
}

/* The asset of a service: the one that it names, else its host name, else its address. */
static const char *
service_asset(struct arena *a, struct imported_service *r)
{
	if ((r->asset_kind.p == NULL) != (r->asset_name.p == NULL))
		return "asset_kind and asset_name go together";
	if (r->asset_name.p != NULL)
		return asset_name(a, r->asset_kind, &r->asset_name);
	if (r->hostname.p == NULL && r->ip.p == NULL)
		return "needs asset_kind and asset_name, a hostname or an ip";
	r->asset_kind = r->hostname.p != NULL ? STR("host") : STR("address");
	r->asset_name = r->hostname.p != NULL ? r->hostname : r->ip;
	return NULL;
}

/* "192.0.2.1:443" or "[2001:db8::1]:443" */
static struct str
endpoint_of(struct arena *a, const struct imported_service *r)
{
	struct str host = r->ip.p != NULL ? r->ip : r->hostname;
	bool colons = host.n > 0 && memchr(host.p, ':', host.n) != NULL;

	if (host.p == NULL || r->port < 0)
		return STR_NULL;
	return arena_printf(a, "%s%.*s%s:%d", colons ? "[" : "", (int)host.n, host.p,
	    colons ? "]" : "", (int)r->port);
}

/* Checks a service and completes it. endpoint and service_key are made from the
   address and port when they are absent, so that two scans of one port are one
   service. A scanner that names its services itself keeps its own key, and its
   services may then be without a port. The key contains the protocol, which is tcp
   when the record has none. */
static const char *
finish_service(struct arena *a, void *record)
{
	struct imported_service *r = record;
	const char *fault = service_names(a, r);
	struct str tls = r->tls_enabled.text, end;

	if (fault == NULL)
		fault = service_asset(a, r);
	if (fault == NULL)
		fault = metadata_fault(r->metadata);
	if (fault != NULL)
		return fault;
	if (tls.p != NULL && !str_is(tls, "true") && !str_is(tls, "false"))
		return "tls_enabled must be true or false";
	if (times_cross(r->first_seen_at, r->last_seen_at))
		return "first_seen_at is after last_seen_at";
	end = endpoint_of(a, r);
	if (r->endpoint.p == NULL)
		r->endpoint = end;
	if (r->service_key.p != NULL)
		return NULL;
	if (end.p == NULL)
		return "needs a service_key, or a port and an ip or hostname";
	r->service_key = arena_printf(a, "%.*s/%.*s", (int)end.n, end.p,
	    r->protocol.p == NULL ? 3 : (int)r->protocol.n,
	    r->protocol.p == NULL ? "tcp" : r->protocol.p);
	return NULL;
}

static void *
blank_service(struct arena *a)
{
	struct imported_service *r = ARENA_NEW(a, struct imported_service);

	r->confidence = -1;
	r->port = r->http_status_code = -1;
	r->first_seen_at = r->last_seen_at = r->last_observed_at = TS_NULL;
	return r;
}

const struct esi_table esi_services = { service_in, blank_service, finish_service };

/* A copy of at most max bytes, cut between two characters; STR_NULL stays STR_NULL. */
static struct str
copy_cut(struct arena *a, struct str s, size_t max)
{
	if (s.n > max)
		s.n = str_utf8_bad((struct str){ s.p, max });
	return s.n == 0 ? STR_NULL : arena_str(a, s);
}

/* The time of the service, or else of its host. */
static struct ts
time_of_record(
    const struct record_object *host, const struct record_object *service, const char *name)
{
	int64_t us;

	return record_int(service, name, &us) || record_int(host, name, &us) ? (struct ts){ us }
									     : TS_NULL;
}

static struct str
short_text(struct arena *a, const struct record_object *o, const char *name)
{
	return copy_cut(a, record_text(o, name), IMPORTED_SHORT);
}

void *
esi_of_nmap(struct arena *a, const struct record_object *host, const struct record_object *s)
{
	struct imported_service *r = blank_service(a);
	struct str fingerprint = record_text(s, "tls.certificate.fingerprint_sha256");
	const struct str *names;
	int64_t n;

	r->ip = arena_str(a, record_text(host, "ip"));
	r->asset_kind = STR("address");
	r->asset_name = r->ip;
	if (record_int(s, "port", &n))
		r->port = n;
	r->protocol = short_text(a, s, "transport");
	if (record_texts(host, "hostnames", &names) > 0)
		r->hostname = copy_cut(a, names[0], LIM_DNS_NAME);
	r->service_name = short_text(a, s, "service_name");
	r->product = short_text(a, s, "product");
	r->version = short_text(a, s, "version");
	r->http_title = short_text(a, s, "http.title");
	if (record_int(s, "http.status_code", &n) && n >= 100)
		r->http_status_code = n;
	if (record_int(s, "tls_enabled", &n))
		r->tls_enabled.text = n != 0 ? STR("true") : STR("false");
	if (fingerprint.n == SHA256_HEX)
		r->tls_certificate_sha256 = arena_str(a, fingerprint);
	r->first_seen_at = time_of_record(host, s, "first_seen");
	r->last_seen_at = time_of_record(host, s, "last_seen");
	r->discovery_channel = STR("scan");
	r->discovery_provider = r->source_name = STR("nmap");
	return r;
}

/* ---- findings ---- */

/* Writes a confidence as the double that it is stored as; JSON may spell numbers that no double
   has. */
static const char *
finish_confidence(struct arena *a, struct json *confidence)
{
	const struct json_value *v;
	struct buf b = { .a = a };

	if (confidence->text.p == NULL)
		return NULL;
	v = json_parse(a, confidence->text);
	if (v == NULL || json_type(v) != JSON_NUMBER || json_num(v) < 0 || json_num(v) > 1)
		return "confidence must be a number from 0 to 1";
	json_write_num(&b, json_num(v));
	confidence->text = buf_done(&b);
	return NULL;
}

/* A record of absence needs nothing but the key of the finding that the data contradict. */
static const char *
finish_finding(struct arena *a, void *record)
{
	struct finding *r = record;
	const char *fault;

	if (!r->absent && r->finding_type.p == NULL)
		return "finding_type is required";
	if (!r->absent && r->title.p == NULL)
		return "title is required";
	fault = finish_confidence(a, &r->confidence);
	if (fault == NULL && r->evidence.text.p != NULL)
		fault = finding_evidence(a, &r->evidence);
	if (fault != NULL)
		return fault;

	if ((r->asset_kind.p == NULL) != (r->asset_name.p == NULL))
		return "asset_kind and asset_name go together";
	if (times_cross(r->first_seen_at, r->last_seen_at))
		return "first_seen_at is after last_seen_at";
	return r->asset_name.p == NULL ? NULL : asset_name(a, r->asset_kind, &r->asset_name);
}

static void *
blank_finding(struct arena *a)
{
	return ARENA_NEW(a, struct finding);
}

const struct esi_table esi_findings = { finding_in, blank_finding, finish_finding };
