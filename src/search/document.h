/* SPDX-License-Identifier: ISC */
/* Reads stored documents for the writers of both engines: the builder of segments and the feeder of
 * ClickHouse. Both get each value of a field in the order of the text, so they agree on what a
 * document contains.
 *
 *   {"ip":"192.0.2.7","asn":64500,"services":[{"port":22},{"port":443,"http":{"title":"Hello"}}]}
 *     text(ip, "192.0.2.7")  integer(asn, 64500)  nested()  integer(services.port, 22)
 *     nested()  integer(services.port, 443)  text(services.http.title, "Hello")
 *
 * Members that are no field of the schema are skipped. */
#ifndef SEARCH_DOCUMENT_H
#define SEARCH_DOCUMENT_H

#include "search/schema.h"

/* The functions that receive the values; arg is the caller's. A text lives as long as the
   document's text and the arena. */
struct document_sink {
	void *arg;
	struct arena *arena;
	void (*text)(void *arg, const struct schema_field *f, struct str s);
	void (*integer)(
	    void *arg, const struct schema_field *f, int64_t v); /* a boolean is 0 or 1 */
	void (*number)(void *arg, const struct schema_field *f, double v);
	void (*nested)(void *arg); /* the values that follow are of the next nested object */
};

/* The members of a dataset's documents: the names of the first nfields of the schema, split at the
   dots. */
struct document_members;

struct document_members *document_members_new(enum dataset d, size_t nfields);
void document_members_free(struct document_members *m);

/* Returns false and the reason when the text is no JSON object; the sink has got a part of it
   then. */
bool document_read(const struct document_members *m, struct str json,
    const struct document_sink *to, const char **fault) MUST_USE;

#endif
