/* SPDX-License-Identifier: ISC */
/* surfacectl import hosts: host documents and scanners' output into the table host.
 *
 *   file or pipe
 *     |  source.c: bounded lines and chunks
 *     v
 *   reader (ndjson.c, nmap.c, masscan.c)        one record at a time --> struct import_host
 *     |  import_emit: host.c and member.c check every member and bring it into its stored form
 *     v
 *   pipe.c                                      batches of COPY lines; this thread fills one batch ...
 *     |                                         ======================================================
 *     v                                         ... while the main thread stores the other
 *   store.c                                     one transaction for each batch: COPY, then a merge
 *
 * Everything before pipe.c runs in its own thread and knows nothing of the database, so parsing and storing
 * use two cores, and a reader can be tested without a server.
 *
 * The input may be hostile and of any size. A line, a document, a text, a list and the depth of nesting are
 * bounded by the constants below, and nothing is kept longer than its record or its batch. A bad record is
 * reported with its line and left out; --strict ends the import at the first one.
 *
 * The same findings must give the same document, byte for byte, or every repeated import would look like a
 * change of all hosts. Lists that have no order are therefore sorted, and every text has one stored form.
 *
 * An address may occur several times in a batch, but one merge statement cannot change a row twice. So the nth
 * record of an address belongs to round n - 1, and store.c merges one round after the other. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"

enum {
	IMPORT_LINE = 4 * 1024 * 1024,     /* bytes of a line, and of one token of XML */
	IMPORT_DEPTH = 16,                 /* levels of JSON, and of nmap's elements */
	IMPORT_DOCUMENT = 8 * 1024 * 1024, /* bytes of a stored host */
	IMPORT_BANNER = 65536,             /* bytes */
	IMPORT_TEXT = 16384,               /* bytes of any other text */
	IMPORT_NAME = 253,                 /* bytes of a DNS name */
	IMPORT_SLUG = LIM_TAG_SLUG,        /* bytes of a tag */
	IMPORT_ITEMS = 65536,              /* items of a list */
	IMPORT_WINDOW = 20000,             /* hosts of a masscan file that are gathered at a time */
};

/* ---- a host as read: all zero is unset; the texts are in the arena of the reader ---- */

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
	struct texts extra_names;
	struct str transport, protocol, service_name, vendor, product, version, banner, banner_hash;
	struct texts cpe, tags;
	struct {
		struct opt status_code, favicon_mmh3;
		struct str title, body, server, body_hash, favicon_hash, favicon_md5;
		struct texts headers, capabilities;
	} http;
	struct {
		struct str version, jarm, ja4s;
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

/* Reads a document that json_scan has accepted. False: what (in the arena) names the faulty member. */
bool import_host_read(
    struct arena *a, const struct json_value *v, struct import_host *h, struct str *what) MUST_USE;

enum import_manner {
	IMPORT_EXACT,   /* a fault in a member refuses the host */
	IMPORT_LENIENT, /* for scanners: a faulty member is left out, a long text is cut */
};

/* Checks every member, brings it into its stored form, and adds derived members. False: what (in the arena) names
   the faulty member. */
bool import_host_finish(
    struct arena *a, struct import_host *h, enum import_manner manner, struct str *what) MUST_USE;
/* Prints the stored document. import_host_finish must have succeeded. */
void import_host_print(struct buf *b, const struct import_host *h);

/* Brings a name into lower case without a trailing dot; false: it is not a DNS name. */
bool import_dns_name(struct arena *a, struct str *s) MUST_USE;

/* Append to a list, whose room in the arena doubles when it is full. */
void import_texts_add(struct arena *a, struct texts *t, struct str s);
struct import_service *import_service_add(struct arena *a, struct import_host *h);

/* The registrable domains of names, by the public suffix list. */
struct texts import_apex_domains(struct arena *a, const struct texts *names);

/* Adds what the databases know of the host's address. */
struct enrich;
void import_enrich(struct enrich *e, struct arena *a, struct import_host *h);

/* ---- readers ---- */

struct source;

struct importer {
	struct source *src;
	struct arena *arena; /* memory of one record; the reader resets it */
	/* Takes a finished host; doc is valid until the call returns. */
	void (*host)(void *arg, const struct import_host *h, struct str doc);
	void (*bad)(void *arg, uint64_t line, struct str what);
	void *arg;
	struct enrich *enrich; /* NULL: hosts are stored as they were read */
	size_t window;         /* masscan: hosts that are gathered at a time */
	uint64_t read;         /* records, including bad ones */
	bool stop;             /* a callback sets it to end the reading */
	struct buf doc;
};

typedef void import_reader(struct importer *im);

import_reader import_ndjson, import_nmap, import_masscan;

/* ---- reader.c ---- */

/* For readers: finishes and prints the host and calls im->host, or im->bad. */
void import_emit(
    struct importer *im, struct import_host *h, enum import_manner manner, uint64_t line);
/* Calls take for each JSON value of the input, which counts it as read, and reports values that do not end. */
void import_values(
    struct importer *im, void (*take)(void *arg, struct str text, uint64_t line), void *arg);
void import_bad(struct importer *im, uint64_t line, const char *fmt, ...) PRINTF(3, 4);

#endif
