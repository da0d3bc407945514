/* SPDX-License-Identifier: ISC */
/* Documents in memory, made at random, and queries answered by looking at every one of them. */
#ifndef T_UNIT_INDEX_NAIVE_H
#define T_UNIT_INDEX_NAIVE_H

#include "search/index/format/index.h"

struct naive_value {
	const struct schema_field *field;
	struct str s; /* of an address its key */
	int64_t i;    /* INTEGER, BOOLEAN, DATE */
};

struct naive_values {
	struct naive_value v[112];
	size_t n;
};

enum { NAIVE_SERVICES = 12 };

struct naive_doc {
	struct ipnet ip; /* of naive_doc() */
	struct str key;
	struct naive_values own, services[NAIVE_SERVICES];
	size_t nservices;
	struct str json;
	size_t place; /* of a service: its place in its host, from 1, whose document json is */
};

struct naive {
	struct arena *a;
	uint64_t random;
	unsigned epoch; /* of the segment: each brings values of its own */
	struct index_tags tags;
	/* Queries test any field of the dataset, mostly with the values of these; NULL: those of naive_doc(). */
	enum dataset dataset;
	const struct naive_doc *samples;
	size_t nsamples;
};

uint32_t naive_random(struct naive *n, uint32_t below);
void naive_doc(struct naive *n, const struct ipnet *ip, struct naive_doc *out);
struct node *naive_query(struct naive *n, unsigned depth, bool nested);
bool naive_match(struct naive *n, const struct naive_doc *d, const struct node *q);
/* Whether a service passes one of the query's positive tests of services. */
bool naive_service(struct naive *n, const struct naive_values *service, const struct node *q);

struct naive_bucket {
	struct naive_value v;
	uint64_t count;
};

enum { NAIVE_BUCKETS = 1024 };

/* All buckets of the documents that match, sorted; *hidden counts values that cannot be one. */
size_t naive_facet(struct naive *n, const struct naive_doc *docs, const bool *match, size_t ndocs,
    const struct schema_field *f, struct naive_bucket *out, size_t *hidden);

#endif
