/* SPDX-License-Identifier: ISC */
/* Reader of the messages of certstream servers, for surfacectl import certificates: of CaliDog's
   server, and of certstream-server-go and its kin, which add sha256, issuer and a chain in DER.

     {"message_type": "certificate_update",
      "data": {"update_type": "X509LogEntry", "seen": 1581741558.47, "cert_index": 343999487,
               "source": {"url": "ct.googleapis.com/logs/argon2020/"},
               "leaf_cert": {"as_der": "MII...", "sha256": "AB:CD:...", ...}, "chain": [...]}}

   as_der of a PrecertLogEntry is the precertificate. A "lite" stream has no as_der; its other
   members describe the certificate and are stored if sha256 is among them (`fingerprint` is the
   SHA-1). Such a record has no spki_sha256, so its members give way to those of the certificate
   itself when that is imported (tbl/merges.h, PARSED). */
#include "config.h"

#include "cli/import/certificates.h"
#include "cli/import/tool_json.h"

/* https://ct.example/log/ and ct.example/log are one log. */
static struct str
log_name(const struct json_value *source)
{
	struct str url = tool_text(tool_get(source, "url"));

	if (url.p == NULL)
		return tool_text(tool_get(source, "name"));
	for (size_t i = 0; i + 3 < url.n; i++)
		if (memcmp(url.p + i, "://", 3) == 0) {
			url = (struct str){ url.p + i + 3, url.n - i - 3 };
			break;
		}
	while (url.n > 1 && url.p[url.n - 1] == '/')
		url.n--;
	return url;
}

static void
set_seen(struct records *rs, struct record *r, const struct json_value *data)
{
	struct ts seen = tool_seconds(tool_get(data, "seen"));

	record_set_time(rs->a, r->root, "first_seen", seen);
	record_set_time(rs->a, r->root, "last_seen", seen);
}

static void
set_log_entry(struct records *rs, struct record *r, const struct json_value *data)
{
	const struct json_value *number = tool_get(data, "cert_index");
	int64_t index;

	record_set_text(rs->a, r->root, "ct.log", log_name(tool_get(data, "source")));
	if (number != NULL && json_int(number, &index))
		record_set_int(rs->a, r->root, "ct.index", index);
	record_set_time(rs->a, r->root, "ct.seen_at", tool_seconds(tool_get(data, "seen")));
	set_seen(rs, r, data);
}

static void
set_name_members(struct records *rs, struct record *r, const struct json_value *name,
    const char *const members[3])
{
	record_set_text(rs->a, r->root, members[0], tool_text(tool_get(name, "CN")));
	record_set_text(rs->a, r->root, members[1], tool_text(tool_get(name, "O")));
	record_set_text(rs->a, r->root, members[2], tool_text(tool_get(name, "C")));
}

/* Makes the record of a certificate from the members of the message, which has no DER. */
static struct record
describe_leaf(struct records *rs, const struct json_value *data, const struct json_value *leaf)
{
	static const char *const subject[] = { "subject.common_name", "subject.organisation",
		"subject.country_code" };
	static const char *const issuer[] = { "issuer.common_name", "issuer.organisation",
		"issuer.country_code" };
	const struct json_value *by = tool_get(leaf, "issuer");
	struct record r = record_new(rs->a, DATASET_CERTIFICATES);
	struct record_object *o = r.root;

	if (by == NULL)
		by = tool_get(tool_item(tool_get(data, "chain"), 0), "subject");
	record_set_text(rs->a, o, "fingerprint_sha256", tool_text(tool_get(leaf, "sha256")));
	record_set_text(rs->a, o, "serial_number", tool_text(tool_get(leaf, "serial_number")));
	set_name_members(rs, &r, tool_get(leaf, "subject"), subject);
	set_name_members(rs, &r, by, issuer);
	certificate_add_names(rs, &r, tool_get(leaf, "all_domains"));
	record_set_text(
	    rs->a, o, "signature_algorithm", tool_text(tool_get(leaf, "signature_algorithm")));
	record_set_bool(
	    rs->a, o, "precertificate", tool_has(tool_get(data, "update_type"), "PrecertLogEntry"));
	record_set_time(rs->a, o, "not_before", tool_seconds(tool_get(leaf, "not_before")));
	record_set_time(rs->a, o, "not_after", tool_seconds(tool_get(leaf, "not_after")));
	return r;
}

/* False: as_der is malformed, and was reported. */
static bool
parse_der(struct records *rs, struct str base64, struct str *der, struct record *r, uint64_t line)
{
	if (certificate_of_base64(rs->a, base64, der))
		return certificate_parse(rs, false, der, r, line);
	records_bad(rs, line, "as_der: must be base64");
	return false;
}

static void
emit_issuers(struct records *rs, const struct json_value *data, uint64_t line)
{
	const struct json_value *chain = tool_get(data, "chain");

	for (size_t i = 0; i < tool_items(chain) && !rs->stop; i++) {
		struct str base64 = tool_text(tool_get(tool_item(chain, i), "as_der")), der;
		struct record r;

		if (base64.p == NULL || !parse_der(rs, base64, &der, &r, line))
			continue;
		set_seen(rs, &r, data);
		records_emit(rs, &r, der, RECORD_LENIENT, line);
	}
}

static void
read_update(struct records *rs, const struct json_value *data, uint64_t line)
{
	const struct json_value *leaf = tool_get(data, "leaf_cert");
	struct str base64 = tool_text(tool_get(leaf, "as_der")), der = STR_NULL;
	struct record r;

	if (base64.p != NULL) {
		if (!parse_der(rs, base64, &der, &r, line))
			return;
	} else if (tool_text(tool_get(leaf, "sha256")).p != NULL) {
		r = describe_leaf(rs, data, leaf);
	} else {
		records_bad(rs, line, "leaf_cert: has neither as_der nor sha256");
		return;
	}
	set_log_entry(rs, &r, data);
	records_emit(rs, &r, der, RECORD_LENIENT, line);
	if (rs->options.chains && !rs->stop)
		emit_issuers(rs, data, line);
}

/* Many programs store only the member "data" of a message, so an object without message_type is
   read as that member. */
static void
read_message(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	const struct json_value *type = json_get(o, "message_type");

	if (type == NULL && json_get(o, "leaf_cert") != NULL)
		read_update(rs, o, line);
	else if (tool_has(type, "certificate_update"))
		read_update(rs, tool_get(o, "data"), line);
	else if (tool_has(type, "heartbeat") || tool_has(type, "dns_entries"))
		rs->skipped++; /* the names of a certificate alone, and heartbeats */
	else
		records_bad(rs, line, "message_type: must be certificate_update");
}

void
read_certstream(struct records *rs)
{
	records_json(rs, NULL, read_message, rs);
}
