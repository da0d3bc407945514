/* SPDX-License-Identifier: ISC */
/* Results of tools/call:
 *
 *   {"content":[{"type":"text","text":"{\"host\":{...}}"},     the document as JSON
 *               {"type":"text","text":"...was cut..."}],       what was left out, warnings, carets
 *    "structuredContent":{"host":{...}},                       the same document
 *    "isError":false}
 *
 * An assistant reads everything that it gets, and its memory is small: so a document larger than
 * the bound is cut. The rows of `bounds` are tried from the first on until the document fits:
 * longer texts and lists end earlier and earlier. Every list that was cut is named, with the number
 * of its items, and a page whose list was cut has no cursor, because the next page begins behind
 * documents that the assistant has not got.
 *
 * Texts of documents come from hostile hosts. A program decodes the JSON of structuredContent and
 * may print what it gets, so control characters and marks of direction are replaced by \x1b and the
 * like as text_show does for a terminal. */
#include "config.h"

#include "client/api.h"
#include "client/mcp_result.h"
#include "client/value.h"
#include "json/json.h"

enum { CUTS_NAMED = 8 };

struct bounds {
	size_t text, items; /* bytes of a text, items of a list */
};

static const struct bounds bounds[] = { { SIZE_MAX, SIZE_MAX }, { 1000, 100 }, { 300, 30 },
	{ 120, 10 }, { 60, 3 }, { 30, 1 } };

struct cutting {
	struct client *c;
	struct buf *b;
	struct bounds bounds;
	struct buf path; /* "hosts[0].services" */
	struct buf cuts; /* sentences about lists */
	size_t ncuts, ntexts;
	bool no_cursor;
};

static void add_cut_value(struct cutting *k, const struct json_value *v);

static void
add_cut_text(struct cutting *k, struct str text)
{
	struct buf shown = { .p = NULL };
	struct str part = text.n > k->bounds.text ? str_cut_bytes(text, k->bounds.text) : text;

	text_show(&shown, &k->c->screen, part);
	if (part.n < text.n) {
		buf_printf(&shown, " [cut: %zu of %zu bytes]", part.n, text.n);
		k->ntexts++;
	}
	json_write_str(k->b, buf_done(&shown));
	buf_free(&shown);
}

static void
add_cut_list(struct cutting *k, const struct json_value *v)
{
	size_t n = json_length(v), path = k->path.n;

	if (n > k->bounds.items) {
		if (++k->ncuts <= CUTS_NAMED)
			buf_printf(&k->cuts, "%s%.*s: %zu of %zu items", k->ncuts == 1 ? "" : "; ",
			    (int)k->path.n, k->path.p, k->bounds.items, n);
		n = k->bounds.items;
	}
	buf_char(k->b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(k->b, ',');
		buf_printf(&k->path, "[%zu]", i);
		add_cut_value(k, json_at(v, i));
		k->path.n = path;
	}
	buf_char(k->b, ']');
}

static bool
add_cut_member(void *arg, struct str name, struct json_value *member)
{
	struct cutting *k = arg;
	size_t path = k->path.n;

	if (path == 0 && k->no_cursor && str_is(name, "next_cursor"))
		return true;
	if (k->b->p[k->b->n - 1] != '{')
		buf_char(k->b, ',');
	buf_z(&k->path, path > 0 ? "." : "");
	text_show(&k->path, &k->c->screen, name);
	add_cut_text(&(struct cutting){ .c = k->c, .b = k->b, .bounds = bounds[0] }, name);
	buf_char(k->b, ':');
	add_cut_value(k, member);
	k->path.n = path;
	return true;
}

static void
add_cut_value(struct cutting *k, const struct json_value *v)
{
	switch (json_type(v)) {
	case JSON_STRING:
		add_cut_text(k, json_text(v));
		break;
	case JSON_ARRAY:
		add_cut_list(k, v);
		break;
	case JSON_OBJECT:
		buf_char(k->b, '{');
		json_each(v, add_cut_member, k);
		buf_char(k->b, '}');
		break;
	default:
		json_show(k->b, v);
	}
}

struct longest {
	size_t items;
};

static bool
measure_list(void *arg, struct str name, struct json_value *member)
{
	struct longest *l = arg;

	(void)name;
	if (json_type(member) == JSON_ARRAY && json_length(member) > l->items)
		l->items = json_length(member);
	return true;
}

/* Appends the document in at most `most` bytes; false if even the last row of the bounds is too
   much. */
static bool
add_document(struct cutting *k, const struct json_value *v, size_t most)
{
	struct longest list = { .items = 0 };

	json_each(v, measure_list, &list);
	for (size_t i = 0; i < COUNT(bounds); i++) {
		k->b->n = k->path.n = k->cuts.n = k->ncuts = k->ntexts = 0;
		k->bounds = bounds[i];
		k->no_cursor = list.items > bounds[i].items;
		add_cut_value(k, v);
		if (k->b->n <= most)
			return true;
	}
	return false;
}

/* ---- the texts beside the document ---- */

