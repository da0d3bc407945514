/* SPDX-License-Identifier: ISC */
/* Finds a collection from any URL of its server. The members of a resource show its kind:
 *
 *   discovery         has api_roots     --> its default root, or its only one
 *   API root          has versions      --> collections/
 *   list              has collections   --> the one that is wanted, or the only one that may be read
 *   collection        has can_read
 *
 * Only references to the same host are followed. */
#include "config.h"

#include "cli/report/taxii_priv.h"

#include "json/tree.h"

enum { STEPS = 4, SHOWN = 200, NAMED = 50 };

struct search {
	struct cli *cli;
	struct str url, wanted;
	struct taxii_collection found;
};

static struct str
root_text_of(const struct json_value *object, const char *name)
{
	const struct json_value *v = json_get(object, name);

	return v == NULL ? STR_NULL : json_text(v);
}

static const struct json_value *
api_root_list_of(const struct json_value *object, const char *name)
{
	const struct json_value *v = json_get(object, name);

	return v != NULL && json_type(v) == JSON_ARRAY ? v : NULL;
}

/* The text without control characters, as a terminal may show it. */
static struct str
shown(struct arena *a, struct str s)
{
	char *p;

	s = arena_str(a, str_cut(s, SHOWN));
	p = (char *)(uintptr_t)s.p;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)p[i] < ' ' || p[i] == 0x7f)
			p[i] = ' ';
	return s;
}

/* ---- discovery ---- */

static int
go_to_root(struct search *s, const struct json_value *discovery, const struct json_value *roots)
{
	struct arena *a = s->cli->arena;
	struct str root = root_text_of(discovery, "default"), url;

	if (root.n == 0 && json_length(roots) == 1)
		root = json_text(json_at(roots, 0));
	for (size_t i = 0; root.n == 0 && i < json_length(roots) && i < NAMED; i++) {
		struct str one = shown(a, json_text(json_at(roots, i)));

		cli_fail(EXIT_FAILED, "API root: %.*s", (int)one.n, one.p == NULL ? "" : one.p);
	}
	if (root.n == 0)
		return cli_fail(EXIT_FAILED,
		    "%.*s has no default API root; give the URL of one instead", (int)s->url.n,
		    s->url.p);
	url = taxii_url_join(a, s->url, root);
	root = shown(a, root);
	if (url.p == NULL)
		return cli_fail(EXIT_FAILED,
		    "the API root %.*s is on another host than %.*s; if you trust it, give its URL "
		    "instead",
		    (int)root.n, root.p, (int)s->url.n, s->url.p);
	s->url = url;
	return EXIT_OK;
}

/* ---- the list of collections ---- */

static bool
may_be_read(const struct json_value *collection)
{
	const struct json_value *v = json_get(collection, "can_read");

	return v == NULL || json_type(v) != JSON_BOOL || json_bool(v);
}

static bool
is_wanted(const struct search *s, const struct json_value *collection)
{
	static const char *const names[] = { "id", "alias", "title" };

	if (s->wanted.p == NULL)
		return may_be_read(collection);
	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(root_text_of(collection, names[i]), s->wanted))
			return true;
	return false;
}

static void
print_collection(struct search *s, const struct json_value *collection)
{
	struct str id = shown(s->cli->arena, root_text_of(collection, "id"));
	struct str title = shown(s->cli->arena, root_text_of(collection, "title"));

	cli_fail(EXIT_FAILED, "collection %.*s: %.*s%s", (int)id.n, id.n == 0 ? "" : id.p,
	    (int)title.n, title.n == 0 ? "" : title.p,
	    may_be_read(collection) ? "" : " (the credentials may not read it)");
}

static int
choose_root(struct search *s, const struct json_value *list)
{
	const struct json_value *chosen = NULL;
	size_t n = 0;
	struct str id;

	for (size_t i = 0; i < json_length(list); i++) {
		const struct json_value *one = json_at(list, i);

		if (json_type(one) != JSON_OBJECT || !is_wanted(s, one))
			continue;
		chosen = one;
		n++;
	}
	if (n != 1) {
		for (size_t i = 0; i < json_length(list) && i < NAMED; i++)
			if (json_type(json_at(list, i)) == JSON_OBJECT)
				print_collection(s, json_at(list, i));
		return cli_fail(EXIT_FAILED,
		    "%.*s has %zu collections that fit; name one by its id with --collection",
		    (int)s->url.n, s->url.p, n);
	}
	id = root_text_of(chosen, "id");
	if (id.n == 0 || !str_graphic(id) || id.p[0] == '.')
		return cli_fail(EXIT_FAILED, "%.*s has a collection without a sound id",
		    (int)s->url.n, s->url.p);
	s->url = taxii_url_segment(s->cli->arena, s->url, id);
	return EXIT_OK;
}

/* ---- steps ---- */

static int
take_collection(struct search *s, const struct json_value *collection)
{
	struct str title = shown(s->cli->arena, root_text_of(collection, "title"));

	if (!may_be_read(collection))
		return cli_fail(EXIT_FAILED, "%.*s: the credentials may not read this collection",
		    (int)s->url.n, s->url.p);
	s->found.url = s->url;
	s->found.title = title.n > 0 ? title : s->url;
	return EXIT_OK;
}

/* Reads one resource, and follows its link toward the collection. */
static int
step(struct search *s, struct str body)
{
	const struct json_value *v = json_parse(s->cli->arena, body), *list;

	if (v == NULL || json_type(v) != JSON_OBJECT)
		return cli_fail(EXIT_FAILED, "%.*s: the answer is no resource of TAXII 2.1",
		    (int)s->url.n, s->url.p);
	list = api_root_list_of(v, "api_roots");
	if (list != NULL)
		return go_to_root(s, v, list);
	if (api_root_list_of(v, "versions") != NULL) {
		s->url = taxii_url_segment(s->cli->arena, s->url, STR("collections"));
		return EXIT_OK;
	}
	list = api_root_list_of(v, "collections");
	if (list != NULL)
		return choose_root(s, list);
	if (json_get(v, "can_read") != NULL)
		return take_collection(s, v);
	return cli_fail(
	    EXIT_FAILED, "%.*s: the answer is no resource of TAXII 2.1", (int)s->url.n, s->url.p);
}

int
taxii_find(struct cli *c, struct taxii_http *h, struct str url, struct str wanted,
    struct taxii_collection *out)
{
	static const struct str objects = STR_INIT("/objects/");
	struct search s = { .cli = c, .url = url, .wanted = wanted };
	struct taxii_answer answer;
	int status = EXIT_OK;

	if (str_ends(url, objects))
		s.url.n -= objects.n - 1;
	for (int i = 0; i < STEPS && s.found.url.p == NULL && status == EXIT_OK; i++) {
		status = taxii_get(h, c->arena, s.url, &answer);
		if (status == EXIT_OK)
			status = step(&s, answer.body);
	}
	if (status == EXIT_OK && s.found.url.p == NULL)
		status = cli_fail(EXIT_FAILED, "%.*s leads to no collection", (int)url.n, url.p);
	*out = s.found;
	return status;
}
