/* SPDX-License-Identifier: ISC */
/* Builds the tree of yaml.h from libyaml's events. The open lists and mappings are a stack:

     surface:                 level 0   {surface: }
       tests:                 level 1   {tests: }
         - name: open         level 2   [ ]
           expect: match      level 3   {name: open, expect: }   <- a scalar now is the value of expect

   In a mapping a scalar is a key when no key waits for its value, otherwise that value. */
#include "config.h"

#include "cli/rule/yaml.h"

#include "json/json.h"

#include <yaml.h>

struct level {
	struct tree *of;
	struct str key; /* MAP: waits for its value; p NULL: none */
	size_t room;
};

struct reader {
	struct arena *a;
	struct level levels[YAML_LEVELS];
	size_t depth, ndocuments;
	struct tree **documents;
	struct yaml_fault *fault;
};

static bool refuse_yaml(struct reader *r, size_t line, const char *fmt, ...) PRINTF(3, 4);

static bool
refuse_yaml(struct reader *r, size_t line, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	r->fault->line = line;
	r->fault->what = arena_str(r->a, str_of(what));
	return false;
}

/* ---- the tree ---- */

static bool
is_duplicate(const struct tree *map, struct str name)
{
	for (size_t i = 0; i < map->n; i++)
		if (str_eq(map->names[i], name))
			return true;
	return false;
}

static void
append(struct reader *r, struct level *l, struct tree *item)
{
	struct tree *t = l->of;

	if (t->n == l->room) {
		size_t room = l->room == 0 ? 8 : 2 * l->room;
		struct tree **items = ARENA_ARRAY(r->a, room, struct tree *);
		struct str *names = ARENA_ARRAY(r->a, t->type == TREE_MAP ? room : 1, struct str);

		for (size_t i = 0; i < t->n; i++) {
			items[i] = t->items[i];
			if (t->type == TREE_MAP)
				names[i] = t->names[i];
		}
		t->items = items;
		t->names = names;
		l->room = room;
	}
	if (t->type == TREE_MAP)
		t->names[t->n] = l->key;
	t->items[t->n++] = item;
	l->key = STR_NULL;
}

/* More members than any rule has are refused, so that comparing names in pairs stays cheap. */
enum { MEMBERS = 1024 };

static bool
take_yaml_key(struct reader *r, struct level *l, const struct tree *t)
{
	if (t->plain && str_is(t->text, "<<"))
		return refuse_yaml(r, t->line, "merge keys (<<) are refused");
	if (l->of->n == MEMBERS)
		return refuse_yaml(r, t->line, "a mapping has more than %d members", (int)MEMBERS);
	if (is_duplicate(l->of, t->text))
		return refuse_yaml(
		    r, t->line, "the key %.60s stands twice in one mapping", t->text.p);
	l->key = t->text;
	return true;
}

/* Puts a complete scalar, or an empty list or mapping that begins, in its place. */
static bool
place(struct reader *r, struct tree *t)
{
	struct level *l;

	if (r->depth == 0) {
		r->documents = arena_room(r->a, r->documents, r->ndocuments, sizeof(struct tree *));
		r->documents[r->ndocuments++] = t;
		return true;
	}
	l = &r->levels[r->depth - 1];
	if (l->of->type == TREE_LIST || l->key.p != NULL) {
		append(r, l, t);
		return true;
	}
	if (t->type != TREE_TEXT)
		return refuse_yaml(r, t->line, "a key is a list or a mapping instead of a text");
	return take_yaml_key(r, l, t);
}

/* ---- events ---- */

static bool
check_node(struct reader *r, size_t line, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor != NULL)
		return refuse_yaml(r, line, "anchors are refused: &%.60s", (const char *)anchor);
	if (tag != NULL)
		return refuse_yaml(r, line, "tags are refused: %.60s", (const char *)tag);
	return true;
}

static bool
read_scalar(struct reader *r, const yaml_event_t *e, size_t line)
{
	struct str text = { (const char *)e->data.scalar.value, e->data.scalar.length };
	struct tree *t = ARENA_NEW(r->a, struct tree);

	if (!check_node(r, line, e->data.scalar.anchor, e->data.scalar.tag))
		return false;
	if (memchr(text.p, '\0', text.n) != NULL)
		return refuse_yaml(r, line, "a text contains U+0000");
	*t = (struct tree){ .type = TREE_TEXT,
		.line = line,
		.text = arena_str(r->a, text),
		.plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE };
	return place(r, t);
}

static bool
begin_container(struct reader *r, enum tree_type type, size_t line)
{
	struct tree *t = ARENA_NEW(r->a, struct tree);

	*t = (struct tree){ .type = type, .line = line };
	if (r->depth == YAML_LEVELS)
		return refuse_yaml(
		    r, line, "the nesting is deeper than %d levels", (int)YAML_LEVELS);
	if (!place(r, t))
		return false;
	r->levels[r->depth++] = (struct level){ .of = t };
	return true;
}