static void
add_cuts(struct buf *b, const struct cutting *k, size_t most)
{
	if (k->ncuts == 0 && k->ntexts == 0)
		return;
	buf_printf(b, "This answer was cut to fit %zu bytes. ", most);
	if (k->ncuts > 0)
		buf_printf(b, "Lists: %.*s%s. ", (int)k->cuts.n, k->cuts.p,
		    k->ncuts > CUTS_NAMED ? "; and more" : "");
	if (k->ntexts > 0)
		buf_printf(b, "%zu texts end with [cut: ...]. ", k->ntexts);
	buf_z(b, "Ask for single members with the argument \"fields\" where the tool has it, or "
		 "for less with "
		 "\"limit\".");
	if (k->no_cursor)
		buf_z(b, " There is no next_cursor, because the next page would begin behind what "
			 "was cut.");
	buf_char(b, '\n');
}

static void
add_result_message(struct buf *b, struct client *c, const struct json_value *v)
{
	struct str message = value_text(v, "message");
	int64_t position = api_position(&message);

	text_show(b, &c->screen, message);
	buf_char(b, '\n');
	if (position == 0 && !value_int(v, "position", &position))
		return;
	api_caret_add(b, c, position, PLAIN);
}

/* Warnings about the query, and the fault that validation found. */
static void
add_remarks(struct buf *b, struct client *c, const struct json_value *v)
{
	const struct json_value *warnings = value_get(v, "warnings");

	for (size_t i = 0; warnings != NULL && i < json_length(warnings); i++) {
		buf_z(b, "Warning: ");
		add_result_message(b, c, json_at(warnings, i));
	}
	if (value_text(value_get(v, "error"), "message").p != NULL) {
		buf_z(b, "The query is wrong: ");
		add_result_message(b, c, value_get(v, "error"));
	}
}

static void
add_refusal(struct buf *b, struct client *c, const struct json_value *error, const struct answer *a)
{
	const struct json_value *fields = value_get(error, "field_errors");

	add_result_message(b, c, error);
	for (size_t i = 0; fields != NULL && i < json_length(fields); i++) {
		text_show(b, &c->screen, value_text(json_at(fields, i), "field"));
		buf_z(b, ": ");
		text_show(b, &c->screen, value_text(json_at(fields, i), "message"));
		buf_char(b, '\n');
	}
	if (a->retry_after >= 0)
		buf_printf(b,
		    "The API asks to wait for %lld s; surface waits for --patience at most.\n",
		    (long long)a->retry_after);
	buf_printf(b, "(status %ld, code ", a->status);
	text_show(b, &c->screen, value_text(error, "code"));
	buf_z(b, ", request ");
	text_show(b, &c->screen, value_text(error, "request_id"));
	buf_z(b, ")\n");
}

/* ---- results ---- */

static void
add_content(struct buf *b, struct str text)
{
	if (text.n == 0)
		return;
	json_begin(b, '{');
	json_member_str(b, "type", "text");
	json_member(b, "text");
	json_write_str(b, text);
	buf_char(b, '}');
}

/* Any text may be NULL. */
static void
add_result(struct buf *b, const struct buf *document, const struct buf *remarks, bool failed)
{
	json_begin(b, '{');
	json_member_begin(b, "content", '[');
	if (document != NULL)
		add_content(b, buf_done(document));
	if (remarks != NULL)
		add_content(b, buf_done(remarks));
	buf_char(b, ']');
	if (document != NULL) {
		json_member(b, "structuredContent");
		buf_str(b, buf_done(document));
	}
	json_member(b, "isError");
	buf_z(b, failed ? "true}" : "false}");
}

void
result_failed(struct buf *b, struct client *c, struct str text)
{
	struct buf remarks = { .a = c->page };

	buf_str(&remarks, text);
	add_result(b, NULL, &remarks, true);
}

void
result_of_answer(
    struct buf *b, struct client *c, const struct answer *a, size_t most, int64_t lowered)
{
	const struct json_value *v = json_parse(c->page, buf_done(&a->body));
	struct buf document = { .a = c->page }, remarks = { .a = c->page };
	struct cutting k = {
		.c = c, .b = &document, .path = { .a = c->page }, .cuts = { .a = c->page }
	};

	if (a->status == 204) {
		buf_z(&remarks, "Done.\n");
		add_result(b, NULL, &remarks, false);
		return;
	}
	if (v == NULL || json_type(v) != JSON_OBJECT) {
		buf_printf(
		    &remarks, "The API's answer of status %ld is no JSON object.\n", a->status);
		add_result(b, NULL, &remarks, true);
		return;
	}
	if (a->status >= 300) {
		add_refusal(&remarks, c, value_get(v, "error"), a);
		add_result(b, NULL, &remarks, true);
		return;
	}
	if (!add_document(&k, v, most)) {
		buf_printf(
		    &remarks, "The answer is too large for %zu bytes even when it is cut.\n", most);
		add_result(b, NULL, &remarks, true);
		return;
	}
	if (lowered > 0)
		buf_printf(&remarks,
		    "The limit was lowered to %lld so that the page fits %zu bytes; next_cursor "
		    "continues.\n",
		    (long long)lowered, most);
	add_cuts(&remarks, &k, most);
	add_remarks(&remarks, c, v);
	add_result(b, &document, &remarks, false);
}

int64_t
result_fitting_limit(struct client *c, const struct answer *a, size_t most)
{
	const struct json_value *v =
	    a->status == 200 ? json_parse(c->page, buf_done(&a->body)) : NULL;
	struct longest list = { .items = 0 };
	size_t n = a->body.n;

	if (v == NULL || n <= most || value_get(v, "next_cursor") == NULL)
		return 0;
	json_each(v, measure_list, &list);
	if (list.items < 2)
		return 0;
	return (int64_t)(list.items * most / n > 1 ? list.items * most / n : 1);
}
