/* SPDX-License-Identifier: ISC */
/* Reader of the output of tlsx -json, for certificates and hosts. A line is one connection:

     {"timestamp": "...", "host": "example.com", "ip": "192.0.2.1", "port": "443", "probe_status":
     true,
      "tls_version": "tls13", "jarm_hash": "...", "sni": "...",
      "fingerprint_hash": {"sha256": "..."}, "not_before": "...", ...,        the server's certificate
      "certificate": "-----BEGIN CERTIFICATE-----...",                        with -cert: the same in PEM
      "chain": [{...}, {...}]}                                                with -tls-chain: all certificates

   A certificate in PEM is parsed; otherwise the members describe it, and as a record of
   certificates it needs sha256 and not_before, which are its key. A line without an address, such
   as one of a log of Certificate Transparency, gives no host. The member self_signed is not taken:
   tlsx sets it for every certificate without a key identifier of its issuer, and our field means a
   verified signature. */
#include "config.h"

#include "cli/import/tlsx.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_host.h"

/* Returns the last text of a list. The last of several organisations is the most specific one. */
static struct str
last_text(const struct json_value *list)
{
	return tool_text(tool_item(list, tool_items(list) - 1));
}

static struct record
describe_certificate(struct records *rs, const struct json_value *o)
{
	struct record r = record_new(rs->a, DATASET_CERTIFICATES);
	struct str name = tool_text(tool_get(o, "subject_cn"));

	record_set_text(rs->a, r.root, "fingerprint_sha256",
	    tool_text(tool_get(tool_get(o, "fingerprint_hash"), "sha256")));
	record_set_text(rs->a, r.root, "serial_number", tool_text(tool_get(o, "serial")));
	record_set_text(rs->a, r.root, "subject.common_name", name);
	record_set_text(
	    rs->a, r.root, "subject.organisation", last_text(tool_get(o, "subject_org")));
	record_set_text(rs->a, r.root, "issuer.common_name", tool_text(tool_get(o, "issuer_cn")));
	record_set_text(rs->a, r.root, "issuer.organisation", last_text(tool_get(o, "issuer_org")));
	if (certificate_common_name(name))
		record_add(rs->a, r.root, "names", name);
	certificate_add_names(rs, &r, tool_get(o, "subject_an"));
	record_set_time(rs->a, r.root, "not_before", tool_member_time(o, "not_before"));
	record_set_time(rs->a, r.root, "not_after", tool_member_time(o, "not_after"));
	return r;
}

/* Emits a certificate of a line. o is the line for the server's certificate, or an element of the
   line's chain. The members ctl_source and ctl_index of the line are those of the server's
   certificate. */
static void
emit_line_certificate(struct records *rs, const struct json_value *line, const struct json_value *o,
    struct ts seen, uint64_t at)
{
	struct str pem = tool_text(tool_get(o, "certificate")), der = STR_NULL;
	struct str log = tool_text(tool_get(line, "ctl_source"));
	struct record r;
	int64_t index;

	if (pem.p == NULL) {
		r = describe_certificate(rs, o);
	} else if (!certificate_of_pem(rs->a, pem, &der)) {
		records_bad(rs, at, "certificate: must be PEM");
		return;
	} else if (!certificate_parse(rs, false, &der, &r, at)) {
		return;
	}
	record_set_time(rs->a, r.root, "first_seen", seen);
	record_set_time(rs->a, r.root, "last_seen", seen);
	if (log.p != NULL && o == line) {
		record_set_text(rs->a, r.root, "ct.log", log);
		if (tool_number(line, "ctl_index", &index))
			record_set_int(rs->a, r.root, "ct.index", index);
		record_set_time(rs->a, r.root, "ct.seen_at", seen);
	}
	records_emit(rs, &r, der, RECORD_LENIENT, at);
}

void
tlsx_emit_certificates(
    struct records *rs, const struct json_value *o, struct ts seen, uint64_t line)
{
	const struct json_value *chain = tool_get(o, "chain");
	struct ts t = tool_member_time(o, "timestamp");

	t = ts_is_null(t) ? seen : t;
	emit_line_certificate(rs, o, o, t, line);
	for (size_t i = 0; i < tool_items(chain) && !rs->stop; i++)
		emit_line_certificate(rs, o, tool_item(chain, i), t, line);
}

/* A certificate that cannot be parsed is left out here, as the other members of the host are right
   without it. */
void
tlsx_set_service(struct records *rs, struct record_object *service, const struct json_value *o)
{
	struct str pem = tool_text(tool_get(o, "certificate")), der;
	struct str name = tool_host_name(tool_text(tool_get(o, "sni")));
	struct record r = describe_certificate(rs, o), parsed;
	const char *why;

	if (pem.p != NULL && certificate_of_pem(rs->a, pem, &der) &&
	    record_certificate(rs->a, false, &der, &parsed, &why))
		r = parsed;
	tool_set_certificate(rs->a, service, &r);
	record_set_text(rs->a, service, "tls.version", tool_text(tool_get(o, "tls_version")));
	tool_set_jarm(rs->a, service, tool_text(tool_get(o, "jarm_hash")));
	if (name.p == NULL)
		name = tool_host_name(tool_text(tool_get(o, "host")));
	if (name.p != NULL)
		record_add(rs->a, service, "extra_names", name);
}

/* False: the line has no address. */
static bool
emit_tlsx_host(struct records *rs, const struct json_value *o, uint64_t line)
{
	struct record r = record_new(rs->a, DATASET_HOSTS);
	struct str ip = tool_text(tool_get(o, "ip"));
	struct record_object *s;
	int64_t port = 0;

	ip = tool_address(rs->a, ip.p != NULL ? ip : tool_text(tool_get(o, "host")));
	if (ip.p == NULL)
		return false;
	record_set_text(rs->a, r.root, "ip", ip);
	tool_seen(rs->a, r.root, tool_member_time(o, "timestamp"));
	if (!tool_number(o, "port", &port))
		port = 0;
	s = tool_service(rs->a, &r, port, STR("tcp"));
	if (s != NULL)
		tlsx_set_service(rs, s, o);
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
	return true;
}

/* A connection that failed has no certificate: probe_status is false, and there is an error. */
static void
read_connection(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	const struct json_value *status = tool_get(o, "probe_status");
	bool failed = status != NULL && json_type(status) == JSON_BOOL && !json_bool(status);
	bool host;

	if (failed || (tool_text(tool_get(o, "error")).p != NULL &&
			  tool_get(o, "fingerprint_hash") == NULL)) {
		rs->skipped++;
		return;
	}
	host = records_want(rs, DATASET_HOSTS) && emit_tlsx_host(rs, o, line);
	if (records_want(rs, DATASET_CERTIFICATES))
		tlsx_emit_certificates(rs, o, TS_NULL, line);
	else if (!host)
		rs->skipped++;
}

void
read_tlsx(struct records *rs)
{
	records_json(rs, NULL, read_connection, rs);
}
