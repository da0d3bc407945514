/* SPDX-License-Identifier: ISC */
/* Arguments become a request:
 *
 *   {"ip":"192.0.2.1","fields":["ip","ports"]}   GET /search/hosts/192.0.2.1?fields=ip,ports
 *   {"query":"port:22","aggregations":[...]}     POST ... {"query":"port:22","aggregations":[...]}
 *
 * What an argument may hold is judged by the API, whose messages name the field. Here only the
 * names are checked, because an argument that has no place in the request would be lost. */
#include "config.h"

#include "base/guess.h"
#include "client/mcp_ask.h"
#include "client/value.h"
#include "json/json.h"

struct asking {
	struct client *c;
	const struct tool *tool;
	const struct json_value *args;
	const struct ask_bounds *bounds;
	struct buf path, body, *why;
	bool bad;
};

static void
explain_unknown(struct asking *k, struct str name)
{
	struct guess g;

	k->bad = true;
	buf_printf(k->why, "%.*s has no argument ", (int)k->tool->name.n, k->tool->name.p);
	text_show(k->why, &k->c->screen, name);
	guess_begin(&g, name);
	for (size_t i = 0; i < k->tool->nparameters; i++)
		guess_try(&g, k->tool->parameters[i].name, k->tool->parameters[i].name.p);
	if (g.found != NULL)
		buf_printf(k->why, "; did you mean %s?", g.found);
	for (size_t i = 0; g.found == NULL && i < k->tool->nparameters; i++)
		buf_printf(k->why, "%s %s", i == 0 ? "; its arguments are" : ",",
		    k->tool->parameters[i].name.p);
	buf_char(k->why, '\n');
}

static bool
check_argument(void *arg, struct str name, struct json_value *value)
{
	struct asking *k = arg;

	(void)value;
	if (tool_parameter_named(k->tool, name) == NULL)
		explain_unknown(k, name);
	return true;
}

/* Texts as they are, numbers and truth values as JSON, lists of them with commas; false for an
   object. */
static bool
add_question_text(struct buf *b, const struct json_value *v)
{
	switch (json_type(v)) {
	case JSON_STRING:
		buf_str(b, json_text(v));
		return true;
	case JSON_NUMBER:
	case JSON_BOOL:
		json_show(b, v);
		return true;
	case JSON_ARRAY:
		for (size_t i = 0; i < json_length(v); i++) {
			buf_z(b, i > 0 ? "," : "");
			if (json_type(json_at(v, i)) == JSON_ARRAY ||
			    !add_question_text(b, json_at(v, i)))
				return false;
		}
		return true;
	default:
		return false;
	}
}

/* The value of an argument in a URL; without pointer: there is none, or it has no text. */
static struct str
url_value(struct asking *k, const struct tool_parameter *p)
{
	const struct json_value *v = k->args == NULL ? NULL : json_get(k->args, p->name.p);
	struct buf b = { .a = k->c->page };

	if (p->place == IN_QUERY && str_is(p->name, "limit") && k->bounds->limit > 0)
		return arena_printf(k->c->page, "%lld", (long long)k->bounds->limit);
	if (v != NULL && json_type(v) != JSON_NULL) {
		buf_z(&b, ""); /* an empty text has a pointer */
		if (add_question_text(&b, v))
			return b.p == NULL ? STR("") : buf_done(&b);
		k->bad = true;
		buf_printf(k->why, "%s is no text and no number\n", p->name.p);
		return STR_NULL;
	}
	if (p->place == IN_QUERY && str_is(p->name, "limit"))
		return arena_printf(k->c->page, "%lld", (long long)k->bounds->usual);
	if (p->place == IN_PATH && str_is(p->name, "project_uuid"))
		return k->c->settings.project;
	return STR_NULL;
}

/* "/search/hosts/{ip}" with its arguments. An empty segment, or one of dots, which nginx resolves,
   would be the path of another operation. */
static void
fill_path(struct asking *k)
{
	const char *p = k->tool->path.p, *end = p + k->tool->path.n;

	while (p < end) {
		const char *close = *p == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
		const struct tool_parameter *parameter;
		struct str value, name = { p + 1, close == NULL ? 0 : (size_t)(close - p - 1) };

		if (close == NULL) {
			buf_char(&k->path, *p++);
			continue;
		}
		p = close + 1;
		parameter = tool_parameter_named(k->tool, name);
		value = parameter == NULL ? STR_NULL : url_value(k, parameter);
		if (value.n == 0 || str_is(value, ".") || str_is(value, "..")) {
			k->bad = true;
			buf_printf(k->why, "the argument %.*s is missing, empty or dots\n",
			    (int)name.n, name.p);
		}
		k->path.n -= k->path.n > 0; /* url_segment writes the slash */
		url_segment(&k->path, value);
	}
}

static void
fill_query(struct asking *k)
{
	for (size_t i = 0; i < k->tool->nparameters; i++) {
		const struct tool_parameter *p = &k->tool->parameters[i];

		if (p->place == IN_QUERY)
			url_parameter(&k->path, p->name.p, url_value(k, p));
	}
}

static void
fill_body(struct asking *k)
{
	json_begin(&k->body, '{');
	for (size_t i = 0; i < k->tool->nparameters; i++) {
		const struct tool_parameter *p = &k->tool->parameters[i];
		const struct json_value *v =
		    k->args == NULL || p->place != IN_BODY ? NULL : json_get(k->args, p->name.p);

		if (v == NULL)
			continue;
		json_member(&k->body, p->name.p);
		json_show(&k->body, v);
	}
	buf_char(&k->body, '}');
}

static void
check_required(struct asking *k)
{
	for (size_t i = 0; i < k->tool->nparameters; i++) {
		const struct tool_parameter *p = &k->tool->parameters[i];

		if (!p->required || p->place == IN_PATH ||
		    (k->args != NULL && json_get(k->args, p->name.p) != NULL))
			continue;
		k->bad = true;
		buf_printf(k->why, "the argument %s is missing\n", p->name.p);
	}
}

bool
tool_ask(struct client *c, const struct tool *t, const struct json_value *args,
    const struct ask_bounds *bounds, struct ask *out, struct buf *why)
{
	struct asking k = { .c = c,
		.tool = t,
		.args = args,
		.bounds = bounds,
		.path = { .a = c->page },
		.body = { .a = c->page },
		.why = why };
	const struct uuid key = uuid_random();

	if (args != NULL)
		json_each(args, check_argument, &k);
	check_required(&k);
	fill_path(&k);
	fill_query(&k);
	*out = (struct ask){ .method = t->method,
		.path = buf_done(&k.path),
		.repeatable = t->read_only || t->keyed };
	if (t->keyed)
		out->header = arena_printf(c->page, "Idempotency-Key: %s", uuid_text(&key).z).p;
	if (t->body) {
		fill_body(&k);
		out->body = buf_done(&k.body);
	}
	c->query =
	    value_text(args, "q").p != NULL ? value_text(args, "q") : value_text(args, "query");
	return !k.bad;
}
