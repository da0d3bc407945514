/* SPDX-License-Identifier: ISC */
/* Reads dnsx -json, one name on each line:

     {"host":"www.a.org","ttl":60,"resolver":["192.0.2.53:53"],"a":["192.0.2.1"],"cname":["web.b.org"],
      "all":["www.a.org.\t60\tIN\tCNAME\tweb.b.org.","web.b.org.\t60\tIN\tA\t192.0.2.1"],
      "status_code":"NOERROR","timestamp":"2026-01-02T03:04:05.678901234Z"}

   "all" has complete records, so where it is present the other lists are ignored. The other lists,
   such as "a", lack the owner, the ttl and parts of the records: an address behind an alias belongs
   to the alias's target, and MX has no preference. They are read so:

     cname     the first one is the alias of host. The further ones are skipped, and so are all addresses, because
               their owners are unknown
     soa       an object contains its owner. A flat list of names has two for each SOA and lacks the numbers; it is
               skipped, because the record would be another one than the whole SOA that other tools give
     srv, caa  skipped, because they have only a target or a value
     ttl       belongs to one record of the line, so it is used only when the line has exactly one

   A line does not contain the types that were asked for. */
#include "config.h"

#include "cli/import/dns.h"

/* Takes the next word, which is empty at the end of the text. */
static struct str
take_zone_word(struct str *s)
{
	struct str word;

	(void)str_word(s, " 	", &word);
	return word;
}

/* Emits a record in the form of a zone file. Lines of EDNS are comments: they begin with a
   semicolon, perhaps behind a newline. */
static void
emit_zone_line(struct records *rs, struct str text, const struct dns_line *all, uint64_t line)
{
	struct dns_line l = *all;
	struct str class;

	text = str_trim(text);
	if (text.n == 0 || text.p[0] == ';')
		return;
	l.host = take_zone_word(&text);
	l.ttl.set = str_int64(take_zone_word(&text), &l.ttl.v);
	class = take_zone_word(&text);
	l.type = take_zone_word(&text);
	l.answer = str_trim(text);
	if (!dns_is_internet(class))
		rs->skipped++;
	else if (!l.ttl.set || l.answer.n == 0)
		records_bad(rs, line, "all: an item is no record of a zone file");
	else
		dns_emit(rs, &l, line);
}

static size_t
count_items(const struct json_value *o, const char *name)
{
	const struct json_value *list = tool_list(o, name);

	return list == NULL ? 0 : json_length(list);
}

/* Emits the first items of a list, at most `most`. */
static void
emit_list(struct records *rs, const struct json_value *o, const char *name, size_t most,
    const struct dns_line *all, uint64_t line)
{
	const struct json_value *list = tool_list(o, name);
	char type[8] = "";

	for (size_t i = 0; i < sizeof(type) - 1 && name[i] != '\0'; i++)
		type[i] = (char)(name[i] - 32);
	for (size_t i = 0; list != NULL && i < json_length(list) && i < most && !rs->stop; i++) {
		struct dns_line l = *all;

		l.type = str_of(type);
		l.answer = json_text(json_at(list, i));
		if (strcmp(type, "TXT") == 0)
			l.answer = dns_quote(rs->a, l.answer);
		dns_emit(rs, &l, line);
	}
}

/* Emits an SOA from an object. dnsx omits numbers that are zero. */
static void
emit_soa_object(
    struct records *rs, const struct json_value *o, const struct dns_line *all, uint64_t line)
{
	static const char *const numbers[] = { "serial", "refresh", "retry", "expire", "minttl" };
	struct str name = json_get_text(o, "name"), ns = json_get_text(o, "ns"),
		   mailbox = json_get_text(o, "mailbox");
	struct buf answer = { .a = rs->a };
	struct dns_line l = *all;

	buf_printf(&answer, "%.*s %.*s", (int)ns.n, ns.n == 0 ? "" : ns.p, (int)mailbox.n,
	    mailbox.n == 0 ? "" : mailbox.p);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		int64_t n = 0;

		if (!tool_number(o, numbers[i], &n))
			n = 0;
		buf_printf(&answer, " %jd", (intmax_t)n);
	}
	l.host = name.n > 0 ? name : all->host;
	l.type = STR("SOA");
	l.answer = buf_done(&answer);
	dns_emit(rs, &l, line);
}

static void
emit_soa(struct records *rs, const struct json_value *o, const struct dns_line *all, uint64_t line)
{
	const struct json_value *list = tool_list(o, "soa");
	size_t n = list == NULL ? 0 : json_length(list);

	for (size_t i = 0; i < n && !rs->stop; i++) {
		const struct json_value *item = json_at(list, i);

		if (json_type(item) == JSON_OBJECT)
			emit_soa_object(rs, item, all, line);
		else
			rs->skipped += i % 2; /* two names are one SOA */
	}
}

