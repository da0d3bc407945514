/* SPDX-License-Identifier: ISC */
/* Operations of openapi.json become tools:
 *
 *   openapi.json                                   tools/list
 *   operationId: getHost                           name
 *   summary, description                           title, description
 *   parameters in path and query,
 *   properties of the requestBody                  inputSchema, as one object
 *   get, or x-read-only                            annotations.readOnlyHint
 *   delete, put                                    annotations.destructiveHint
 *
 * An operation whose answer of success is no JSON, or that needs no key, is no tool: an image, a
 * stream, and the descriptions of the API itself. Parameters in headers are none of the assistant's
 * business. */
#include "config.h"

#include "base/split.h"
#include "client/mcp_schema.h"
#include "client/mcp_tools.h"
#include "client/value.h"
#include "json/json.h"

struct reading {
	struct arena *a;
	const struct json_value *openapi, *path_item, *operation;
	struct str path;
	const struct tools_wanted *wanted;
	struct tools *out;
	/* the tool in work */
	struct tool tool;
	struct buf properties, required;
};

bool
list_has(struct str list, struct str name)
{
	struct str part;

	while (str_part(&list, ',', &part))
		if (str_eq(str_trim(part), name))
			return true;
	return false;
}

static bool
is_answer_json(const struct reading *r)
{
	static const char *const statuses[] = { "200", "201", "202" };

	for (size_t i = 0; i < COUNT(statuses); i++) {
		const struct json_value *answer = ref_follow(
		    r->openapi, value_get(value_get(r->operation, "responses"), statuses[i]));

		if (answer != NULL)
			return value_get(value_get(answer, "content"), "application/json") != NULL;
	}
	return false;
}

static bool
has_wanted_tag(const struct reading *r)
{
	const struct json_value *tags = value_get(r->operation, "tags");

	if (str_is(r->wanted->tags, "all"))
		return true;
	for (size_t i = 0; tags != NULL && i < json_length(tags); i++)
		if (list_has(r->wanted->tags, json_text(json_at(tags, i))))
			return true;
	return false;
}

static bool
can_be_tool(const struct reading *r)
{
	const struct json_value *security = value_get(r->operation, "security");

	return (security == NULL || json_length(security) > 0) && is_answer_json(r);
}

/* ---- inputSchema ---- */

static void
add_parameter(struct reading *r, const struct tool_parameter *p)
{
	struct tool *t = &r->tool;

	t->parameters = arena_room(r->a, t->parameters, t->nparameters, sizeof(*t->parameters));
	t->parameters[t->nparameters++] = *p;
	if (p->required) {
		buf_z(&r->required, r->required.n > 0 ? "," : "");
		json_write_str(&r->required, p->name);
	}
	buf_z(&r->properties, r->properties.n > 0 ? "," : "");
	json_write_str(&r->properties, p->name);
	buf_char(&r->properties, ':');
}

/* The schema of a parameter, with its description inside: {"type":"string", ...,
   "description":"..."}. */
static void
add_url_parameter(struct reading *r, const struct json_value *v)
{
	struct str place = value_text(v, "in"), name = value_text(v, "name"),
		   help = value_text(v, "description");
	const struct json_value *required = value_get(v, "required"),
				*schema = value_get(v, "schema"),
				*example = value_get(v, "example");
	struct buf text = { .a = r->a };

	if (str_is(place, "header")) {
		r->tool.keyed |= str_is(name, "Idempotency-Key");
		return;
	}
	add_parameter(r, &(struct tool_parameter){ .name = name,
			     .place = str_is(place, "path") ? IN_PATH : IN_QUERY,
			     .required = required != NULL && json_bool(required) &&
					 !(r->wanted->project && str_is(name, "project_uuid")) });
	buf_str(&text, help);
	if (example != NULL) {
		buf_z(&text, " For example: ");
		if (json_type(example) == JSON_STRING)
			buf_str(&text, json_text(example));
		else
			json_show(&text, example);
	}
	if (schema == NULL)
		buf_z(&r->properties, "{}");
	else
		schema_inline(&r->properties, r->openapi, schema);
	r->properties.n--; /* the bracket that ends the schema */
	buf_z(&r->properties, r->properties.p[r->properties.n - 1] == '{' ? "" : ",");
	buf_z(&r->properties, "\"description\":");
	json_write_str(&r->properties, buf_done(&text));
	buf_char(&r->properties, '}');
}

struct body_reading {
	struct reading *r;
	const struct json_value *required;
};

static bool
add_body_member(void *arg, struct str name, struct json_value *schema)
{
	struct body_reading *body = arg;
	bool required = false;

	for (size_t i = 0; body->required != NULL && i < json_length(body->required); i++)
		required |= str_eq(json_text(json_at(body->required, i)), name);
	add_parameter(body->r,
	    &(struct tool_parameter){ .name = name, .place = IN_BODY, .required = required });
	schema_inline(&body->r->properties, body->r->openapi, schema);
	return true;
}

