/* SPDX-License-Identifier: ISC */
/* Readers of the entries of Certificate Transparency logs, for surfacectl import certificates.

     ct        answers of get-entries (RFC 6962, 4.6): JSON, the structures below in base64
     ct-tile   data tiles of static logs (c2sp.org/static-ct-api): the structures one after the other

   Both have the same entry:

     timestamp  type  signed_entry                                    extensions
     8 bytes    2     0: 3-byte length, certificate                   2-byte length, of a static log the index
                      1: 32 bytes, 3-byte length, TBSCertificate

   get-entries puts a version and a leaf type (two zero bytes) before it, and sends the rest as
   extra_data:                     0: chain                  1: 3-byte length, precertificate; chain
   A tile has behind each entry:   0: chain fingerprints     1: 3-byte length, precertificate; chain fingerprints

   A TBSCertificate is not a certificate, because it has no signature. The record of an entry of
   type 1 is therefore made from the precertificate, whose fingerprint other tools use too.

   Neither format names the log, and an answer of get-entries does not contain the index of its
   first entry: the options --log and --start give them. The record gets the entry's timestamp, the
   time at which the log accepted the certificate, as its time of observation. */
#include "config.h"

#include "cli/import/certificates.h"

enum entry_type { ENTRY_CERTIFICATE, ENTRY_PRECERTIFICATE };

struct entry {
	struct ts at;
	enum entry_type type;
	struct str certificate; /* the certificate or the precertificate */
	struct str extensions;
	int64_t index; /* -1: unknown */
};

/* The unread bytes of a structure. */
struct bytes {
	const unsigned char *p;
	size_t n;
	bool over; /* a read went beyond the end */
};

static struct bytes
view_bytes(struct str s)
{
	return (struct bytes){ (const unsigned char *)s.p, s.n, false };
}

static struct str
take_bytes(struct bytes *b, size_t n)
{
	struct str s = { (const char *)b->p, n };

	if (n > b->n) {
		b->over = true;
		return STR("");
	}
	b->p += n;
	b->n -= n;
	return s;
}

/* Reads a big-endian number of at most 8 bytes. */
static uint64_t
take_big_endian(struct bytes *b, size_t bytes)
{
	struct str s = take_bytes(b, bytes);
	uint64_t v = 0;

	for (size_t i = 0; i < s.n; i++)
		v = v << 8 | (unsigned char)s.p[i];
	return v;
}

/* Reads a vector of TLS: its length, a number of `bytes` bytes, and then that many bytes of
   content. */
static struct str
take_vector(struct bytes *b, size_t bytes)
{
	size_t n = (size_t)take_big_endian(b, bytes);

	return b->over ? STR("") : take_bytes(b, n);
}

/* Returns the index of an entry of a static log, which is extension 0 with 5 bytes; -1: there is
   none. */
static int64_t
index_of(struct str extensions)
{
	struct bytes b = view_bytes(extensions);

	while (b.n > 0) {
		uint64_t type = take_big_endian(&b, 1);
		struct str data = take_vector(&b, 2);
		struct bytes number = view_bytes(data);

		if (type == 0 && data.n == 5)
			return (int64_t)take_big_endian(&number, 5);
	}
	return -1;
}

/* Reads timestamp, type, signed entry and extensions. Returns NULL or a description of the fault;
   b->over: the entry is incomplete. */
static const char *
take_entry(struct bytes *b, struct entry *e)
{
	uint64_t ms = take_big_endian(b, 8), type = take_big_endian(b, 2);

	if (type > ENTRY_PRECERTIFICATE)
		return "the type of the entry is unknown";
	e->type = (enum entry_type)type;
	if (e->type == ENTRY_PRECERTIFICATE)
		take_bytes(b, 32); /* the hash of the issuer's key */
	e->certificate = take_vector(b, 3);
	e->extensions = take_vector(b, 2);
	e->index = index_of(e->extensions);
	e->at.us = ms > TS_NEWEST_US / 1000 ? INT64_MAX : (int64_t)ms * 1000;
	return ts_is_printable(e->at) ? NULL : "its timestamp is no time";
}

static void
emit_entry(struct records *rs, const struct entry *e, uint64_t line)
{
	struct str der = e->certificate;
	struct record r;

	if (!certificate_parse(rs, false, &der, &r, line))
		return;
	record_set_text(rs->a, r.root, "ct.log", rs->options.log);
	if (e->index >= 0)
		record_set_int(rs->a, r.root, "ct.index", e->index);
	record_set_time(rs->a, r.root, "ct.seen_at", e->at);
	record_set_time(rs->a, r.root, "first_seen", e->at);
	record_set_time(rs->a, r.root, "last_seen", e->at);
	records_emit(rs, &r, der, RECORD_LENIENT, line);
}

/* ---- get-entries ---- */

/* Emits the certificates of the entry's issuers. They get no log and no index, because the entry is
   not theirs. */
