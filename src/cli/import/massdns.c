/* SPDX-License-Identifier: ISC */
/* Reads massdns -o J, one answer of a resolver on each line:

     {"name":"a.org.","type":"A","class":"IN","status":"NOERROR","rx_ts":1700000000123456789,
      "data":{"answers":[{"ttl":60,"type":"A","class":"IN","name":"a.org.","data":"192.0.2.1"}],
              "authorities":[...]},"resolver":"192.0.2.53:53","proto":"UDP"}
     {"name":"b.org.","type":"A","class":"IN","error":"TIMEOUT"}

   Programs that convert massdns' output may write types and codes in lower case and add members.
   massdns writes the presentation form of a few types (the list `printed`). The data of every other
   type is the bytes of the record, in which \xHH replaces a byte that is not printable; raw_answer
   converts it to the generic form of RFC 3597. In place of the flags of a CAA record, massdns
   writes its critical bit, 0 or 1. A text of TXT has no quotes; releases before 1.1.0 write each
   character-string in quotes with a blank behind it, and the quotes within it as they are. */
#include "config.h"

#include "cli/import/dns.h"

static const char *const printed[] = { "A", "AAAA", "CNAME", "DNAME", "MX", "NS", "PTR", "SMIMEA",
	"SOA", "SRV", "TLSA", "TXT", "CAA" };

static bool
is_printed(struct str type)
{
	for (size_t i = 0; i < COUNT(printed); i++)
		if (str_is_nocase(type, printed[i]))
			return true;
	return false;
}

/* Returns the bytes of a record in the generic form of RFC 3597: \# 2 C0FF. */
static struct str
raw_answer(struct arena *a, struct str data)
{
	struct buf hex = { .a = a };

	for (size_t i = 0; i < data.n; i++) {
		unsigned char c = (unsigned char)data.p[i];

		if (c == '\\' && i + 3 < data.n && data.p[i + 1] == 'x' &&
		    ascii_hex(data.p[i + 2]) >= 0 && ascii_hex(data.p[i + 3]) >= 0) {
			c = (unsigned char)(ascii_hex(data.p[i + 2]) * 16 +
					    ascii_hex(data.p[i + 3]));
			i += 3;
		}
		buf_printf(&hex, "%02X", c);
	}
	return arena_printf(a, "\\# %zu %.*s", hex.n / 2, (int)hex.n, hex.n == 0 ? "" : hex.p);
}

static bool
is_quoted_text(struct str data)
{
	return str_starts(data, STR("\"")) && str_ends(data, STR("\" ")) && data.n >= 3;
}

/* Quotes the character-strings of an old release again: "a" "say "hi"" and a blank. */
static struct str
requote(struct arena *a, struct str data)
{
	struct buf b = { .a = a };

	for (struct str rest = { data.p + 1, data.n - 1 }; rest.n > 0;) {
		const char *next = memmem(rest.p, rest.n, "\" \"", 3);
		size_t n = next != NULL ? (size_t)(next - rest.p) : rest.n - 2, used = n + 3;

		if (b.n > 0)
			buf_char(&b, ' ');
		buf_str(&b, dns_quote(a, (struct str){ rest.p, n }));
		if (next == NULL)
			break;
		rest = (struct str){ rest.p + used, rest.n - used };
	}
	return buf_done(&b);
}

static struct str
massdns_answer(struct arena *a, struct str type, struct str data)
{
	if (!is_printed(type))
		return raw_answer(a, data);
	if (str_is_nocase(type, "CAA") && str_starts(data, STR("1 ")))
		return arena_printf(a, "128%.*s", (int)data.n - 1, data.p + 1);
	if (str_is_nocase(type, "TXT"))
		return is_quoted_text(data) ? requote(a, data) : dns_quote(a, data);
	return data;
}

static void
emit_section(
    struct records *rs, const struct json_value *list, const struct dns_line *all, uint64_t line)
{
	for (size_t i = 0; list != NULL && i < json_length(list) && !rs->stop; i++) {
		const struct json_value *r = json_at(list, i);
		struct dns_line l = *all;
		struct str data = json_get_text(r, "data");

		if (!dns_is_internet(json_get_text(r, "class"))) {
			rs->skipped++;
			continue;
		}
		l.host = json_get_text(r, "name");
		l.type = json_get_text(r, "type");
		if (l.type.p == NULL || data.p == NULL) {
			records_bad(rs, line, "data: a record has no type or no data");
			continue;
		}
		l.answer = massdns_answer(rs->a, l.type, data);
		l.ttl.set = tool_number(r, "ttl", &l.ttl.v);
		dns_emit(rs, &l, line);
	}
}

static void
read_massdns_line(void *arg, const struct json_value *o, uint64_t line)
{
	struct records *rs = arg;
	const struct json_value *data = json_get(o, "data"), *answers;
	struct dns_line all = { .seen = TS_NULL }, none;
	struct str name = json_get_text(o, "name"), status = json_get_text(o, "status");
	int64_t stamp;

	if (json_get(o, "error") != NULL || !dns_is_internet(json_get_text(o, "class"))) {
		rs->skipped++;
		return;
	}
	if (name.p == NULL || json_get_text(o, "type").p == NULL) {
		records_bad(rs, line, "%s: must be a string", name.p == NULL ? "name" : "type");
		return;
	}
	if (json_get(o, "rx_ts") != NULL &&
	    (!tool_number(o, "rx_ts", &stamp) || !dns_time_of_number(stamp, &all.seen))) {
		records_bad(rs, line, "rx_ts: is no time");
		return;
	}
	answers = tool_list(data, "answers");
	emit_section(rs, answers, &all, line);
	if (rs->options.authorities)
		emit_section(rs, tool_list(data, "authorities"), &all, line);
	if (answers != NULL && (status.n == 0 || str_is_nocase(status, "NOERROR")))
		return;
	none = all;
	none.host = dns_missing_name(answers, name, "data");
	if (none.host.p == NULL)
		return;
	none.type = json_get_text(o, "type");
	none.rcode = status;
	dns_emit(rs, &none, line);
}

void
read_massdns(struct records *rs)
{
	records_json(rs, NULL, read_massdns_line, rs);
}
