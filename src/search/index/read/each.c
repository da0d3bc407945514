/* SPDX-License-Identifier: ISC */
/* Lists the keys of documents, for the writer, which has to build documents again when their
   tags change. */
#include "config.h"

#include "search/index/read/each.h"
#include "search/index/read/request.h"

struct visitor {
	void (*fn)(void *arg, struct str key);
	void *arg;
};

static void
visit_live_documents(
    struct run *r, const struct index_segment *s, const struct set *in, const struct visitor *to)
{
	struct set_space sp = run_space(r, LEVEL_DOCUMENT);
	uint32_t docs[1024];
	struct set_walk w;
	size_t n;

	set_walk_begin(&w, &sp, in, 0);
	while ((n = set_walk_next(&w, docs, COUNT(docs))) > 0)
		for (size_t i = 0; i < n; i++) {
			struct segment_key key;

			if (s->ndead > 0 && (s->dead[docs[i] >> 6] >> (docs[i] & 63) & 1))
				continue;
			to->fn(to->arg, segment_key(r->seg, docs[i], &key));
		}
}

bool
index_each_key(const char *directory, const struct index_segment *s,
    const struct schema_field *field, struct str term, void (*fn)(void *arg, struct str key),
    void *arg, char err[INDEX_FAULT])
{
	static const struct node all = { .type = NODE_ALL };
	struct value v = { .type = VALUE_KEYWORD, .s = term };
	struct node exact = { .type = NODE_EXACT, .field = field, .values = &v, .nvalues = 1 };
	struct segment *seg = segment_open(directory, s, SEGMENT_BY_MARK, err);
	struct scratch ids = { 0 };
	struct run r = { .seg = seg,
		.ids = &ids,
		.rc = ENGINE_OK,
		.budget = &(struct budget){ INT64_MAX, UINT64_MAX } };
	struct set found;

	if (seg == NULL)
		return false;
	r.arena = arena_new(SIZE_MAX / 4);
	r.pool = pool_new();
	pool_fit(r.pool, index_words(seg->ndocs));
	pool_fit(r.pool, index_words(seg->nnested));
	found = eval_node(&r, field == NULL ? &all : &exact, LEVEL_DOCUMENT);
	visit_live_documents(&r, s, &found, &(struct visitor){ fn, arg });
	pool_free(r.pool);
	arena_free(r.arena);
	free(ids.p);
	segment_close(seg);
	return true;
}
