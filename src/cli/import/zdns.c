/* SPDX-License-Identifier: ISC */
/* Reads zdns, one name on each line. A module of zdns is one kind of look-up. A line of version 2
   has the results of each module under the module's name; a line of version 1 has the results of
   one module and not its name:

     2  {"name":"a.org","results":{"A":{"status":"NOERROR","timestamp":"2026-01-02T03:04:05Z","data":{"answers":[...]}},
                                   "MX":{"status":"NXDOMAIN",...}}}
     1  {"name":"a.org","class":"IN","status":"NOERROR","timestamp":"...","data":{"answers":[...]}}

   The members of "data" show what the module looked up, in both versions:

     answers             resource records. zdns writes the presentation form of few types; for the others it is made
                         from the members that the table `forms` lists
     ipv4_addresses ...  ALOOKUP: addresses of the name
     exchanges           MXLOOKUP: mail servers with their addresses; "name" is the name of the mail server
     servers             NSLOOKUP: the same for name servers; AXFR: servers with the records of the zone
     spf, dmarc          the text of one TXT record
     anything else       skipped

   "status" is a response code of DNS or a status of zdns' own, such as TIMEOUT. A result with a
   status of zdns' own is skipped, because no server sent it. A record without an answer needs the
   type that was asked for: the name of the module in version 2, the option --type in version 1. */
#include "config.h"

#include "cli/import/dns.h"

/* The members whose values, in this order, are the presentation form of a type. A value is printed
   in quotes when a quote precedes the member's name. "|" separates two names of one member:
   versions of zdns differ. */
static const struct {
	const char *type, *members;
} forms[] = {
	{ "AFSDB", "subtype hostname" },
	{ "CAA", "flag tag \"value" },
	{ "CDNSKEY", "flags protocol algorithm public_key" },
	{ "CDS", "key_tag algorithm digest_type digest" },
	{ "DNSKEY", "flags protocol algorithm public_key" },
	{ "DS", "key_tag algorithm digest_type digest" },
	{ "HINFO", "\"cpu \"os" },
	{ "KX", "preference answer" },
	{ "LOC", "coordinates" },
	{ "MX", "preference answer" },
	{ "NAPTR", "order preference \"flags \"service \"regexp replacement" },
	{ "NSEC", "next_domain type_bit_map" },
	{ "RP", "mbox txt" },
	{ "SMIMEA", "usage selector matching_type certificate" },
	{ "SOA", "ns mbox serial refresh retry expire min_ttl|minttl" },
	{ "SRV", "priority weight port target" },
	{ "SSHFP", "algorithm type fingerprint" },
	{ "TLSA", "cert_usage selector matching_type certificate" },
	{ "URI", "priority weight \"target" },
	{ "ZONEMD", "serial scheme hash digest" },
};

/* Types whose presentation form cannot be made, because zdns writes too few members. */
static const char *const unprintable[] = { "AMTRELAY", "APL", "CERT", "CSYNC", "HIP", "HTTPS",
	"IPSECKEY", "NSEC3", "NSEC3PARAM", "NXT", "RRSIG", "SIG", "SVCB", "TKEY" };

struct module {
	struct records *rs;
	struct dns_line all; /* with the host and the type of the question; type may be STR_NULL */
	uint64_t line;
};

/* Appends the value of a member; false: the answer has no such member. */
static bool
print_member(
    struct records *rs, struct buf *b, const struct json_value *o, struct str name, bool quoted)
{
	struct str others = name, first = str_until(&others, '|');
	const struct json_value *v = json_get(o, arena_str(rs->a, first).p);
	int64_t n;

	if (v == NULL && others.p != NULL)
		return print_member(rs, b, o, others, quoted);
	if (v == NULL)
		return false;
	if (b->n > 0)
		buf_char(b, ' ');
	if (json_type(v) == JSON_NUMBER && json_int(v, &n))
		buf_printf(b, "%jd", (intmax_t)n);
	else if (json_type(v) == JSON_STRING && quoted)
		buf_str(b, dns_quote(rs->a, json_text(v)));
	else if (json_type(v) == JSON_STRING)
		buf_str(b, json_text(v).n == 0 ? STR(".") : json_text(v));
	else
		return false;
	return true;
}

/* Prints all members of a row of `forms`. False: a member is missing. */
static bool
print_members(struct records *rs, struct buf *b, const struct json_value *o, const char *members)
{
	while (*members != '\0') {
		bool quoted = *members == '"';
		struct str name = { members + quoted, strcspn(members + quoted, " ") };

		if (!print_member(rs, b, o, name, quoted))
			return false;
		members = name.p + name.n + (name.p[name.n] == ' ');
	}
	return true;
}

/* Quotes the character-strings of a TXT record, which zdns joins with newlines; a newline in one of
   them is \010. */