static void
add_body_schema(struct reading *r)
{
	const struct json_value *body =
	    ref_follow(r->openapi, value_get(r->operation, "requestBody"));
	const struct json_value *schema =
	    value_get(value_get(value_get(body, "content"), "application/json"), "schema");
	struct body_reading members = { .r = r };

	schema = schema == NULL ? NULL : ref_follow(r->openapi, schema);
	if (value_get(schema, "properties") == NULL)
		return;
	r->tool.body = true;
	members.required = value_get(schema, "required");
	json_each(value_get(schema, "properties"), add_body_member, &members);
}

static void
add_parameters(struct reading *r, const struct json_value *list)
{
	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		const struct json_value *v = ref_follow(r->openapi, json_at(list, i));

		if (v != NULL)
			add_url_parameter(r, v);
	}
}

/* ---- a tool ---- */

static void
tool_member_text(struct buf *b, const char *name, struct str text)
{
	json_member(b, name);
	json_write_str(b, text);
}

static void
member_bool(struct buf *b, const char *name, bool value)
{
	json_member(b, name);
	buf_z(b, value ? "true" : "false");
}

static void
list_tool(struct reading *r)
{
	struct buf b = { .a = r->a };
	struct tool *t = &r->tool;
	bool removes = strcmp(t->method, "DELETE") == 0 || strcmp(t->method, "PUT") == 0;

	json_begin(&b, '{');
	tool_member_text(&b, "name", t->name);
	tool_member_text(&b, "title", value_text(r->operation, "summary"));
	tool_member_text(&b, "description", value_text(r->operation, "description"));
	json_member_begin(&b, "inputSchema", '{');
	json_member_str(&b, "type", "object");
	json_member_begin(&b, "properties", '{');
	buf_str(&b, buf_done(&r->properties));
	buf_char(&b, '}');
	if (r->required.n > 0) {
		json_member_begin(&b, "required", '[');
		buf_str(&b, buf_done(&r->required));
		buf_char(&b, ']');
	}
	member_bool(&b, "additionalProperties", false);
	buf_char(&b, '}');
	json_member_begin(&b, "annotations", '{');
	tool_member_text(&b, "title", value_text(r->operation, "summary"));
	member_bool(&b, "readOnlyHint", t->read_only);
	member_bool(&b, "destructiveHint", removes);
	member_bool(&b, "idempotentHint", t->read_only || removes);
	member_bool(&b, "openWorldHint", false);
	buf_z(&b, "}}");
	t->listed = buf_done(&b);
}

static void
read_operation(struct reading *r, const char *method)
{
	const struct json_value *mark = value_get(r->operation, "x-read-only");
	struct str name = value_text(r->operation, "operationId");
	bool read_only = strcmp(method, "GET") == 0 || (mark != NULL && json_bool(mark));

	if (name.n == 0 || !can_be_tool(r) ||
	    (!(read_only && has_wanted_tag(r)) && !list_has(r->wanted->allowed, name)))
		return;
	r->tool = (struct tool){ .name = arena_str(r->a, name),
		.path = arena_str(r->a, r->path),
		.method = method,
		.read_only = read_only };
	r->properties = r->required = (struct buf){ .a = r->a };
	add_parameters(r, value_get(r->path_item, "parameters"));
	add_parameters(r, value_get(r->operation, "parameters"));
	add_body_schema(r);
	for (size_t i = 0; i < r->tool.nparameters; i++)
		r->tool.parameters[i].name = arena_str(r->a, r->tool.parameters[i].name);
	list_tool(r);
	r->out->list = arena_room(r->a, r->out->list, r->out->n, sizeof(*r->out->list));
	r->out->list[r->out->n++] = r->tool;
}

static bool
read_path(void *arg, struct str path, struct json_value *item)
{
	static const char *const methods[][2] = { { "get", "GET" }, { "post", "POST" },
		{ "put", "PUT" }, { "patch", "PATCH" }, { "delete", "DELETE" } };
	struct reading *r = arg;

	r->path = path;
	r->path_item = item;
	for (size_t i = 0; i < COUNT(methods); i++) {
		r->operation = value_get(item, methods[i][0]);
		if (r->operation != NULL)
			read_operation(r, methods[i][1]);
	}
	return true;
}

bool
tools_read(struct arena *a, const struct json_value *openapi, const struct tools_wanted *wanted,
    struct tools *out, struct str *unknown)
{
	struct reading r = { .a = a, .openapi = openapi, .wanted = wanted, .out = out };
	const struct json_value *paths = value_get(openapi, "paths");
	struct str names = wanted->allowed, name;

	*out = (struct tools){ .n = 0 };
	*unknown = STR_NULL;
	if (paths == NULL || json_type(paths) != JSON_OBJECT)
		return false;
	json_each(paths, read_path, &r);
	while (str_part(&names, ',', &name))
		if (tool_named(out, str_trim(name)) == NULL) {
			*unknown = str_trim(name);
			return false;
		}
	return true;
}

const struct tool *
tool_named(const struct tools *t, struct str name)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->list[i].name, name))
			return &t->list[i];
	return NULL;
}

const struct tool_parameter *
tool_parameter_named(const struct tool *t, struct str name)
{
	for (size_t i = 0; i < t->nparameters; i++)
		if (str_eq(t->parameters[i].name, name))
			return &t->parameters[i];
	return NULL;
}
