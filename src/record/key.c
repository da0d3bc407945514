/* SPDX-License-Identifier: ISC */
/* The keys of records: bytes whose order, compared as unsigned bytes, is the order of the dataset's
 * answers.
 *
 *   hosts         4 or 6 | 4 or 16 bytes of the address              IPv4 before IPv6, by value
 *   dns           rev(host) | type (2) | rcode (2) | hash (16)       hash: SHA-256 of the answer; all zero without one
 *   whois         rev(domain)
 *   certificates  ~t (8) | SHA-256 of the certificate (32)           newest first
 *   reports       ~t (8) | UUID (16)                                 newest first; t may change
 *   directories   rev(host), or 2 | as hosts | port (2) | hash (16)  hash: SHA-256 of the path
 *
 * rev(www.example.org) is  org 01 example 01 www 01 00: the labels from the right. A label is
 * followed by 01, which no label contains, so a name is next to the names below it; the name ends
 * with 00, so it comes before them. ~t is the complement of the time, so later times come first. */
#include "config.h"

#include "record/lookup.h"
#include "record/record_priv.h"

#include <openssl/sha.h>

enum { LABEL_END = 1, NAME_END = 0, ADDRESS_MARK = 2, HASH = 16, FINGERPRINT = 32, TIME_BYTES = 8 };

/* ---- parts of keys ---- */

static void
add_key_number(struct buf *b, uint64_t v, size_t bytes)
{
	while (bytes-- > 0)
		buf_char(b, (char)(v >> (8 * bytes)));
}

static void
add_key_name(struct buf *b, struct str name)
{
	if (str_is(name, ".")) /* the root has no labels */
		name.n = 0;
	while (name.n > 0) {
		const char *dot = memrchr(name.p, '.', name.n);
		size_t from = dot == NULL ? 0 : (size_t)(dot - name.p) + 1;

		buf_add(b, name.p + from, name.n - from);
		buf_char(b, LABEL_END);
		name.n = from == 0 ? 0 : from - 1;
	}
	buf_char(b, NAME_END);
}

static void
add_key_address(struct buf *b, struct str text)
{
	struct ipnet ip;
	bool v6 = memchr(text.p, ':', text.n) != NULL;

	if (!ipnet_parse(text, &ip))
		panic("%.*s is no address", (int)text.n, text.p);
	buf_char(b, v6 ? 6 : 4);
	buf_add(b, ip.a + (v6 ? 0 : 12), v6 ? 16 : 4);
}

struct str
record_key_host(struct arena *a, struct str address)
{
	struct buf b = { .a = a };
	struct ipnet ip;

	if (!ipnet_parse(address, &ip))
		return STR_NULL;
	add_key_address(&b, address);
	return buf_done(&b);
}

/* The answers of certificates and reports begin with the newest, but keys are compared as unsigned
   bytes, smallest first. The time is mapped in two steps:

     signed microseconds     -1        0         1
     plus 2^63               7fff...   8000...   8000...01     unsigned, the same order
     complement              8000...   7fff...   7fff...fe     the opposite order

   take_time is the reverse. A date before 1970 is a negative number, and is ordered correctly,
   too. */
static void
add_newest_first(struct buf *b, const struct record_object *o, const char *name)
{
	int64_t us = 0;

	if (!record_int(o, name, &us))
		panic("a finished record has no %s", name);
	add_key_number(b, ~((uint64_t)us ^ (UINT64_C(1) << 63)), TIME_BYTES);
}

static void
add_hash(struct buf *b, struct str s)
{
	unsigned char sum[SHA256_DIGEST_LENGTH] = { 0 };

	if (s.p != NULL)
		SHA256((const unsigned char *)s.p, s.n, sum);
	buf_add(b, sum, HASH);
}

static void
make_address(struct buf *b, const struct record_object *o)
{
	add_key_address(b, record_text(o, "ip"));
}

