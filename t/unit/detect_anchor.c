/* SPDX-License-Identifier: ISC */
/* Anchors of detection rules: evaluating the rules that a document's values lead to equals evaluating all (C-152). */
#include "config.h"

#include "detect/detect.h"
#include "json/tree.h"
#include "t/unit/index_naive.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

enum { RULES = 3000, DOCUMENTS = 400 };

static struct arena *arena, *scratch;

static void
anchored_equals_all(struct naive *n, struct detect_rule *rules, size_t nrules)
{
	const struct detect_rule **all = ARENA_ARRAY(arena, nrules, const struct detect_rule *);
	unsigned matches = 0, missed = 0, tried = 0, anchored = 0;
	struct anchors *an;

	for (size_t i = 0; i < nrules; i++) {
		all[i] = &rules[i];
		rules[i].anchor = rule_query_anchor(&rules[i].q);
		anchored += rules[i].anchor != NULL;
	}
	an = anchors_new(arena, all, nrules);
	for (unsigned d = 0; d < DOCUMENTS; d++) {
		bool *candidate = ARENA_ARRAY(arena, nrules, bool);
		struct ipnet ip = { .bits = 128, .a = { [10] = 0xff, [11] = 0xff, [12] = 192 } };
		struct match_document at = { .tags = n->tags.items, .ntags = n->tags.n };
		const struct json_value *tree, *services;
		struct naive_doc doc;
		const uint32_t *found;
		size_t nfound;

		ip.a[15] = (unsigned char)d;
		ip.a[14] = (unsigned char)(d >> 8);
		naive_doc(n, &ip, &doc);
		tree = json_parse(arena, doc.json);
		CU_ASSERT_PTR_NOT_NULL_FATAL(tree);
		nfound = anchors_candidates(an, scratch, DATASET_HOSTS, tree, &found);
		for (size_t i = 0; i < nfound; i++) {
			CU_ASSERT_FALSE(candidate[found[i]]); /* each rule once */
			candidate[found[i]] = true;
		}
		tried += (unsigned)nfound;
		services = json_get(tree, "services");
		for (size_t i = 0; i < nrules; i++) {
			bool passes = false;

			if (rules[i].dataset == DATASET_HOSTS) {
				at.own = tree;
				at.of = NULL;
				passes = rule_query_passes(scratch, &rules[i].q, &at, NULL);
			}
			for (size_t k = 0; rules[i].dataset == DATASET_SERVICES &&
					   services != NULL && k < json_length(services);
			     k++) {
				at.own = json_at(services, k);
				at.of = tree;
				passes =
				    rule_query_passes(scratch, &rules[i].q, &at, NULL) || passes;
			}
			matches += passes;
			missed += passes && !candidate[i];
		}
	}
	CU_ASSERT_EQUAL(missed, 0);
	CU_ASSERT_TRUE(matches > 0 && anchored > 0);
	CU_ASSERT_TRUE(tried < DOCUMENTS * nrules); /* anchors leave rules out */
	if (missed > 0)
		printf("# %u of %u matches missed\n", missed, matches);
}

static void
random_queries(void)
{
	struct naive n = { .a = arena, .random = 7 };
	struct detect_rule *rules = ARENA_ARRAY(arena, RULES, struct detect_rule);

	set_tags(&n.tags);
	for (size_t i = 0; i < RULES; i++) {
		rules[i].dataset = DATASET_HOSTS;
		rules[i].q.query = (struct query){ .dataset = DATASET_HOSTS,
			.now = NAIVE_NOW,
			.root = naive_query(&n, (unsigned)i % 4, false) };
	}
	anchored_equals_all(&n, rules, RULES);
	index_tags_free(&n.tags);
}

/* Queries on the values that the documents have. */
static void
written_queries(void)
{
	static const char *const texts[] = { "%s:{22,80,443}", "%s:22", "%s:80 OR %s:22",
		"%s:{1,2,3,22} -%s:80" };
	struct naive n = { .a = arena, .random = 11 };
	struct detect_rule rules[2 * COUNT(texts) + 6] = { 0 };
	static const struct {
		enum dataset dataset;
		const char *text;
	} others[] = { { DATASET_HOSTS, "ip:192.0.0.0/16" }, { DATASET_HOSTS, "ip:192.0.1.0/24" },
		{ DATASET_SERVICES, "ip:192.0.0.7" }, { DATASET_HOSTS, "hostnames:example.com" },
		{ DATASET_HOSTS, "hostnames=www.example.com" },
		{ DATASET_SERVICES, "transport:TCP" } };
	size_t nrules = 0;
	struct rule_query_fault fault;

	set_tags(&n.tags);
	for (size_t i = 0; i < 2 * COUNT(texts); i++) {
		const char *field = i % 2 == 0 ? "services.port" : "port";
		struct str text = arena_printf(arena, "%s", texts[i / 2]);
		struct buf b = { .a = arena };

		for (size_t k = 0; k < text.n; k++) {
			if (text.p[k] != '%') {
				buf_char(&b, text.p[k]);
				continue;
			}
			buf_z(&b, field);
			k++;
		}
		rules[nrules].dataset = i % 2 == 0 ? DATASET_HOSTS : DATASET_SERVICES;
		CU_ASSERT_TRUE_FATAL(rule_query_parse(arena, rules[nrules].dataset, buf_done(&b),
		    STR(""), NAIVE_NOW, &rules[nrules].q, &fault));
		nrules++;
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		rules[nrules].dataset = others[i].dataset;
		CU_ASSERT_TRUE_FATAL(rule_query_parse(arena, others[i].dataset,
		    str_of(others[i].text), STR(""), NAIVE_NOW, &rules[nrules].q, &fault));
		nrules++;
	}
	anchored_equals_all(&n, rules, nrules);
	index_tags_free(&n.tags);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "Random rules on random documents: anchors find each that matches (C-152)",
		    random_queries },
		{ "Rules on ports, networks and names: anchors find each that matches (C-152)",
		    written_queries },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new(SIZE_MAX / 4);
	scratch = arena_new(SIZE_MAX / 4);
	rc = tap_main(tests);
	arena_free(arena);
	arena_free(scratch);
	return rc;
}
