/* SPDX-License-Identifier: ISC */
/* The reader of ndjson, and the functions that all readers of records share.

     records_next    counts an entry and resets the arena: the entry before is gone
     records_text    takes the next value of a format that is JSON, and reports a value that does not end
     records_json    reads all values of a format that is JSON
     records_emit    adds --source and --seen, finishes the record and hands it to the importer
     records_bad     reports an entry with its line; control characters of the file become question marks

   ndjson is our own format and strict: the members of a record are those of its table. Formats of
   tools are lenient: members that are unknown are left out. */
#include "config.h"

#include "cli/import/records.h"

#include "cli/import/json_values.h"
#include "json/json.h"

bool
records_want(const struct records *rs, enum dataset d)
{
	return rs->dataset == d || (rs->also & 1u << d) != 0;
}

bool
records_next(struct records *rs)
{
	if (rs->stop)
		return false;
	rs->read++;
	arena_reset(rs->a);
	return true;
}

void
records_bad(struct records *rs, uint64_t line, const char *fmt, ...)
{
	char what[512];
	int n = 0;
	va_list ap;

	if (rs->element > 0)
		n = snprintf(what, sizeof(what),
		    "element %ju at byte %ju: ", (uintmax_t)rs->element, (uintmax_t)rs->byte);
	va_start(ap, fmt);
	if (n < 0 || vsnprintf(what + n, sizeof(what) - (size_t)n, fmt, ap) < 0)
		panic("vsnprintf failed");
	va_end(ap);
	/* The message may quote the file, which must not control the terminal. C2 80 to C2 9F are
	   the control characters C1 in UTF-8. */
	for (unsigned char *c = (unsigned char *)what; *c != '\0'; c++)
		if (*c < ' ' || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
			*c = '?';
	rs->bad(rs->arg, line, str_of(what));
}

void
records_emit(
    struct records *rs, struct record *r, struct str der, enum record_manner manner, uint64_t line)
{
	struct str what;

	if (rs->stop)
		return;
	if (rs->origin.p != NULL && r->dataset == DATASET_DNS &&
	    record_texts(r->root, "source", &(const struct str *){ NULL }) == 0)
		record_add(rs->a, r->root, "source", rs->origin);
	if (!record_finish(rs->a, r, manner, &what)) {
		records_bad(rs, line, "%.*s", (int)what.n, what.p);
		return;
	}
	if (!ts_is_null(rs->seen))
		record_seen(r, rs->seen);
	if (!rs->take(rs->arg, r, der))
		rs->stop = true;
}

bool
records_text(struct records *rs, struct json_values *v, struct str *text)
{
	for (;;) {
		enum json_values_next how = json_values_next(v, text);

		rs->element = how == JSON_VALUES_END ? 0 : v->element;
		rs->byte = v->byte;
		if (how == JSON_VALUES_END || !records_next(rs))
			return false;
		if (how == JSON_VALUE)
			return true;
		if (how == JSON_VALUE_TOO_LONG)
			records_bad(rs, v->line, "the record is longer than %d bytes", IMPORT_LINE);
		else
			records_bad(rs, v->line, "no valid JSON: the record does not end");
	}
}

void
read_ndjson(struct records *rs)
{
	struct json_values v;
	struct str text, what;
	struct record r;

	json_values_open(&v, rs->src, NULL);
	while (records_text(rs, &v, &text)) {
		if (record_parse(rs->a, rs->dataset, text, RECORD_STRICT, &r, &what))
			records_emit(rs, &r, STR_NULL, RECORD_STRICT, v.line);
		else
			records_bad(rs, v.line, "%.*s", (int)what.n, what.p);
	}
	json_values_close(&v);
}

void
records_no_ports(struct records *rs, uint64_t line)
{
	if (rs->authoritative && !rs->stop)
		records_bad(rs, line,
		    "the file does not name the ports that were scanned, and --authoritative needs "
		    "them; no service was removed");
}

void
records_json(struct records *rs, const char *member, records_value *take, void *arg)
{
	struct json_fault fault;
	struct json_values v;
	struct str text;

	json_values_open(&v, rs->src, member);
	while (records_text(rs, &v, &text)) {
		const struct json_value *o = json_parse_with_fault(rs->a, text, &fault);

		if (o == NULL)
			records_bad(
			    rs, v.line, "no valid JSON at byte %zu: %s", fault.at + 1, fault.what);
		else if (json_type(o) != JSON_OBJECT)
			records_bad(rs, v.line, "must be an object");
		else
			take(arg, o, v.line);
	}
	json_values_close(&v);
}
