/* SPDX-License-Identifier: ISC */
/* Schemas of openapi.json that stand alone: assistants get each tool by itself, so no schema may
   point into the document. */
#include "config.h"

#include "base/split.h"
#include "client/mcp_schema.h"
#include "client/value.h"
#include "json/json.h"

enum { REF_MAX = 8, SCHEMA_DEPTH = 16 };

/* "#/components/schemas/X": names between slashes. The API's names need no escapes. */
static const struct json_value *
place_of_parameter(const struct json_value *openapi, struct str ref)
{
	const struct json_value *v = openapi;
	struct str name;
	char z[128];

	if (!str_starts(ref, STR("#/")))
		return NULL;
	ref = (struct str){ ref.p + 2, ref.n - 2 };
	while (v != NULL && str_part(&ref, '/', &name)) {
		if (name.n >= sizeof(z))
			return NULL;
		memcpy(z, name.p, name.n);
		z[name.n] = '\0';
		v = value_get(v, z);
	}
	return v;
}

const struct json_value *
ref_follow(const struct json_value *openapi, const struct json_value *v)
{
	for (int i = 0; i < REF_MAX; i++) {
		struct str ref = value_text(v, "$ref");

		if (ref.p == NULL)
			return v;
		v = place_of_parameter(openapi, ref);
	}
	return NULL;
}

struct inlining {
	struct buf *b;
	const struct json_value *openapi;
	int depth;
	bool names; /* the members are names of properties, and none is a keyword */
};

static void inline_value(struct inlining *in, const struct json_value *v, bool names);

static bool
inline_member(void *arg, struct str name, struct json_value *member)
{
	struct inlining *in = arg;

	if (!in->names && (str_is(name, "example") || str_is(name, "examples")))
		return true;
	if (in->b->p[in->b->n - 1] != '{')
		buf_char(in->b, ',');
	json_write_str(in->b, name);
	buf_char(in->b, ':');
	inline_value(in, member, !in->names && str_is(name, "properties"));
	return true;
}

/* A schema that contains itself ends in {}, which allows anything. */
static void
inline_value(struct inlining *in, const struct json_value *v, bool names)
{
	bool before = in->names;

	v = names ? v : ref_follow(in->openapi, v);
	if (v == NULL || ++in->depth > SCHEMA_DEPTH) {
		buf_z(in->b, "{}");
		in->depth -= v != NULL;
		return;
	}
	in->names = names;
	if (json_type(v) == JSON_OBJECT) {
		buf_char(in->b, '{');
		json_each(v, inline_member, in);
		buf_char(in->b, '}');
	} else if (json_type(v) == JSON_ARRAY) {
		buf_char(in->b, '[');
		for (size_t i = 0; i < json_length(v); i++) {
			if (i > 0)
				buf_char(in->b, ',');
			inline_value(in, json_at(v, i), false);
		}
		buf_char(in->b, ']');
	} else {
		json_show(in->b, v);
	}
	in->names = before;
	in->depth--;
}

void
schema_inline(struct buf *b, const struct json_value *openapi, const struct json_value *v)
{
	inline_value(&(struct inlining){ .b = b, .openapi = openapi }, v, false);
}
