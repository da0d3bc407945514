/* SPDX-License-Identifier: ISC */
/* Reader of the listings of nginx with autoindex_format json, for surfacectl import
   open-directories:

     [ { "name":"docs", "type":"directory", "mtime":"Wed, 21 Oct 2026 07:28:00 GMT" },
       { "name":"a.ps1", "type":"file", "mtime":"Wed, 21 Oct 2026 07:28:00 GMT", "size":1042 } ]

   The whole array is one record. The option --url gives its URL, because the listing does not
   contain it. The elements of the array are read one by one, so that a malformed element does not
   spoil the others. The files are collected in an arena that lives as long as the listing.
   Subdirectories are no files: they count as skipped. */
#include "config.h"

#include "cli/import/autoindex.h"

#include "base/limits.h"
#include "cli/import/records.h"
#include "cli/import/tool_json.h"
#include "record/certificate.h"

#include <time.h>

/* ---- the URL ---- */

struct address {
	struct str scheme, host, path;
	int64_t port;
	bool bracketed; /* the host is an IPv6 address */
};

/* Removes the text before the first of the characters from *rest and returns it. */
static struct str
take_until(struct str *rest, const char *stops)
{
	struct str s = { rest->p, 0 };

	while (s.n < rest->n && (rest->p[s.n] == '\0' || strchr(stops, rest->p[s.n]) == NULL))
		s.n++;
	*rest = (struct str){ rest->p + s.n, rest->n - s.n };
	return s;
}

static bool
parse_authority(struct str text, struct address *out)
{
	out->bracketed = str_starts(text, STR("["));
	if (out->bracketed)
		text = (struct str){ text.p + 1, text.n - 1 };
	out->host = take_until(&text, out->bracketed ? "]" : ":");
	if (out->bracketed) {
		if (text.n == 0)
			return false;
		text = (struct str){ text.p + 1, text.n - 1 };
	}
	if (text.n == 0)
		return out->host.n > 0;
	text = (struct str){ text.p + 1, text.n - 1 };
	return out->host.n > 0 && text.n > 0 && ascii_digit(text.p[0]) &&
	       str_int64(text, &out->port) && out->port >= 1 && out->port <= 65535;
}

static bool
parse_listing_url(struct arena *a, struct str url, struct address *out)
{
	struct str rest = url;

	out->scheme = str_lower_ascii(arena_alloc(a, url.n + 1), take_until(&rest, ":"));
	out->port = str_is(out->scheme, "https") ? 443 : 80;
	if (!str_is(out->scheme, "http") && !str_is(out->scheme, "https"))
		return false;
	if (!str_starts(rest, STR("://")))
		return false;
	rest = (struct str){ rest.p + 3, rest.n - 3 };
	if (!parse_authority(take_until(&rest, "/?#"), out))
		return false;
	out->path = take_until(&rest, "?#");
	for (size_t i = 0; i < out->path.n; i++)
		if ((unsigned char)out->path.p[i] <= ' ')
			return false;
	return rest.n == 0;
}

bool
autoindex_record(struct arena *a, struct str url, struct record *out)
{
	struct address at;
	struct ipnet ip;
	int64_t usual;
	struct buf b = { .a = a };
	char text[IPNET_LEN + 1];
	bool is_ip;

	if (!parse_listing_url(a, url, &at))
		return false;
	is_ip = ipnet_parse(at.host, &ip) && ip.bits == 128;
	if (at.bracketed != (is_ip && memchr(at.host.p, ':', at.host.n) != NULL))
		return false;
	if (is_ip) {
		ipnet_print(&ip, text);
		at.host = arena_str(a, str_of(text));
	} else if (certificate_host_name(at.host) && memchr(at.host.p, '*', at.host.n) == NULL) {
		at.host = str_lower_ascii(arena_alloc(a, at.host.n + 1), at.host);
	} else {
		return false;
	}
	usual = str_is(at.scheme, "https") ? 443 : 80;
	buf_printf(&b, "%s%.*s%s", at.bracketed ? "[" : "", (int)at.host.n, at.host.p,
	    at.bracketed ? "]" : "");
	if (at.port != usual)
		buf_printf(&b, ":%d", (int)at.port);
	/* nginx lists a directory only when its URL ends with a slash */
	at.path = arena_printf(
	    a, "%.*s%s", (int)at.path.n, at.path.p, str_ends(at.path, STR("/")) ? "" : "/");
	*out = record_new(a, DATASET_DIRECTORIES);
	record_set_text(a, out->root, "url",
	    arena_printf(a, "%.*s://%.*s%.*s", (int)at.scheme.n, at.scheme.p, (int)b.n, b.p,
		(int)at.path.n, at.path.p));
	record_set_text(a, out->root, is_ip ? "ip" : "host", at.host);
	record_set_int(a, out->root, "port", at.port);
	record_set_text(a, out->root, "path", at.path);
	return true;
}