static void
emit_chain(struct records *rs, struct bytes *extra, const struct entry *e, uint64_t line)
{
	struct str list = take_vector(extra, 3);
	struct bytes chain = view_bytes(list);

	while (chain.n > 0 && !rs->stop) {
		struct str der = take_vector(&chain, 3);
		struct record r;

		if (chain.over) {
			records_bad(rs, line, "extra_data: the chain is cut off");
			return;
		}
		if (!certificate_parse(rs, false, &der, &r, line))
			continue;
		record_set_time(rs->a, r.root, "first_seen", e->at);
		record_set_time(rs->a, r.root, "last_seen", e->at);
		records_emit(rs, &r, der, RECORD_LENIENT, line);
	}
}

/* Returns NULL or a description of the fault. */
static const char *
read_leaf(struct bytes *leaf, struct bytes *extra, struct entry *e)
{
	uint64_t version = take_big_endian(leaf, 1), type = take_big_endian(leaf, 1);
	const char *why;

	if (leaf->over || version != 0 || type != 0)
		return "leaf_input: is no leaf of version 1";
	why = take_entry(leaf, e);
	if (leaf->over || (why == NULL && leaf->n > 0))
		return "leaf_input: has a wrong length";
	if (why != NULL || e->type != ENTRY_PRECERTIFICATE)
		return why;
	e->certificate = take_vector(extra, 3);
	return extra->over ? "extra_data: has no precertificate" : NULL;
}

static void
read_json_entry(struct records *rs, const struct json_value *o, int64_t number, uint64_t line)
{
	const struct json_value *input = json_get(o, "leaf_input"),
				*data = json_get(o, "extra_data");
	struct str text = input == NULL ? STR("") : json_text(input), extra_text = STR("");
	struct bytes leaf, extra;
	struct entry e;
	const char *why;

	if (input == NULL || !certificate_of_base64(rs->a, text, &text)) {
		records_bad(rs, line, "leaf_input: must be base64");
		return;
	}
	if (data != NULL && (json_type(data) != JSON_STRING ||
				!certificate_of_base64(rs->a, json_text(data), &extra_text))) {
		records_bad(rs, line, "extra_data: must be base64");
		return;
	}
	leaf = view_bytes(text);
	extra = view_bytes(extra_text);
	why = read_leaf(&leaf, &extra, &e);
	if (why != NULL) {
		records_bad(rs, line, "%s", why);
		return;
	}
	if (e.index < 0 && rs->options.start.set)
		e.index = rs->options.start.v + number;
	emit_entry(rs, &e, line);
	if (rs->options.chains && !rs->stop)
		emit_chain(rs, &extra, &e, line);
}

struct answer {
	struct records *rs;
	int64_t number;  /* entries so far */
	uint64_t values; /* the same with answers that have none */
};

static void
read_answer(void *arg, const struct json_value *o, uint64_t line)
{
	struct answer *answer = arg;

	/* a value that is no JSON may be one entry or several, so the places behind it are unknown */
	if (answer->values + 1 < answer->rs->read)
		answer->rs->options.start.set = false;
	if (json_get(o, "leaf_input") == NULL && json_get(o, "entries") != NULL)
		answer->rs->skipped++; /* an answer without entries */
	else
		read_json_entry(answer->rs, o, answer->number++, line);
	answer->values++;
}

void
read_ct(struct records *rs)
{
	struct answer answer = { .rs = rs };

	records_json(rs, "entries", read_answer, &answer);
}

/* ---- data tiles ---- */

/* Reads one leaf. Returns NULL or a description of the fault; b->over: the leaf is incomplete. */
static const char *
take_leaf(struct bytes *b, struct entry *e)
{
	const char *why = take_entry(b, e);

	if (why != NULL)
		return why;
	if (e->type == ENTRY_PRECERTIFICATE)
		e->certificate = take_vector(b, 3);
	take_vector(b, 2); /* the fingerprints of the chain */
	return NULL;
}

/* Reads the complete leaves of the text and returns the number of bytes that were read. A tile has
   no separators between its leaves, so the leaves after a malformed one cannot be found: the rest
   of the text is then dropped and *end is set. */
static size_t
read_leaves(struct records *rs, struct str text, bool *end)
{
	struct bytes b = view_bytes(text);
	struct entry e;

	while (b.n > 0 && !rs->stop) {
		struct bytes before = b;
		const char *why = take_leaf(&b, &e);

		if (b.over && !*end && before.n <= IMPORT_LINE)
			return text.n - before.n;
		if (!records_next(rs))
			break;
		if (b.over)
			why = "the leaf is cut off";
		if (why == NULL) {
			emit_entry(rs, &e, rs->read);
			continue;
		}
		records_bad(rs, rs->read, "%s; the rest of the tile cannot be read", why);
		*end = true;
		break;
	}
	return text.n;
}

/* Messages have the number of the leaf where other formats have a line number. */
void
read_ct_tile(struct records *rs)
{
	struct buf unread = { 0 };
	bool end = false;

	while (!end && !rs->stop) {
		struct str part = source_chunk(rs->src);
		size_t done;

		end = part.n == 0;
		buf_add(&unread, part.p, part.n);
		done = read_leaves(rs, buf_done(&unread), &end);
		unread.n -= done;
		if (unread.n > 0)
			memmove(unread.p, unread.p + done, unread.n);
	}
	buf_free(&unread);
}
