/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/index_world.h"

#include "t/unit/tap.h"

#include <dirent.h>
#include <unistd.h>

static void
set_tags(struct index_tags *t)
{
	static const struct tag table[] = {
		{ STR_INIT("vpn"), STR_INIT("VPN"), STR_INIT("benign"), { STR_INIT("network") },
		    1 },
		{ STR_INIT("c2"), STR_INIT("C2"), STR_INIT("malicious"),
		    { STR_INIT("malware"), STR_INIT("malware/c2") }, 2 },
		{ STR_INIT("phish"), STR_INIT("Phishing"), STR_INIT("malicious"),
		    { STR_INIT("phishing") }, 1 },
		{ STR_INIT("login"), STR_INIT("Login"), STR_INIT("informational"), { STR_INIT("") },
		    0 },
	};

	index_tags_set(t, table, COUNT(table));
}

void
world_begin(struct world *w, uint64_t seed)
{
	*w = (struct world){ .state = { .published_at = TS_NULL } };
	snprintf(w->directory, sizeof(w->directory), "/tmp/index-XXXXXX");
	if (mkdtemp(w->directory) == NULL)
		panic("no temporary directory");
	w->n = (struct naive){ .a = arena_new(SIZE_MAX / 4), .random = seed };
	set_tags(&w->n.tags);
	set_tags(&w->state.tags);
	w->b = index_build_new(&w->state.tags);
}

void
world_end(struct world *w)
{
	DIR *d = opendir(w->directory);
	struct dirent *f;

	if (d == NULL)
		panic("%s: cannot be read", w->directory);
	while ((f = readdir(d)) != NULL)
		unlinkat(dirfd(d), f->d_name, 0);
	closedir(d);
	rmdir(w->directory);
	free(w->docs);
	free(w->n.tags.items);
	free(w->n.tags.text);
	index_build_free(w->b);
	index_state_free(&w->state);
	arena_free(w->n.a);
}

static int
by_ip(const void *a, const void *b)
{
	return ip_cmp(((const struct naive_doc *)a)->ip.a, ((const struct naive_doc *)b)->ip.a);
}

void
add_segment(struct world *w, uint32_t count, uint32_t room)
{
	struct naive_doc *fresh = calloc(count + 1, sizeof(*fresh));
	struct index_segment s;
	char err[INDEX_FAULT] = "";
	size_t nfresh = 0, old = w->ndocs;

	w->n.epoch++;
	for (uint32_t i = 0; i < room && nfresh < count; i++) {
		struct ipnet ip;

		if (naive_random(&w->n, room - i) >= count - nfresh)
			continue;
		(void)!ipnet_parse(i < room * 3 / 4 ? STR("10.0.0.0") : STR("2001:db8::"), &ip);
		ip.a[13] = (unsigned char)(i >> 16);
		ip.a[14] = (unsigned char)(i >> 8);
		ip.a[15] = (unsigned char)i;
		naive_doc(&w->n, &ip, &fresh[nfresh]);
		CU_ASSERT_TRUE(index_build_add(w->b, fresh[nfresh].json, err));
		nfresh++;
	}
	CU_ASSERT_TRUE(index_build_write(w->b, w->directory, &s, err));
	CU_ASSERT_TRUE(index_state_add(w->directory, &w->state, s, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	w->docs = reallocarray(w->docs, w->ndocs + nfresh + 1, sizeof(*w->docs));
	for (size_t i = 0; i < nfresh; i++) {
		struct naive_doc *at =
		    old == 0 ? NULL : bsearch(&fresh[i], w->docs, old, sizeof(*fresh), by_ip);

		if (at != NULL)
			*at = fresh[i];
		else
			w->docs[w->ndocs++] = fresh[i];
	}
	qsort(w->docs, w->ndocs, sizeof(*w->docs), by_ip);
	free(fresh);
}