/* Emits the lists of a line without "all". */
static void
emit_lists(struct records *rs, const struct json_value *o, struct dns_line *all, uint64_t line)
{
	static const char *const plain[] = { "mx", "ns", "ptr", "txt" };
	size_t alias = count_items(o, "cname"), addresses, records;

	addresses = count_items(o, "a") + count_items(o, "aaaa");
	records = (alias > 0) + (alias > 0 ? 0 : addresses) + count_items(o, "soa");
	for (size_t i = 0; i < COUNT(plain); i++)
		records += count_items(o, plain[i]);
	all->ttl.set = records == 1 && tool_number(o, "ttl", &all->ttl.v);
	emit_list(rs, o, "cname", 1, all, line);
	if (alias == 0) {
		emit_list(rs, o, "a", SIZE_MAX, all, line);
		emit_list(rs, o, "aaaa", SIZE_MAX, all, line);
	} else {
		rs->skipped += alias - 1 + addresses;
	}
	for (size_t i = 0; i < COUNT(plain); i++)
		emit_list(rs, o, plain[i], SIZE_MAX, all, line);
	emit_soa(rs, o, all, line);
	rs->skipped += count_items(o, "srv") + count_items(o, "caa");
}

/* Whether a record of the line belongs to the name. */
static bool
owns_record(const struct json_value *o, struct str name)
{
	const struct json_value *all = tool_list(o, "all");

	for (size_t i = 0; all != NULL && i < json_length(all); i++) {
		struct str text = json_text(json_at(all, i));

		if (dns_same_name(take_zone_word(&text), name))
			return true;
	}
	return false;
}

/* True when the line has a record of the host itself. An SOA may belong to a zone above the
   host. */
static bool
has_answers(const struct json_value *o, struct str host)
{
	static const char *const lists[] = { "a", "aaaa", "cname", "mx", "ns", "ptr", "txt", "srv",
		"caa" };
	const struct json_value *soa = tool_list(o, "soa");

	for (size_t i = 0; i < COUNT(lists); i++)
		if (count_items(o, lists[i]) > 0)
			return true;
	if (owns_record(o, host))
		return true;
	for (size_t i = 0; soa != NULL && i < json_length(soa); i++) {
		const struct json_value *item = json_at(soa, i);

		if (json_type(item) != JSON_OBJECT ||
		    dns_same_name(json_get_text(item, "name"), host))
			return true;
	}
	return false;
}

/* Returns the last name of the chain of aliases, to which the response code belongs. STR_NULL: this
   name has a record, so it exists; the aliases may be a ring. */
static struct str
missing_name(const struct json_value *o, struct str host)
{
	size_t n = count_items(o, "cname");
	const struct json_value *list = n == 0 ? NULL : json_get(o, "cname");
	struct str last = n == 0 ? STR_NULL : json_text(json_at(list, n - 1));

	if (last.n == 0)
		return host;
	if (dns_same_name(last, host) || owns_record(o, last))
		return STR_NULL;
	for (size_t i = 0; i + 1 < n; i++)
		if (dns_same_name(json_text(json_at(list, i)), last))
			return STR_NULL;
	return last;
}

static void
read_dnsx_line(void *arg, const struct json_value *o, uint64_t line)
{
	const struct json_value *all = tool_list(o, "all"), *file = json_get(o, "hosts_file");
	struct records *rs = arg;
	struct str rcode = json_get_text(o, "status_code"), when = json_get_text(o, "timestamp");
	struct dns_line l = { .host = json_get_text(o, "host"), .seen = TS_NULL };
	bool error = rcode.n > 0 && !str_is(rcode, "NOERROR");

	if (l.host.p == NULL) {
		records_bad(rs, line, "host: must be a string");
		return;
	}
	if (when.p != NULL && !ts_parse(when, &l.seen)) {
		records_bad(rs, line, "timestamp: is no time");
		return;
	}
	if (file != NULL && json_bool(file)) { /* from /etc/hosts and not from DNS */
		rs->skipped++;
		return;
	}
	for (size_t i = 0; all != NULL && i < json_length(all) && !rs->stop; i++)
		emit_zone_line(rs, json_text(json_at(all, i)), &l, line);
	if (all == NULL)
		emit_lists(rs, o, &l, line);
	if (!error && has_answers(o, l.host))
		return;
	if (rs->options.type.p == NULL) {
		rs->skipped++;
		return;
	}
	l.ttl.set = false;
	l.host = missing_name(o, l.host);
	if (l.host.p == NULL)
		return;
	l.type = rs->options.type;
	l.rcode = rcode;
	dns_emit(rs, &l, line);
}

void
read_dnsx(struct records *rs)
{
	records_json(rs, NULL, read_dnsx_line, rs);
}
