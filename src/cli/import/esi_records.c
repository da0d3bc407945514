/* SPDX-License-Identifier: ISC */
/* The records of assets, services and findings: their fields, their checks and their stored form. */
#include "config.h"

#include "cli/import/esi.h"
#include "json/json.h"
#include "wire/values.h"

enum { SHORT = 500, LONG = 2048, LONGEST = 20000, SHA256_HEX = 64 };

#define WORD(s, m, fl, min, max) TEXT(s, m, (fl) | OMIT_UNSET | TRIM, min, max)
/* Source and times, which all records have. */
#define ORIGIN(s)                                                                                  \
	FIELD(s, first_seen_at, OMIT_UNSET), FIELD(s, last_seen_at, OMIT_UNSET),                   \
	    WORD(s, discovery_channel, 0, 1, SHORT), WORD(s, discovery_provider, 0, 1, SHORT),     \
	    WORD(s, source_name, 0, 1, SHORT), WORD(s, source_ref, 0, 1, SHORT)

/* ---- names ---- */

#define NO_DNS_NAME "a name is no DNS name"

static void
lower_ascii(struct arena *a, struct str *s)
{
	if (s->p != NULL)
		*s = str_lower_ascii(arena_alloc(a, s->n + 1), *s);
}

static const char *
check_address(struct arena *a, struct str *s)
{
	return import_address(a, s) ? NULL : "an address is no IP address";
}

static const char *
check_fingerprint(struct arena *a, struct str *s)
{
	lower_ascii(a, s);
	if (s->n != SHA256_HEX)
		return "a certificate is named by its SHA-256, 64 hexadecimal digits";
	for (size_t i = 0; i < s->n; i++)
		if (strchr("0123456789abcdef", s->p[i]) == NULL)
			return "a certificate is named by its SHA-256, 64 hexadecimal "
			       "digits";
	return NULL;
}

static const char *
asset_name(struct arena *a, struct str kind, struct str *name)
{
	if (str_is(kind, "address"))
		return check_address(a, name);
	if (str_is(kind, "certificate"))
		return check_fingerprint(a, name);
	return import_dns_name(a, name) ? NULL : NO_DNS_NAME;
}

/* metadata must be an object or absent. */
static const char *
metadata_fault(struct json j)
{
	struct str s = j.text.p == NULL ? STR("{") : str_trim(j.text);

	return str_starts(s, STR("{")) ? NULL : "metadata must be an object";
}

/* ---- assets ---- */

struct asset_record {
	struct str kind, name, discovery_channel, discovery_provider, source_name, source_ref;
	struct json metadata;
	struct ts first_seen_at, last_seen_at;
};

static const struct field asset_fields[] = {
	ONE_OF(struct asset_record, kind, REQUIRED | OMIT_UNSET, asset_kinds, NULL),
	WORD(struct asset_record, name, REQUIRED, 1, SHORT),
	FIELD(struct asset_record, metadata, OMIT_UNSET),
	ORIGIN(struct asset_record),
	FIELD_END,
};

static bool
times_cross(struct ts first, struct ts last)
{
	return !ts_is_null(first) && !ts_is_null(last) && ts_cmp(first, last) > 0;
}

static const char *
finish_asset(struct arena *a, void *record)
{
	struct asset_record *r = record;
	const char *fault = asset_name(a, r->kind, &r->name);

	if (times_cross(r->first_seen_at, r->last_seen_at))
		return "first_seen_at is after last_seen_at";
	return fault != NULL ? fault : metadata_fault(r->metadata);
}

static void *
blank_asset(struct arena *a)
{
	return ARENA_NEW(a, struct asset_record);
}

const struct esi_table esi_assets = { asset_fields, blank_asset, finish_asset };

/* ---- services ---- */

struct service_record {
	struct str service_key, asset_kind, asset_name, tls_certificate_sha256, protocol,
	    discovery_channel, discovery_provider, source_name, source_ref, endpoint, hostname, ip,
	    url, product, service_name, version, http_title;
	struct list technologies;
	double confidence; /* -1: absent */
	struct json tls_enabled, metadata;
	int64_t port, http_status_code; /* -1: absent */
	struct ts first_seen_at, last_seen_at, last_observed_at;
};

#define S struct service_record
static const struct field service_fields[] = {
	WORD(S, service_key, 0, 1, SHORT),
	ONE_OF(S, asset_kind, OMIT_UNSET, asset_kinds, NULL),
	WORD(S, asset_name, 0, 1, SHORT),
	WORD(S, tls_certificate_sha256, 0, 1, SHORT),
	WORD(S, protocol, LOWER, 1, SHORT),
	NUMBER(S, confidence, 0, 0, 1, 0),
	LIST_OF(S, technologies, OMIT_UNSET, struct str, 0, SHORT),
	FIELD(S, tls_enabled, OMIT_UNSET),
	FIELD(S, metadata, OMIT_UNSET),
	FIELD(S, last_observed_at, OMIT_UNSET),
	ORIGIN(S),
	WORD(S, endpoint, 0, 1, LONG),
	WORD(S, hostname, 0, 1, IMPORT_NAME + 1),
	WORD(S, ip, 0, 1, SHORT),
	NUMBER(S, port, 0, 0, 65535, -1),
	WORD(S, url, 0, 1, LONG),
	WORD(S, product, 0, 1, SHORT),
	WORD(S, service_name, 0, 1, SHORT),
	WORD(S, version, 0, 1, SHORT),
	NUMBER(S, http_status_code, 0, 100, 999, -1),
	WORD(S, http_title, 0, 0, LONG),
	FIELD_END,
};
#undef S

