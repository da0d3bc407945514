/* SPDX-License-Identifier: ISC */
/* Judges a rule before it is stored: its queries, its samples, and what its origin may do and must
   have. */
#include "config.h"

#include "cli/rule/rule_file.h"

#include "detection/sample.h"
#include "json/tree.h"

static bool
refuse_rule(struct arena *a, struct yaml_fault *fault, size_t line, struct str what)
{
	fault->line = line;
	fault->what = arena_str(a, what);
	return false;
}

/* ---- what passing a query proves ---- */

/* Protocols that importers take from a handshake, and that no table of ports has as a name. nmap
   gives a service the name of its port when it recognises nothing, so other names prove nothing.
   BACnet answers over UDP, or its port is not open. */
static bool
is_handshake(const struct node *n)
{
	static const char *const names[] = { "bacnet", "codesys2", "dnp3", "enip", "fox",
		"memcached", "modbus", "mongodb", "rdp", "s7", "smb" };
	bool all = n->nvalues > 0;

	for (size_t i = 0; i < n->nvalues && all; i++) {
		all = false;
		for (size_t k = 0; k < COUNT(names) && !all; k++)
			all = str_is_nocase(n->values[i].s, names[k]);
	}
	return all;
}

static bool
is_one_of_names(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A port, an address or a status is no evidence, and neither is a word in a page: tutorials and the
   pages of vendors have the name of a product, too. */
static bool
test_proves(const struct node *n)
{
	static const char *const neutral[] = { "ip", "port", "transport", "http.status_code",
		"tls_enabled" };
	static const char *const pages[] = { "http.title", "http.body" };
	static const char *const names[] = { "protocol", "service_name" };
	const char *name;

	if (n->field == NULL || n->bare)
		return false;
	name = n->field->relative != NULL ? n->field->relative : n->field->name;
	if (is_one_of_names(name, neutral, COUNT(neutral)))
		return false;
	if (is_one_of_names(name, pages, COUNT(pages)))
		return n->type == NODE_EXACT;
	if (is_one_of_names(name, names, COUNT(names)))
		return n->type == NODE_MATCH && is_handshake(n);
	return true;
}

/* Whether every document that passes has something that proves more than an open port. */
static bool
query_proves(const struct node *n)
{
	bool any = false, all = true;

	switch (n->type) {
	case NODE_ALL:
	case NODE_NOT:
		return false;
	case NODE_AND:
	case NODE_OR:
	case NODE_NESTED:
		for (size_t i = 0; i < n->nkids; i++) {
			bool kid = query_proves(n->kids[i]);

			any = any || kid;
			all = all && kid;
		}
		return n->type == NODE_OR ? all : any;
	case NODE_EXISTS:
	case NODE_MATCH:
	case NODE_EXACT:
	case NODE_WILDCARD:
	case NODE_RANGE:
		return test_proves(n);
	}
	panic("node_type %d", (int)n->type); /* UNCOVERED: the switch is complete */
}

/* ---- the catalogue, and rules of accounts ---- */

static bool
asks_for_tags(const struct query *q)
{
	return query_asks(q, "tags") || query_asks(q, "tags.category") ||
	       query_asks(q, "tags.classification") || query_asks(q, "services.tags") ||
	       query_asks(q, "services.tags.category");
}

static const char *
catalogue_fault(const struct rule_file *r, const struct rule_query *q)
{
	size_t matches = 0;

	for (size_t i = 0; i < r->ntests; i++)
		matches += r->tests[i].match;
	if (r->references.n == 0)
		return "references: a rule of the catalogue has at least one";
	if (matches == 0 || matches == r->ntests)
		return "surface.tests: a rule of the catalogue has a sample that matches and one "
		       "that "
		       "does not";
	if (!query_proves(q->query.root))
		return "surface.query: a port, a status, or a word of a page is no evidence alone";
	/* or what one rule adds would make another one match */
	if (r->applies_tags && (asks_for_tags(&q->query) || asks_for_tags(&q->exclude)))
		return "surface.query: a rule that applies tags must not ask for tags";
	if (r->applies_tags && !str_is(r->scope, "all"))
		return "surface.applies_tags: only a rule of scope all puts tags on documents";
	if (r->applies_tags && (r->dataset == DATASET_DNS || r->dataset == DATASET_WHOIS))
		return "surface.applies_tags: documents of this dataset have no tags";
	return NULL;
}

static const char *
account_fault(const struct rule_file *r)
{
	if (r->applies_tags)
		return "surface.applies_tags: only rules of the catalogue put tags on documents";
	if (r->produces.area.p != NULL && !str_is(r->produces.area, "rule"))
		return "surface.produces.area: a rule of an account has the area rule";
	return NULL;
}

static bool
check_rule_sample(struct arena *a, struct arena *scratch, const struct rule_query *q,
    const struct rule_file_test *t)
{
	struct rule_sample sample = {
		.name = t->name, .record = json_parse(a, t->record), .match = t->match
	};

	return sample.record != NULL && rule_sample_passes(scratch, q, &sample, NULL, 0, NULL);
}

bool
rule_file_check(struct arena *a, struct arena *scratch, const struct rule_file *r,
    enum rule_origin origin, size_t *samples, struct yaml_fault *fault)
{
	struct rule_query_fault wrong;
	struct rule_query q;
	const char *why;

	if (!rule_query_parse(a, r->dataset, r->query, r->exclude, ts_now(), &q, &wrong))
		return refuse_rule(a, fault, r->line,
		    arena_printf(a, "surface.%s, character %u: %.*s", wrong.member, wrong.fault.at,
			(int)wrong.fault.message.n, wrong.fault.message.p));
	for (size_t i = 0; i < r->ntests; i++) {
		const struct rule_file_test *t = &r->tests[i];

		if (!check_rule_sample(a, scratch, &q, t))
			return refuse_rule(a, fault, r->line,
			    arena_printf(a, "surface.tests[%zu]: the rule %s the sample \"%.*s\"",
				i, t->match ? "does not match" : "matches", (int)t->name.n,
				t->name.p));
		++*samples;
	}
	why = origin == RULE_OF_CATALOGUE ? catalogue_fault(r, &q)
	      : origin == RULE_OF_ACCOUNT ? account_fault(r)
					  : NULL;
	return why == NULL || refuse_rule(a, fault, r->line, str_of(why));
}