static bool
read_yaml_event(struct reader *r, const yaml_event_t *e)
{
	size_t line = e->start_mark.line + 1;

	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return refuse_yaml(
		    r, line, "aliases are refused: *%.60s", (const char *)e->data.alias.anchor);
	case YAML_SCALAR_EVENT:
		return read_scalar(r, e, line);
	case YAML_SEQUENCE_START_EVENT:
		return check_node(
			   r, line, e->data.sequence_start.anchor, e->data.sequence_start.tag) &&
		       begin_container(r, TREE_LIST, line);
	case YAML_MAPPING_START_EVENT:
		return check_node(
			   r, line, e->data.mapping_start.anchor, e->data.mapping_start.tag) &&
		       begin_container(r, TREE_MAP, line);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return true;
	case YAML_DOCUMENT_START_EVENT:
		if (e->data.document_start.tag_directives.start !=
		    e->data.document_start.tag_directives.end)
			return refuse_yaml(r, line, "tags are refused: %%TAG");
		return true;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return true;
	}
	panic("yaml_event_type %d", (int)e->type); /* UNCOVERED: the switch is complete */
}

static bool
refuse_syntax(struct reader *r, const yaml_parser_t *parser)
{
	return refuse_yaml(r, parser->problem_mark.line + 1, "no YAML: %s",
	    parser->problem == NULL ? "memory" : parser->problem);
}

static bool
read_yaml_events(struct reader *r, yaml_parser_t *parser)
{
	bool end = false, ok = true;

	while (ok && !end) {
		yaml_event_t e;

		if (!yaml_parser_parse(parser, &e))
			return refuse_syntax(r, parser);
		ok = read_yaml_event(r, &e);
		end = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	return ok;
}

static size_t
line_of(struct str text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text.p[i] == '\n';
	return line;
}

/* libyaml would read UTF-16 that begins with a byte order mark. */
static bool
check_bytes(struct reader *r, struct str text)
{
	size_t bad;

	if (text.n > YAML_BYTES)
		return refuse_yaml(r, 1, "the file has more than %d bytes", (int)YAML_BYTES);
	bad = str_utf8_bad(text);
	if (bad < text.n)
		return refuse_yaml(r, line_of(text, bad), "the encoding is not UTF-8");
	return text.n == 0 || memchr(text.p, '\0', text.n) == NULL ||
	       refuse_yaml(r, 1, "the encoding is not UTF-8");
}

bool
yaml_read(
    struct arena *a, struct str text, struct tree ***documents, size_t *n, struct yaml_fault *fault)
{
	struct reader r = { .a = a, .fault = fault };
	yaml_parser_t parser;
	bool ok;

	*n = 0;
	*documents = NULL;
	if (!check_bytes(&r, text))
		return false;
	if (str_starts(text, STR("\xef\xbb\xbf"))) /* libyaml would count it as a column */
		text = (struct str){ text.p + 3, text.n - 3 };
	if (!yaml_parser_initialize(&parser))
		panic("yaml_parser_initialize: no memory");
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	    &parser, (const unsigned char *)(text.n > 0 ? text.p : ""), text.n);
	ok = read_yaml_events(&r, &parser);
	yaml_parser_delete(&parser);
	*documents = r.documents;
	*n = ok ? r.ndocuments : 0;
	return ok;
}

const struct tree *
yaml_member(const struct tree *t, const char *name)
{
	for (size_t i = 0; t != NULL && t->type == TREE_MAP && i < t->n; i++)
		if (str_is(t->names[i], name))
			return t->items[i];
	return NULL;
}

/* ---- JSON ---- */

/* Whether JSON reads the unquoted text as a number, a boolean or null. */
static bool
is_json_literal(struct arena *a, const struct tree *t)
{
	struct json_fault fault;

	return t->plain && t->text.n > 0 && strchr("-0123456789tfn", t->text.p[0]) != NULL &&
	       json_scan(a, t->text, 1, &fault);
}

/* Recursive; a tree has at most YAML_LEVELS levels. */
void
yaml_json(struct arena *a, struct buf *out, const struct tree *t)
{
	if (t->type == TREE_TEXT) {
		if (is_json_literal(a, t))
			buf_str(out, t->text);
		else
			json_write_str(out, t->text);
		return;
	}
	buf_char(out, t->type == TREE_LIST ? '[' : '{');
	for (size_t i = 0; i < t->n; i++) {
		if (i > 0)
			buf_char(out, ',');
		if (t->type == TREE_MAP) {
			json_write_str(out, t->names[i]);
			buf_char(out, ':');
		}
		yaml_json(a, out, t->items[i]);
	}
	buf_char(out, t->type == TREE_LIST ? ']' : '}');
}

/* ---- writing ---- */

/* Decodes the character at s.p[*i] of valid UTF-8, and moves *i after it. */
static uint32_t
next_character(struct str s, size_t *i)
{
	unsigned char first = (unsigned char)s.p[(*i)++];
	int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	uint32_t c = more == 0 ? first : first & (0x3fu >> more);

	for (; more > 0 && *i < s.n; more--)
		c = c << 6 | ((unsigned char)s.p[(*i)++] & 0x3f);
	return c;
}

/* Characters that YAML takes for line ends or forbids are written as escapes. */
static bool
needs_escape(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
	       c == 0xfffe || c == 0xffff;
}

void
yaml_quote(struct buf *out, struct str s)
{
	size_t i = 0;

	buf_char(out, '"');
	while (i < s.n) {
		size_t from = i;
		uint32_t c = next_character(s, &i);

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", (int)c);
		else if (c == '\n')
			buf_z(out, "\\n");
		else if (c == '\t')
			buf_z(out, "\\t");
		else if (needs_escape(c))
			buf_printf(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, s.p + from, i - from);
	}
	buf_char(out, '"');
}