static struct str
text_answer(struct arena *a, struct str text)
{
	struct buf b = { .a = a };

	do {
		if (b.n > 0)
			buf_char(&b, ' ');
		buf_str(&b, dns_quote(a, str_until(&text, '\n')));
	} while (text.p != NULL);
	return buf_done(&b);
}

/* Returns STR_NULL when no presentation form can be made. zdns writes an SPF record as a whole line
   of a zone file. */
static struct str
zdns_answer(struct records *rs, const struct json_value *o, struct str type)
{
	struct str answer = json_get_text(o, "answer");
	struct buf b = { .a = rs->a };
	const char *spf;

	for (size_t i = 0; i < COUNT(unprintable); i++)
		if (str_is_nocase(type, unprintable[i]))
			return STR_NULL;
	for (size_t i = 0; i < COUNT(forms); i++)
		if (str_is_nocase(type, forms[i].type))
			return print_members(rs, &b, o, forms[i].members) ? buf_done(&b) : STR_NULL;
	if (answer.p == NULL)
		return STR_NULL;
	spf = memmem(answer.p, answer.n, "\tSPF\t", 5);
	if (str_is_nocase(type, "SPF") && spf != NULL)
		return (struct str){ spf + 5, answer.n - (size_t)(spf - answer.p) - 5 };
	if (str_is_nocase(type, "TXT") || str_is_nocase(type, "SPF"))
		return text_answer(rs->a, answer);
	return answer;
}

/* Returns the type of a record. SSHFP and CERT have a field "type", which zdns writes over the
   member with the type, so these two are recognised by other members. */
static struct str
type_of_answer(const struct json_value *o)
{
	const struct json_value *type = json_get(o, "type");

	if (type != NULL && json_type(type) == JSON_NUMBER && json_get(o, "fingerprint") != NULL)
		return STR("SSHFP");
	if (json_get(o, "certificate") != NULL && json_get(o, "keytag") != NULL)
		return STR("CERT");
	return json_get_text(o, "type");
}

static void
emit_records(const struct module *m, const struct json_value *list)
{
	for (size_t i = 0; list != NULL && i < json_length(list) && !m->rs->stop; i++) {
		const struct json_value *o = json_at(list, i);
		struct dns_line l = { .seen = m->all.seen };

		if (json_type(o) != JSON_OBJECT) {
			records_bad(m->rs, m->line, "answers: an item is no object");
			continue;
		}
		/* the root is the empty name, which zdns leaves out */
		l.host = json_get_text(o, "name").n > 0 ? json_get_text(o, "name") : STR(".");
		l.type = type_of_answer(o);
		if (l.type.p == NULL) {
			records_bad(m->rs, m->line, "answers: an item has no type");
			continue;
		}
		l.answer = zdns_answer(m->rs, o, l.type);
		l.ttl.set = tool_number(o, "ttl", &l.ttl.v);
		if (l.answer.p == NULL || str_starts(l.type, STR("EDNS")) ||
		    !dns_is_internet(json_get_text(o, "class")))
			m->rs->skipped++;
		else
			dns_emit(m->rs, &l, m->line);
	}
}

static void
emit_one(
    const struct module *m, struct str host, const char *type, struct str answer, struct opt ttl)
{
	struct dns_line l = { host, str_of(type), STR_NULL, answer, ttl, m->all.seen };

	if (!m->rs->stop)
		dns_emit(m->rs, &l, m->line);
}

/* Emits the members ipv4_addresses and ipv6_addresses of o as addresses of the host; returns their
   number. */
static size_t
emit_addresses(const struct module *m, const struct json_value *o, struct str host)
{
	static const char *const names[] = { "ipv4_addresses", "ipv6_addresses" };
	size_t n = 0;

	for (size_t k = 0; k < COUNT(names); k++) {
		const struct json_value *list = tool_list(o, names[k]);

		for (size_t i = 0; list != NULL && i < json_length(list); i++, n++)
			emit_one(m, host, k == 0 ? "A" : "AAAA", json_text(json_at(list, i)),
			    (struct opt){ 0 });
	}
	return n;
}

/* Emits the list of MXLOOKUP or NSLOOKUP. Each item is a record of the line's name, and "name" is
   the record's target. */
static void
emit_targets(const struct module *m, const struct json_value *list, bool mx)
{
	for (size_t i = 0; i < json_length(list) && !m->rs->stop; i++) {
		const struct json_value *o = json_at(list, i);
		struct str target = json_get_text(o, "name"), answer = target;
		struct opt ttl = { 0 };
		int64_t preference;

		if (target.p == NULL) {
			records_bad(m->rs, m->line, "%s: an item has no name",
			    mx ? "exchanges" : "servers");
			continue;
		}
		if (mx && tool_number(o, "preference", &preference))
			answer = arena_printf(
			    m->rs->a, "%jd %.*s", (intmax_t)preference, (int)target.n, target.p);
		ttl.set = tool_number(o, "ttl", &ttl.v);
		emit_one(m, m->all.host, mx ? "MX" : "NS", answer, ttl);
		emit_addresses(m, o, target);
	}
}

