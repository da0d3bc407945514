/* SPDX-License-Identifier: ISC */
/* Reader of the output of tlsx -json, for surfacectl import certificates. A line is one connection:

     {"timestamp": "...", "host": "example.com", "port": "443", "probe_status": true,
      "fingerprint_hash": {"sha256": "..."}, "not_before": "...", ...,        the server's certificate
      "certificate": "-----BEGIN CERTIFICATE-----...",                        with -cert: the same in PEM
      "chain": [{...}, {...}]}                                                with -tls-chain: all certificates

   A certificate in PEM is parsed; otherwise the members describe it, and it needs sha256 and not_before, which
   are its key. The member self_signed is not taken: tlsx sets it for every certificate without a key identifier
   of its issuer, and our field means a verified signature. */
#include "config.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_json.h"

static void
set_told_time(struct records *rs, struct record *r, const char *member, const struct json_value *v)
{
	struct str text = tool_text(v);
	struct ts t;

	if (text.p != NULL && ts_parse(text, &t) &&
	    t.us != TS_OLDEST_US) /* Go's time that is unset */
		record_set_time(rs->a, r->root, member, t);
}

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
	set_told_time(rs, &r, "not_before", tool_get(o, "not_before"));
	set_told_time(rs, &r, "not_after", tool_get(o, "not_after"));
	return r;
}

/* Emits a certificate of a line. o is the line for the server's certificate, or an element of the line's chain. The
   members ctl_source and ctl_index of the line are those of the server's certificate. */
static void
emit_told_certificate(
    struct records *rs, const struct json_value *line, const struct json_value *o, uint64_t at)
{
	const struct json_value *number = tool_get(line, "ctl_index");
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
	set_told_time(rs, &r, "first_seen", tool_get(line, "timestamp"));
	set_told_time(rs, &r, "last_seen", tool_get(line, "timestamp"));
	if (log.p != NULL && o == line) {
		record_set_text(rs->a, r.root, "ct.log", log);
		if (number != NULL && json_int(number, &index))
			record_set_int(rs->a, r.root, "ct.index", index);
		set_told_time(rs, &r, "ct.seen_at", tool_get(line, "timestamp"));
	}
	records_emit(rs, &r, der, RECORD_LENIENT, at);
}

/* A connection that failed has no certificate: probe_status is false, and there is an error. */
static void
read_connection(void *arg, const struct json_value *o, uint64_t at)
{
	struct records *rs = arg;
	const struct json_value *status = json_get(o, "probe_status");
	const struct json_value *chain = json_get(o, "chain");
	bool failed = status != NULL && json_type(status) == JSON_BOOL && !json_bool(status);

	if (failed || (tool_text(json_get(o, "error")).p != NULL &&
			  json_get(o, "fingerprint_hash") == NULL)) {
		rs->skipped++;
		return;
	}
	emit_told_certificate(rs, o, o, at);
	for (size_t i = 0; i < tool_items(chain) && !rs->stop; i++)
		emit_told_certificate(rs, o, tool_item(chain, i), at);
}

void
read_tlsx(struct records *rs)
{
	records_json(rs, NULL, read_connection, rs);
}
