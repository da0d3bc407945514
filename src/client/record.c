/* SPDX-License-Identifier: ISC */
/* One document on a terminal: a member on each line, and a block for each object of a list.
 *
 *   ip             192.0.2.1
 *   hostnames      www.example.com, example.com
 *
 *   services  443/tcp
 *     protocol     https
 *     http.title   Welcome
 */
#include "config.h"

#include "client/print.h"
#include "client/value.h"

enum { LINES_MOST = 6, LEFT_MIN = 12, LEFT_MAX = 32, INDENT = 2, PATH_ROOM = 256 };

struct record {
	struct client *c;
	struct buf b;
	char path[PATH_ROOM];
	size_t indent;
	size_t left;    /* columns of the names */
	bool objects;   /* the second pass, which prints the lists of objects */
	bool measuring; /* before both: finds left */
};

/* Whether the heading of the block shows this member. */
static bool
is_record_heading(const struct record *r, struct str name)
{
	return r->indent > 0 && r->path[0] == '\0' &&
	       (str_is(name, "port") || str_is(name, "transport"));
}

static bool each_member(void *arg, struct str name, struct json_value *member);

static void
walk_object(struct record *r, const struct json_value *v)
{
	json_each(v, each_member, r);
}

static void
print_record_line(struct record *r, const struct json_value *v)
{
	size_t width = text_width(str_of(r->path)), room = r->c->screen.columns;
	struct buf raw = { .p = NULL }, shown = { .p = NULL };
	size_t before = r->indent + r->left + INDENT;

	if (r->measuring) {
		if (width > r->left && width <= LEFT_MAX)
			r->left = width;
		return;
	}
	value_cell(&raw, v, "", ", ");
	text_show(&shown, &r->c->screen, buf_done(&raw));
	buf_printf(&r->b, "%*s", (int)r->indent, "");
	style_out(&r->b, &r->c->screen, DIM);
	buf_z(&r->b, r->path);
	style_out(&r->b, &r->c->screen, PLAIN);
	buf_printf(&r->b, "%*s", (int)(width < r->left ? r->left - width + INDENT : INDENT), "");
	if (room != SIZE_MAX && room > before + LEFT_MIN)
		text_wrap(&r->b, &r->c->screen, buf_done(&shown),
		    &(struct wrap){ .width = room - before, .indent = before, .most = LINES_MOST });
	else
		buf_str(&r->b, buf_done(&shown));
	buf_char(&r->b, '\n');
	buf_free(&raw);
	buf_free(&shown);
}

/* The heading of an object of a list: "443/tcp" of a service, otherwise its place in the list. */
static void
print_record_heading(struct record *r, const struct json_value *item, size_t i)
{
	struct str transport = value_text(item, "transport");
	int64_t port;

	buf_printf(&r->b, "\n%*s", (int)r->indent, "");
	style_out(&r->b, &r->c->screen, BOLD);
	buf_z(&r->b, r->path);
	if (value_int(item, "port", &port))
		buf_printf(&r->b, "  %lld", (long long)port);
	else
		buf_printf(&r->b, "  %zu", i + 1);
	if (transport.p != NULL) {
		buf_char(&r->b, '/');
		text_show(&r->b, &r->c->screen, transport);
	}
	style_out(&r->b, &r->c->screen, PLAIN);
	buf_char(&r->b, '\n');
}

/* Prints an object: first the members that take one line, then the lists of objects. */
static void
print_record_object(struct record *r, const struct json_value *v)
{
	char path[PATH_ROOM];
	size_t left = r->left;

	memcpy(path, r->path, sizeof(path));
	r->path[0] = '\0';
	r->left = LEFT_MIN;
	r->objects = false;
	r->measuring = true;
	walk_object(r, v);
	r->measuring = false;
	walk_object(r, v);
	r->objects = true;
	walk_object(r, v);
	memcpy(r->path, path, sizeof(path));
	r->left = left;
	r->objects = true;
}

static void
print_list(struct record *r, const struct json_value *v)
{
	for (size_t i = 0; i < json_length(v); i++) {
		print_record_heading(r, json_at(v, i), i);
		r->indent += INDENT;
		print_record_object(r, json_at(v, i));
		r->indent -= INDENT;
	}
}

static bool
is_list_of_objects(const struct json_value *v)
{
	return json_type(v) == JSON_ARRAY && json_length(v) > 0 &&
	       json_type(json_at(v, 0)) == JSON_OBJECT;
}

static bool
each_member(void *arg, struct str name, struct json_value *member)
{
	struct record *r = arg;
	size_t n = strlen(r->path);
	struct str path = { r->path, n };
	struct buf shown = { .p = NULL };

	text_show(&shown, &r->c->screen, name);
	if (json_type(member) != JSON_NULL && !is_record_heading(r, name) &&
	    n + shown.n + 2 < sizeof(r->path)) {
		snprintf(r->path + n, sizeof(r->path) - n, "%s%.*s", n > 0 ? "." : "", (int)shown.n,
		    shown.p);
		if (json_type(member) == JSON_OBJECT)
			walk_object(r, member);
		else if (r->objects && is_list_of_objects(member))
			print_list(r, member);
		else if (!r->objects && !is_list_of_objects(member))
			print_record_line(r, member);
		r->path[path.n] = '\0';
	}
	buf_free(&shown);
	return true;
}

int
record_print(struct client *c, const struct json_value *v, const struct column *columns)
{
	struct record r = { .c = c };
	struct table t;

	if (c->form == FORM_NDJSON) {
		line_print(c, v);
		return DONE;
	}
	if (c->form == FORM_CSV) {
		if (!table_begin(&t, c, columns))
			return WRONG_USAGE;
		table_one(&t, v);
		return DONE;
	}
	print_record_object(&r, v);
	str_write(buf_done(&r.b), stdout);
	buf_free(&r.b);
	return DONE;
}