static bool
emit_servers(const struct module *m, const struct json_value *servers)
{
	bool transfer = false;

	if (servers == NULL)
		return false;
	for (size_t i = 0; i < json_length(servers); i++) {
		const struct json_value *o = json_at(servers, i);

		if (json_type(o) != JSON_OBJECT || json_get(o, "server") == NULL)
			continue;
		transfer = true;
		emit_records(m, tool_list(o, "records"));
	}
	if (!transfer)
		emit_targets(m, servers, false);
	return true;
}

/* Emits the records of "data". False: it has no member that this reader supports. */
static bool
emit_data(const struct module *m, const struct json_value *data)
{
	static const char *const texts[] = { "spf", "dmarc" };
	bool found = false;

	if (data == NULL || json_type(data) != JSON_OBJECT)
		return false;
	if (tool_list(data, "answers") != NULL) {
		emit_records(m, tool_list(data, "answers"));
		return true;
	}
	if (tool_list(data, "exchanges") != NULL) {
		emit_targets(m, tool_list(data, "exchanges"), true);
		return true;
	}
	if (emit_servers(m, tool_list(data, "servers")))
		return true;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (json_get_text(data, texts[i]).n > 0) {
			emit_one(m, m->all.host, "TXT",
			    text_answer(m->rs->a, json_get_text(data, texts[i])),
			    (struct opt){ 0 });
			found = true;
		}
	return emit_addresses(m, data, m->all.host) > 0 || found;
}

/* True when the name of a module is a type of DNS records, as A is and ALOOKUP is not. */
static bool
is_type(struct arena *a, struct str name)
{
	struct record r = record_new(a, DATASET_DNS);
	struct str what;

	record_set_text(a, r.root, "host", STR("example.org"));
	record_set_text(a, r.root, "record_type", name);
	return name.p != NULL && record_finish(a, &r, RECORD_LENIENT, &what);
}

/* Reads the result of one module, or a line of version 1: o has status, timestamp and data. */
static void
read_module_answers(struct module *m, const struct json_value *o)
{
	static const char *const codes[] = { "FORMERR", "SERVFAIL", "NXDOMAIN", "REFUSED" };
	struct str status = json_get_text(o, "status"), when = json_get_text(o, "timestamp");
	const struct json_value *data = json_get(o, "data");
	bool ok = str_is(status, "NOERROR"), code = ok;
	struct dns_line none;

	m->all.seen = TS_NULL;
	if (when.p != NULL && !ts_parse(when, &m->all.seen)) {
		records_bad(m->rs, m->line, "timestamp: is no time");
		return;
	}
	for (size_t i = 0; i < COUNT(codes); i++)
		code = code || str_is(status, codes[i]);
	if (!code) {
		m->rs->skipped++;
		return;
	}
	if (emit_data(m, data) && ok)
		return;
	if (!is_type(m->rs->a, m->all.type)) {
		m->rs->skipped++;
		return;
	}
	none = m->all;
	none.host = dns_missing_name(tool_list(data, "answers"), none.host, "answer");
	if (none.host.p == NULL)
		return;
	none.rcode = status;
	dns_emit(m->rs, &none, m->line);
}

static bool
read_module_result(void *arg, struct str name, struct json_value *o)
{
	struct module *m = arg;

	m->all.type = name;
	if (json_type(o) == JSON_OBJECT)
		read_module_answers(m, o);
	else
		records_bad(m->rs, m->line, "results: a module must be an object");
	return !m->rs->stop;
}

static void
read_zdns_line(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	const struct json_value *results = json_get(o, "results");
	struct str name = json_get_text(o, "altered_name");
	struct module m = { .rs = rs, .line = line };

	m.all.host = name.n > 0 ? name : json_get_text(o, "name");
	if (m.all.host.p == NULL) {
		records_bad(rs, line, "name: must be a string");
	} else if (results == NULL) {
		m.all.type = rs->options.type;
		if (dns_is_internet(json_get_text(o, "class")))
			read_module_answers(&m, o);
		else
			rs->skipped++;
	} else if (json_type(results) != JSON_OBJECT) {
		records_bad(rs, line, "results: must be an object");
	} else {
		json_each(results, read_module_result, &m);
	}
}

void
read_zdns(struct records *rs)
{
	records_json(rs, NULL, read_zdns_line, rs);
}
