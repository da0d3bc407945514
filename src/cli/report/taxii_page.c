/* SPDX-License-Identifier: ISC */
/* Reads an envelope of TAXII. Objects are kept as they were sent, so the text is cut into its
   objects beside the parsed tree, which has no texts. json_scan has accepted the text before, so
   quotes and brackets are enough to find the ends. */
#include "config.h"

#include "cli/report/taxii_page.h"

#include "json/json.h"
#include "json/tree.h"

enum { ID_MAX = 300, TYPE_MAX = 300, NEXT_MAX = 8192 };

/* ---- cutting ---- */

static bool
is_json_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t
skip_json_blanks(struct str s, size_t i)
{
	while (i < s.n && is_json_blank(s.p[i]))
		i++;
	return i;
}

/* The end of the value that begins at i. */
static size_t
skip_value(struct str s, size_t i)
{
	size_t depth = 0;
	bool quoted = false;

	for (; i < s.n; i++) {
		char c = s.p[i];

		if (quoted) {
			i += c == '\\';
			quoted = c != '"';
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']')) {
			return i;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return s.n;
}

/* The text of the list "objects" of the envelope, from its bracket on; STR_NULL: the envelope
   spells the name with escapes. */
static struct str
find_list(struct str s)
{
	static const struct str name = STR_INIT("\"objects\"");

	for (size_t i = skip_json_blanks(s, 0) + 1; i < s.n; i++) {
		size_t begin = skip_json_blanks(s, i), end = skip_value(s, begin), value = end + 1;
		struct str member = { s.p + begin, end - begin };

		while (member.n > 0 && is_json_blank(member.p[member.n - 1]))
			member.n--;
		if (value >= s.n)
			break;
		value = skip_json_blanks(s, value);
		if (str_eq(member, name))
			return (struct str){ s.p + value, s.n - value };
		i = skip_value(s, value);
	}
	return STR_NULL;
}

/* Removes the next element from the list; the first time *list begins with its bracket. */
static struct str
cut_element(struct str *list)
{
	size_t begin = skip_json_blanks(*list, 1), end = skip_value(*list, begin);
	struct str element = { list->p + begin, end - begin };

	*list = (struct str){ list->p + end, list->n - end };
	return element;
}

/* ---- objects ---- */

static struct str
object_text_of(const struct json_value *object, const char *name)
{
	const struct json_value *v = json_get(object, name);

	return v == NULL ? STR_NULL : json_text(v);
}

static struct ts
time_of_object(const struct json_value *object, const char *name)
{
	struct str text = object_text_of(object, name);
	struct ts t;

	return text.p != NULL && ts_parse(text, &t) ? t : TS_NULL;
}

static struct str
month_of(struct arena *a, struct ts created)
{
	char text[TS_LEN + 1];

	if (ts_is_null(created))
		return STR("undated");
	ts_print(created, text);
	return arena_str(a, (struct str){ text, sizeof("2026-03") - 1 });
}

static bool
is_member_name(struct str s, size_t most)
{
	return s.n > 0 && s.n <= most && str_graphic(s);
}

static bool
add_taxii_object(
    struct arena *a, struct taxii_page *page, const struct json_value *v, struct str text)
{
	struct str id, type;

	if (json_type(v) != JSON_OBJECT)
		return false;
	id = object_text_of(v, "id");
	type = object_text_of(v, "type");
	if (!is_member_name(id, ID_MAX) || !is_member_name(type, TYPE_MAX))
		return false;
	page->p[page->n++] = (struct taxii_object){ .id = id,
		.type = type,
		.month = month_of(a, time_of_object(v, "created")),
		.modified = time_of_object(v, "modified"),
		.text = text };
	return true;
}

bool
taxii_page_read(struct arena *a, struct str text, struct taxii_page *out, struct str *fault)
{
	struct json_fault scan = { 0 };
	const struct json_value *root = json_parse_with_fault(a, text, &scan), *objects, *v;
	struct str list = STR_NULL;

	*out = (struct taxii_page){ .next = STR_NULL };
	if (root == NULL || json_type(root) != JSON_OBJECT) {
		*fault = root != NULL
			     ? STR("is no envelope of TAXII")
			     : arena_printf(a, "is no JSON: byte %zu: %s", scan.at, scan.what);
		return false;
	}
	v = json_get(root, "more");
	out->more = v != NULL && json_bool(v);
	out->next = object_text_of(root, "next");
	if (out->next.n == 0)
		out->next = STR_NULL;
	objects = json_get(root, "objects");
	if (objects != NULL && json_type(objects) == JSON_ARRAY)
		list = find_list(text);
	if (out->next.n > NEXT_MAX || (objects != NULL && list.p == NULL)) {
		*fault = STR("is no envelope of TAXII");
		return false;
	}
	out->p = ARENA_ARRAY(a, objects == NULL ? 0 : json_length(objects), struct taxii_object);
	for (size_t i = 0; objects != NULL && i < json_length(objects); i++)
		out->nameless += !add_taxii_object(a, out, json_at(objects, i), cut_element(&list));
	return true;
}
