/* SPDX-License-Identifier: ISC */
/* surfacectl import: readers make struct import_host of what they read; one table of members checks,
   normalises and prints them all. No reader knows the database. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "base/limits.h"
#include "json/json.h"

enum {
	IMPORT_LINE = 4 * 1024 * 1024, /* bytes of a line, and of one token of XML */
	IMPORT_DEPTH = 16, /* levels of JSON; nmap's elements nest within it too */
	IMPORT_DOCUMENT = 8 * 1024 * 1024, /* bytes of a stored host */
	IMPORT_BANNER = 65536,             /* bytes */
	IMPORT_TEXT = 16384,               /* bytes of any other text */
	IMPORT_NAME = 253,                 /* bytes of a DNS name */
	IMPORT_SLUG = LIM_TAG_SLUG,        /* bytes of a tag */
	IMPORT_ITEMS = 65536,              /* items of a list */
	IMPORT_WINDOW = 20000,             /* hosts of a masscan file gathered at once */
};

/* ---- a host as read: all zero is unset; texts lie in the arena of the reader ---- */

struct opt {
	bool set;
	int64_t v; /* an integer, 0 or 1, or microseconds as struct ts */
};

struct texts {
	struct str *p; /* NULL: unset; an empty list is set */
	size_t n;
};

struct import_service {
	struct opt port, tls_enabled, first_seen, last_seen;
	struct str transport, protocol, service_name, vendor, product, version, banner,
	    banner_hash;
	struct texts cpe, tags;
	struct {
		struct opt status_code;
		struct str title, server, body_hash, favicon_hash;
		struct texts capabilities;
	} http;
	struct {
		struct str version, jarm;
		struct {
			struct str fingerprint_sha256, subject_cn, issuer_cn;
			struct texts names;
			struct opt not_after, self_signed;
		} certificate;
	} tls;
};

struct import_host {
	struct str ip, as_name, organisation, prefix, country_code, region, city, ptr, os;
	struct opt asn, ip_version, service_count, first_seen, last_seen;
	struct texts hostnames, apex_domains, cpe, vulnerabilities, tags;
	struct import_service *services;
	size_t nservices;
	bool has_services;
};

/* From a document that json_scan has passed. False: what (in the arena) names the member. */
bool import_host_read(struct arena *a, const struct json_value *v, struct import_host *h,
    struct str *what) MUST_USE;

enum import_manner {
	IMPORT_EXACT, /* a fault refuses the host */
	IMPORT_LENIENT, /* a fault costs its member, a text too long its end: scanners' findings */
};

/* Checks every member and brings it into its stored form, derived members included. False: what
   (in the arena) names the member. */
bool import_host_finish(struct arena *a, struct import_host *h, enum import_manner manner,
    struct str *what) MUST_USE;
/* The stored document. h is finished. */
void import_host_print(struct buf *b, const struct import_host *h);

/* Brings an address into the one form it is stored in; false: it is none. */
bool import_address(struct arena *a, struct str *s) MUST_USE;
/* Brings a name into lower case, without a last dot; false: it is none. */
bool import_dns_name(struct arena *a, struct str *s) MUST_USE;

/* Lists under construction: doubles its room in the arena. */
void import_texts_add(struct arena *a, struct texts *t, struct str s);
struct import_service *import_service_add(struct arena *a, struct import_host *h);

/* The registrable domains of names, by the public suffix list. */
struct texts import_apex_domains(struct arena *a, const struct texts *names);

/* ---- where bytes come from: bounded, whatever is fed ---- */

struct source {
	int fd, stop;
	char *p; /* [at, n) is unread */
	size_t n, at, room;
	uint64_t line;          /* of the line last given, from 1 */
	_Atomic uint64_t bytes; /* read so far: progress reads it from another thread */
	bool end, failed;
};

enum source_line { SOURCE_LINE, SOURCE_TOO_LONG, SOURCE_END };

/* fd stays the caller's. stop (or -1) is a descriptor that becomes readable when reading shall end. */
void source_open(struct source *s, int fd, int stop);
void source_close(struct source *s);
/* line is valid until the next call and without its newline. */
enum source_line source_line(struct source *s, struct str *line);
/* What is at hand, at least one byte; n is 0 at the end. Consumed at once. */
struct str source_chunk(struct source *s);
/* The first bytes, not consumed. */
struct str source_peek(struct source *s);

/* ---- names seen, each with a number ---- */

struct names;

struct names *names_new(size_t most);
void names_free(struct names *t);
void names_clear(struct names *t);
bool names_full(const struct names *t);
/* The number of s, 0 when it is new; for writing. The table must not be full. */
uint32_t *names_at(struct names *t, struct str s);

/* ---- readers ---- */

struct importer {
	struct source *src;
	struct arena *arena; /* one record; reset by the reader */
	/* A finished host: its document is valid for the call alone. */
	void (*host)(void *arg, const struct import_host *h, struct str doc);
	void (*bad)(void *arg, uint64_t line, struct str what);
	void *arg;
	size_t window; /* masscan: hosts whose records are gathered at once */
	uint64_t read; /* records, bad ones included */
	bool stop;     /* set by a callback: no more */
	struct buf doc;
};

typedef void import_reader(struct importer *im);

import_reader import_ndjson, import_nmap, import_masscan;

/* Guesses from the first bytes; NULL when they are none of ours. */
import_reader *import_guess(struct source *s);

/* For readers: finish, print and hand over, or report. */
void import_emit(
    struct importer *im, struct import_host *h, enum import_manner manner, uint64_t line);
void import_bad(struct importer *im, uint64_t line, const char *fmt, ...) PRINTF(3, 4);

/* ---- the pipeline: a thread reads and parses the next batch while PostgreSQL takes the last ---- */

enum { IMPORT_ROUNDS = 32 };

struct import_batch {
	struct buf rows;     /* COPY lines (IMPORT_COPY): round, ip, doc */
	struct buf tags;     /* slugs not given before, each ended by NUL */
	struct buf messages; /* of bad records: "file:line: what\n" */
	size_t hosts;
	unsigned rounds; /* the nth record of an address is in round n - 1 */
	uint64_t read, bad;
};

struct import_pipe;

struct import_pipe_options {
	import_reader *reader; /* NULL: guess */
	const char *file;      /* for messages */
	int fd;
	bool strict; /* the first bad record is the last */
};

struct import_pipe *import_pipe_start(const struct import_pipe_options *o);
/* Waits for the next batch; the one before is given back. NULL: no more. */
const struct import_batch *import_pipe_next(struct import_pipe *p);
/* After NULL: what went wrong, or NULL. */
const char *import_pipe_failed(const struct import_pipe *p);
uint64_t import_pipe_bytes(const struct import_pipe *p);
/* Stops the thread, wherever it is. */
void import_pipe_end(struct import_pipe *p);

#endif