static const char *
service_names(struct arena *a, struct service_record *r)
{
	const char *fault = NULL;

	if (r->ip.p != NULL)
		fault = check_address(a, &r->ip);
	if (fault == NULL && r->hostname.p != NULL && !import_dns_name(a, &r->hostname))
		fault = NO_DNS_NAME;
	if (fault == NULL && r->tls_certificate_sha256.p != NULL)
		fault = check_fingerprint(a, &r->tls_certificate_sha256);
	return fault;
}

/* The asset of a service: the one that it names, else its host name, else its address. */
static const char *
service_asset(struct arena *a, struct service_record *r)
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
endpoint_of(struct arena *a, const struct service_record *r)
{
	struct str host = r->ip.p != NULL ? r->ip : r->hostname;
	bool colons = host.n > 0 && memchr(host.p, ':', host.n) != NULL;

	if (host.p == NULL || r->port < 0)
		return STR_NULL;
	return arena_printf(a, "%s%.*s%s:%d", colons ? "[" : "", (int)host.n, host.p,
	    colons ? "]" : "", (int)r->port);
}

static const char *
finish_service(struct arena *a, void *record)
{
	struct service_record *r = record;
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
	struct service_record *r = ARENA_NEW(a, struct service_record);

	r->confidence = -1;
	r->port = r->http_status_code = -1;
	r->first_seen_at = r->last_seen_at = r->last_observed_at = TS_NULL;
	return r;
}

const struct esi_table esi_services = { service_fields, blank_service, finish_service };

/* A copy of at most max bytes, cut between two characters; STR_NULL stays STR_NULL. */
static struct str
copy_cut(struct arena *a, struct str s, size_t max)
{
	if (s.n > max)
		s.n = str_utf8_bad((struct str){ s.p, max });
	return s.n == 0 ? STR_NULL : arena_str(a, s);
}

static struct ts
time_of(struct opt a, struct opt b)
{
	if (a.set)
		return (struct ts){ a.v };
	return b.set ? (struct ts){ b.v } : TS_NULL;
}

void *
esi_of_nmap(struct arena *a, const struct import_host *h, const struct import_service *s)
{
	struct service_record *r = blank_service(a);

	r->ip = arena_str(a, h->ip);
	r->asset_kind = STR("address");
	r->asset_name = r->ip;
	r->port = s->port.v;
	r->protocol = copy_cut(a, s->transport, SHORT);
	if (h->hostnames.n > 0)
		r->hostname = copy_cut(a, h->hostnames.p[0], IMPORT_NAME);
	r->service_name = copy_cut(a, s->service_name, SHORT);
	r->product = copy_cut(a, s->product, SHORT);
	r->version = copy_cut(a, s->version, SHORT);
	r->http_title = copy_cut(a, s->http.title, SHORT);
	if (s->http.status_code.set && s->http.status_code.v >= 100)
		r->http_status_code = s->http.status_code.v;
	if (s->tls_enabled.set)
		r->tls_enabled.text = s->tls_enabled.v != 0 ? STR("true") : STR("false");
	if (s->tls.certificate.fingerprint_sha256.n == SHA256_HEX)
		r->tls_certificate_sha256 = arena_str(a, s->tls.certificate.fingerprint_sha256);
	r->first_seen_at = time_of(s->first_seen, h->first_seen);
	r->last_seen_at = time_of(s->last_seen, h->last_seen);
	r->discovery_channel = STR("scan");
	r->discovery_provider = r->source_name = STR("nmap");
	return r;
}

/* ---- findings ---- */

struct finding_record {
	struct str finding_key, finding_type, exposure_kind, title, description, severity,
	    status_note, asset_kind, asset_name, service_key, discovery_channel, discovery_provider,
	    source_name, source_ref;
	struct ts first_seen_at, last_seen_at;
};

#define F struct finding_record
static const struct field finding_fields[] = {
	WORD(F, finding_key, REQUIRED, 1, SHORT),
	WORD(F, finding_type, REQUIRED, 1, 200),
	WORD(F, exposure_kind, 0, 1, 200),
	WORD(F, title, REQUIRED, 1, SHORT),
	WORD(F, description, 0, 1, LONGEST),
	ONE_OF(F, severity, OMIT_UNSET, severities, NULL),
	WORD(F, status_note, 0, 1, LONG),
	ONE_OF(F, asset_kind, OMIT_UNSET, asset_kinds, NULL),
	WORD(F, asset_name, 0, 1, SHORT),
	WORD(F, service_key, 0, 1, SHORT),
	ORIGIN(F),
	FIELD_END,
};
#undef F

static const char *
finish_finding(struct arena *a, void *record)
{
	struct finding_record *r = record;

	if ((r->asset_kind.p == NULL) != (r->asset_name.p == NULL))
		return "asset_kind and asset_name go together";
	if (times_cross(r->first_seen_at, r->last_seen_at))
		return "first_seen_at is after last_seen_at";
	return r->asset_name.p == NULL ? NULL : asset_name(a, r->asset_kind, &r->asset_name);
}

static void *
blank_finding(struct arena *a)
{
	return ARENA_NEW(a, struct finding_record);
}

const struct esi_table esi_findings = { finding_fields, blank_finding, finish_finding };
