/* SPDX-License-Identifier: ISC */
/* surfaced-text: HTML from standard input as Markdown on standard output. surfacectl runs it in a
 * sandbox (cli/report/convert.c), since its input is hostile.
 *
 *   <h2>Network</h2>                    ## Network
 *   <p>See <a href="u">it</a></p>       See [it](u)
 *   <tr><td>a</td><td>b</td></tr>       a | b
 *   <li>x</li>                          - x
 *   <pre>, <code>                       lines as they are, between ```
 *   <script>, <style>, comments         nothing
 *
 * The tree is walked without recursion, because a document may be nested a million levels deep. */
#include "config.h"

#include <gumbo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT = 64 << 20, PART = 65536 };

struct output {
	bool blank;   /* the last character was a blank or a newline */
	unsigned pre; /* depth in elements whose white space counts */
};

static void
put_html_text(struct output *o, const char *s)
{
	for (; *s != '\0'; s++) {
		bool blank = strchr(" \t\r\n\f", *s) != NULL;

		if (o->pre > 0)
			putchar(*s);
		else if (!blank)
			putchar(*s);
		else if (!o->blank)
			putchar(' ');
		o->blank = blank;
	}
}

static void
put_line(struct output *o, const char *s)
{
	putchar('\n');
	fputs(s, stdout);
	o->blank = true;
}

static bool
is_dropped(GumboTag tag)
{
	return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_NOSCRIPT ||
	       tag == GUMBO_TAG_TEMPLATE || tag == GUMBO_TAG_TITLE || tag == GUMBO_TAG_SVG;
}

static const char *
link_of(const GumboNode *n)
{
	const GumboAttribute *href;

	if (n->v.element.tag != GUMBO_TAG_A)
		return NULL;
	href = gumbo_get_attribute(&n->v.element.attributes, "href");
	return href == NULL ? NULL : href->value;
}

static void
begin_element(struct output *o, const GumboNode *n)
{
	static const char marks[] = "###### ";
	GumboTag tag = n->v.element.tag;

	if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6)
		put_line(o, marks + (GUMBO_TAG_H6 - tag));
	else if (tag == GUMBO_TAG_LI)
		put_line(o, "- ");
	else if (tag == GUMBO_TAG_PRE) {
		put_line(o, "```\n");
		o->pre++;
	} else if ((tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) && n->index_within_parent > 0)
		put_html_text(o, " | ");
	else if (tag == GUMBO_TAG_BR || tag == GUMBO_TAG_TR || tag == GUMBO_TAG_P ||
		 tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_TABLE)
		put_line(o, "");
	else if (link_of(n) != NULL)
		put_html_text(o, "[");
}

static void
end_element(struct output *o, const GumboNode *n)
{
	GumboTag tag = n->v.element.tag;

	if (tag == GUMBO_TAG_PRE) {
		o->pre--;
		put_line(o, "```\n");
	} else if ((tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) || tag == GUMBO_TAG_P ||
		   tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL)
		put_line(o, "\n");
	else if (link_of(n) != NULL) {
		put_html_text(o, "](");
		put_html_text(o, link_of(n));
		put_html_text(o, ")");
	}
}

/* The children of an element; NULL: the node has none. */
static const GumboVector *
children_of(const GumboNode *n)
{
	if (n->type == GUMBO_NODE_DOCUMENT)
		return &n->v.document.children;
	if (n->type == GUMBO_NODE_ELEMENT && !is_dropped(n->v.element.tag))
		return &n->v.element.children;
	return NULL;
}

static void
enter_html_node(struct output *o, const GumboNode *n)
{
	if (n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_WHITESPACE ||
	    n->type == GUMBO_NODE_CDATA)
		put_html_text(o, n->v.text.text);
	else if (n->type == GUMBO_NODE_ELEMENT && !is_dropped(n->v.element.tag))
		begin_element(o, n);
}

/* The node behind n in the order of the document, or NULL; ends the elements that end in
   between. */
static const GumboNode *
next_node(struct output *o, const GumboNode *root, const GumboNode *n)
{
	const GumboVector *inside = children_of(n);

	if (inside != NULL && inside->length > 0)
		return inside->data[0];
	for (; n != root; n = n->parent) {
		const GumboVector *around = children_of(n->parent);

		if (n->type == GUMBO_NODE_ELEMENT && !is_dropped(n->v.element.tag))
			end_element(o, n);
		if (n->index_within_parent + 1 < around->length)
			return around->data[n->index_within_parent + 1];
	}
	return NULL;
}

int
main(void)
{
	char *text = NULL;
	size_t n = 0, got;
	struct output o = { .blank = true };
	const GumboOutput *tree;

	do {
		text = realloc(text, n + PART);
		if (text == NULL)
			return EXIT_FAILURE;
		got = fread(text + n, 1, PART, stdin);
		n += got;
	} while (got > 0 && n <= INPUT);
	if (n > INPUT || ferror(stdin))
		return EXIT_FAILURE;
	tree = gumbo_parse_with_options(&kGumboDefaultOptions, text, n);
	if (tree == NULL)
		return EXIT_FAILURE;
	for (const GumboNode *at = tree->document; at != NULL;
	     at = next_node(&o, tree->document, at))
		enter_html_node(&o, at);
	putchar('\n');
	/* The tree is not freed: the process ends, and gumbo frees it by recursion. */
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