static void
make_dns(struct buf *b, const struct record_object *o)
{
	add_key_name(b, record_text(o, "host"));
	add_key_number(b, record_dns_type(record_text(o, "record_type")), 2);
	add_key_number(b, record_dns_rcode(record_text(o, "rcode")), 2);
	add_hash(b, record_text(o, "answer"));
}

static void
make_domain(struct buf *b, const struct record_object *o)
{
	add_key_name(b, record_text(o, "domain"));
}

static void
make_certificate(struct buf *b, const struct record_object *o)
{
	unsigned char sum[FINGERPRINT];

	add_newest_first(b, o, "not_before");
	if (!hex_parse(record_text(o, "fingerprint_sha256"), sum, sizeof(sum)))
		panic("a finished record has no fingerprint");
	buf_add(b, sum, sizeof(sum));
}

static void
make_report(struct buf *b, const struct record_object *o)
{
	struct uuid u;

	add_newest_first(b, o, "published_at");
	if (!uuid_parse(record_text(o, "uuid"), &u))
		panic("a finished record has no UUID");
	buf_add(b, &u, sizeof(u));
}

static void
make_directory(struct buf *b, const struct record_object *o)
{
	struct str host = record_text(o, "host");
	int64_t port = 0;

	if (host.p != NULL) {
		add_key_name(b, host);
	} else {
		buf_char(b, ADDRESS_MARK);
		add_key_address(b, record_text(o, "ip"));
	}
	if (!record_int(o, "port", &port))
		panic("a finished record has no port");
	add_key_number(b, (uint64_t)port, 2);
	add_hash(b, record_text(o, "path"));
}

/* ---- keys as text ---- */

struct reader {
	struct arena *a;
	struct str rest;
};

static struct str
take_key_bytes(struct reader *r, size_t n)
{
	struct str s = { r->rest.p, n };

	if (n > r->rest.n)
		panic("a key is too short");
	r->rest.p += n;
	r->rest.n -= n;
	return s;
}

static uint64_t
take_key_number(struct reader *r, size_t bytes)
{
	struct str s = take_key_bytes(r, bytes);
	uint64_t v = 0;

	for (size_t i = 0; i < bytes; i++)
		v = v << 8 | (unsigned char)s.p[i];
	return v;
}

static struct str
take_name(struct reader *r)
{
	struct str name = STR_NULL;

	while (r->rest.n > 0 && r->rest.p[0] != NAME_END) {
		const char *end = memchr(r->rest.p, LABEL_END, r->rest.n);
		struct str label;

		if (end == NULL)
			panic("a key has a label without end");
		label = take_key_bytes(r, (size_t)(end - r->rest.p));
		take_key_bytes(r, 1);
		name = arena_printf(r->a, "%.*s%s%.*s", (int)label.n, label.p,
		    name.p == NULL ? "" : ".", (int)name.n, name.p == NULL ? "" : name.p);
	}
	take_key_bytes(r, 1);
	return name.p == NULL ? STR(".") : name;
}

static struct str
take_address(struct reader *r)
{
	struct ipnet ip = { .bits = 128, .a = { [10] = 0xff, [11] = 0xff } };
	size_t n = take_key_number(r, 1) == 6 ? 16 : 4;

	memcpy(ip.a + 16 - n, take_key_bytes(r, n).p, n);
	return ipnet_text(r->a, &ip);
}

static struct str
take_time(struct reader *r)
{
	char text[TS_LEN + 1];

	ts_print(
	    (struct ts){ (int64_t)(~take_key_number(r, TIME_BYTES) ^ (UINT64_C(1) << 63)) }, text);
	return arena_str(r->a, str_of(text));
}

static struct str
take_hex(struct reader *r, size_t n)
{
	char *hex = arena_alloc(r->a, 2 * n + 1);

	hex_print(hex, (const unsigned char *)take_key_bytes(r, n).p, n);
	return (struct str){ hex, 2 * n };
}

static struct str
show_address(struct reader *r)
{
	return take_address(r);
}

