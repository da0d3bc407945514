/* SPDX-License-Identifier: ISC */
/* Functions for the readers of DNS tools; dns.h shows the records that a line becomes. */
#include "config.h"

#include "cli/import/dns.h"

#include "address/idn.h"
#include "base/ipnet.h"

bool
dns_time_of_number(int64_t n, struct ts *out)
{
	if (n < 0)
		return false;
	if (n >= INT64_C(100000000000000000))
		out->us = n / 1000;
	else if (n >= INT64_C(100000000000000))
		out->us = n;
	else if (n >= INT64_C(100000000000))
		out->us = n * 1000;
	else
		out->us = n * SECOND_US;
	return ts_is_printable(*out);
}

struct str
dns_quote(struct arena *a, struct str s)
{
	struct buf b = { .a = a };

	buf_char(&b, '"');
	for (size_t i = 0; i < s.n; i++) {
		bool escape = s.p[i] == '\\';

		if (s.p[i] == '"' || (escape && i + 1 == s.n))
			buf_char(&b, '\\');
		buf_char(&b, s.p[i]);
		if (escape && i + 1 < s.n)
			buf_char(&b, s.p[++i]);
	}
	buf_char(&b, '"');
	return buf_done(&b);
}

/* Replaces 192.0.2.1 by 1.2.0.192.in-addr.arpa. False: the name is not an address. */
static bool
reverse_name(struct arena *a, struct str *name)
{
	struct buf b = { .a = a };
	struct ipnet ip;

	if (name->n == 0 || memchr(name->p, '/', name->n) != NULL || !ipnet_parse(*name, &ip))
		return false;
	if (memchr(name->p, ':', name->n) == NULL) {
		for (int i = 15; i >= 12; i--)
			buf_printf(&b, "%d.", ip.a[i]);
		buf_z(&b, "in-addr.arpa");
	} else {
		for (int i = 15; i >= 0; i--)
			buf_printf(&b, "%x.%x.", ip.a[i] & 15, ip.a[i] >> 4);
		buf_z(&b, "ip6.arpa");
	}
	*name = buf_done(&b);
	return true;
}

void
dns_emit(struct records *rs, const struct dns_line *l, uint64_t line)
{
	struct record r = record_new(rs->a, DATASET_DNS);
	struct str host = l->host;

	if (rs->stop)
		return;
	if (str_is_nocase(l->type, "PTR") || str_is_nocase(l->type, "12"))
		(void)reverse_name(rs->a, &host);
	record_set_text(rs->a, r.root, "host", host);
	record_set_text(rs->a, r.root, "record_type", l->type);
	record_set_text(rs->a, r.root, "rcode", l->rcode);
	record_set_text(rs->a, r.root, "answer", l->answer);
	if (l->ttl.set)
		record_set_int(rs->a, r.root, "ttl", l->ttl.v);
	record_set_time(rs->a, r.root, "first_seen", l->seen);
	record_set_time(rs->a, r.root, "last_seen", l->seen);
	records_emit(rs, &r, STR_NULL, RECORD_LENIENT, line);
}

bool
dns_same_name(struct str a, struct str b)
{
	a = name_without_dot(a);
	b = name_without_dot(b);
	return a.n == b.n && a.n > 0 && strncasecmp(a.p, b.p, a.n) == 0;
}

static struct str
next_alias(const struct json_value *records, struct str name, const char *target)
{
	for (size_t i = 0; i < json_length(records); i++) {
		const struct json_value *r = json_at(records, i);

		if (str_is_nocase(json_get_text(r, "type"), "CNAME") &&
		    dns_same_name(json_get_text(r, "name"), name))
			return json_get_text(r, target);
	}
	return STR_NULL;
}

static bool
has_record(const struct json_value *records, struct str name)
{
	for (size_t i = 0; i < json_length(records); i++)
		if (dns_same_name(json_get_text(json_at(records, i), "name"), name))
			return true;
	return false;
}

/* A chain has at most one step for each record, unless it is a ring. */
struct str
dns_missing_name(const struct json_value *records, struct str name, const char *target)
{
	size_t n = records == NULL ? 0 : json_length(records);

	for (size_t steps = 0; steps < n && steps < 64; steps++) {
		struct str next = next_alias(records, name, target);

		if (next.p == NULL)
			break;
		name = next;
	}
	return n > 0 && has_record(records, name) ? STR_NULL : name;
}

bool dns_is_internet(struct str class)
{
	return class.p == NULL || class.n == 0 || str_is_nocase(class, "IN") ||
	       str_is_nocase(class, "1");
}