/* ---- the listing ---- */

/* Takes n digits and the character behind them. */
static bool
take_date_part(struct str *s, size_t n, char end, int *out)
{
	int64_t v;

	if (s->n < n + 1 || s->p[n] != end || s->p[0] == '-' ||
	    !str_int64((struct str){ s->p, n }, &v))
		return false;
	*out = (int)v;
	*s = (struct str){ s->p + n + 1, s->n - n - 1 };
	return true;
}

/* Parses a date of HTTP, "Wed, 21 Oct 2026 07:28:00 GMT", without asking the locale. */
static bool
parse_http_date(struct str s, struct ts *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm = { .tm_mon = -1 };
	struct tm check;
	time_t at;

	if (s.n != 29 || s.p[3] != ',' || s.p[4] != ' ' || !str_ends(s, STR(" GMT")))
		return false;
	s = (struct str){ s.p + 5, s.n - 5 };
	if (!take_date_part(&s, 2, ' ', &tm.tm_mday))
		return false;
	for (int i = 0; i < 12; i++)
		if (memcmp(months + 3 * i, s.p, 3) == 0)
			tm.tm_mon = i;
	s = (struct str){ s.p + 4, s.n - 4 };
	if (tm.tm_mon < 0 || !take_date_part(&s, 4, ' ', &tm.tm_year) ||
	    !take_date_part(&s, 2, ':', &tm.tm_hour) || !take_date_part(&s, 2, ':', &tm.tm_min) ||
	    !take_date_part(&s, 2, ' ', &tm.tm_sec))
		return false;
	tm.tm_year -= 1900;
	check = tm;
	at = timegm(&check);
	out->us = (int64_t)at * SECOND_US;
	/* timegm turns the 31st of February into a day of March */
	return check.tm_mday == tm.tm_mday && check.tm_hour == tm.tm_hour && ts_is_printable(*out);
}

struct listing {
	struct records *rs;
	struct arena *a; /* lives until the end of the file */
	struct record record;
	size_t files, directories;
};

static void
add_listed_file(struct listing *l, struct str name, const struct json_value *o)
{
	const struct json_value *size = json_get(o, "size");
	struct record_object *file = record_nested(l->a, &l->record);
	struct ts at;
	int64_t n;

	record_set_text(l->a, file, "name", arena_str(l->a, name));
	if (size != NULL && json_int(size, &n))
		record_set_int(l->a, file, "size", n);
	if (parse_http_date(tool_text(json_get(o, "mtime")), &at))
		record_set_time(l->a, file, "modified_at", at);
}

static void
read_listing_entry(void *arg, const struct json_value *o, uint64_t line)
{
	struct listing *l = arg;
	const struct json_value *type = json_get(o, "type"), *name = json_get(o, "name");
	bool is_file = tool_has(type, "file");

	if (!is_file && !tool_has(type, "directory") && !tool_has(type, "other")) {
		records_bad(l->rs, line, "type: must be file, directory or other");
		return;
	}
	if (name == NULL || json_type(name) != JSON_STRING || json_text(name).n == 0) {
		records_bad(l->rs, line, "name: must be a string");
		return;
	}
	if (!is_file) {
		l->rs->skipped++;
		l->directories++;
		return;
	}
	if (l->files++ < LIM_LIST)
		add_listed_file(l, json_text(name), o);
}

/* A listing without files is stored too, with file_count 0, because it shows that the directory was
   empty at that time. */
static void
emit_listing(struct listing *l)
{
	/* also when an entry was bad: the others are not all files of the directory */
	record_set_bool(l->a, l->record.root, "truncated",
	    l->files > LIM_LIST || l->files + l->directories < l->rs->read);
	if (l->files == 0) {
		record_set_int(l->a, l->record.root, "file_count", 0);
		record_set_int(l->a, l->record.root, "total_size", 0);
	}
	records_emit(l->rs, &l->record, STR_NULL, RECORD_LENIENT, 1);
}

void
read_autoindex(struct records *rs)
{
	struct listing l = { .rs = rs, .a = arena_new((size_t)1 << 30) };
	struct str head = str_trim(source_peek(rs->src));
	bool array = str_starts(head, STR("["));

	if (!autoindex_record(l.a, rs->options.url, &l.record))
		panic("--url was not checked");
	records_json(rs, NULL, read_listing_entry, &l);
	if (!rs->stop && (l.files > 0 || l.directories > 0 || (array && rs->read == 0)))
		emit_listing(&l);
	arena_free(l.a);
}