static struct str
show_dns(struct reader *r)
{
	struct str host = take_name(r), type, rcode;
	const struct record_member *root = record_root(DATASET_DNS);

	type = arena_printf(r->a, "%u", (unsigned)take_key_number(r, 2));
	rcode = arena_printf(r->a, "%u", (unsigned)take_key_number(r, 2));
	if (record_form(r->a, record_kid(root, STR("record_type")), &type, RECORD_STRICT) != NULL ||
	    record_form(r->a, record_kid(root, STR("rcode")), &rcode, RECORD_STRICT) != NULL)
		panic("a key has no record type");
	return arena_printf(r->a, "%.*s %.*s %.*s", (int)host.n, host.p, (int)type.n, type.p,
	    (int)rcode.n, rcode.p);
}

static struct str
show_domain(struct reader *r)
{
	return take_name(r);
}

static struct str
show_certificate(struct reader *r)
{
	struct str when = take_time(r), sum = take_hex(r, FINGERPRINT);

	return arena_printf(r->a, "%.*s of %.*s", (int)sum.n, sum.p, (int)when.n, when.p);
}

static struct str
show_report(struct reader *r)
{
	struct str when = take_time(r);
	char text[UUID_LEN + 1];
	struct uuid u;

	memcpy(&u, take_key_bytes(r, sizeof(u)).p, sizeof(u));
	uuid_print(&u, text);
	return arena_printf(r->a, "%s of %.*s", text, (int)when.n, when.p);
}

static struct str
show_directory(struct reader *r)
{
	bool address = r->rest.n > 0 && r->rest.p[0] == ADDRESS_MARK;
	struct str host;

	if (address)
		take_key_bytes(r, 1);
	host = address ? take_address(r) : take_name(r);
	return arena_printf(
	    r->a, "%.*s port %u", (int)host.n, host.p, (unsigned)take_key_number(r, 2));
}

/* ---- every dataset ---- */

static const struct {
	void (*make)(struct buf *b, const struct record_object *o);
	struct str (*show)(struct reader *r);
} keys[DATASETS] = {
#define DATASET(id, number, name, unit, key, nested, naming, label)                                \
	[DATASET_##id] = { make_##key, show_##key },
#include "tbl/datasets.h"
};

struct str
record_key(struct arena *a, const struct record *r)
{
	struct buf b = { .a = a };

	keys[r->dataset].make(&b, r->root);
	return buf_done(&b);
}

struct str
record_key_identity(enum dataset d, struct str key)
{
	if (d == DATASET_REPORTS && key.n > TIME_BYTES)
		return (struct str){ key.p + TIME_BYTES, key.n - TIME_BYTES };
	return key;
}

struct str
record_key_text(struct arena *a, enum dataset d, struct str key)
{
	struct reader r = { a, key };

	return keys[d].show(&r);
}

struct str
record_key_name(struct arena *a, struct str name)
{
	struct buf b = { .a = a };

	add_key_name(&b, name);
	return buf_done(&b);
}

struct str
record_key_rrset(struct arena *a, struct str name, struct str type)
{
	struct buf b = { .a = a };

	add_key_name(&b, name);
	if (type.p != NULL)
		add_key_number(&b, record_dns_type(type), 2);
	return buf_done(&b);
}

/* Adds one to the last byte that is not ff, and removes the bytes after it: the keys that begin
   with "org 01 00 00 ff" are below "org 01 00 01". */
struct str
record_key_behind(struct arena *a, struct str beginning)
{
	char *end;

	while (beginning.n > 0 && (unsigned char)beginning.p[beginning.n - 1] == 0xff)
		beginning.n--;
	if (beginning.n == 0)
		panic("every key begins with the one that was given");
	beginning = arena_str(a, beginning);
	end = (char *)(uintptr_t)&beginning.p[beginning.n - 1];
	*end = (char)((unsigned char)*end + 1);
	return beginning;
}
