/* SPDX-License-Identifier: ISC */
/* Reads surfaced.conf(5): lines of "name = value". Unknown names and bad values are fatal, and the
   error begins with file:line. The table params[] is made from tbl/params.h; every value is stored
   in struct conf through the offset of its row. A new configuration is built beside the old one and
   copied over it only when it is good. */
#include "config.h"

#include "base/base.h"
#include "daemon/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum kind { KIND_text, KIND_path, KIND_number, KIND_ms, KIND_seconds, KIND_bytes };

struct param {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *def;
	int64_t lo, hi;
	const char *help;
};

struct conf conf;

static const char *const kind_names[] = { "text", "path", "number", "ms", "seconds", "bytes" };

/* The defaults of texts and paths are string literals and macros, which #def would not expand, so
   only the defaults of numbers become text by #def. */
#define DEFAULT_text(def) def
#define DEFAULT_path(def) def
#define DEFAULT_number(def) #def
#define DEFAULT_ms(def) #def
#define DEFAULT_seconds(def) #def
#define DEFAULT_bytes(def) #def

static const struct param params[] = {
#define PARAM(name, type, def, lo, hi, help)                                                       \
	{ #name, KIND_##type, offsetof(struct conf, name), DEFAULT_##type(def), lo, hi, help },
#include "tbl/params.h"
#undef PARAM
};

static bool
is_text(const struct param *p)
{
	return p->kind == KIND_text || p->kind == KIND_path;
}

static bool
set_text_value(const struct param *p, struct str value, struct conf *out)
{
	char *copy, *old;

	if ((int64_t)value.n < p->lo || (int64_t)value.n > p->hi)
		return false;
	if (p->kind == KIND_path && value.n > 0 && value.p[0] != '/')
		return false;
	/* Once in conf, the copy is never freed: other code keeps pointers to it. */
	copy = strndup(value.p, value.n);
	if (copy == NULL)
		panic("out of memory");
	memcpy(&old, (char *)out + p->offset, sizeof(old));
	free(old); /* the default, or the value of an earlier line */
	memcpy((char *)out + p->offset, &copy, sizeof(copy));
	return true;
}

static bool
set_param(const struct param *p, struct str value, struct conf *out)
{
	int64_t n;

	if (is_text(p))
		return set_text_value(p, value, out);
	if (!str_int64(value, &n) || n < p->lo || n > p->hi)
		return false;
	memcpy((char *)out + p->offset, &n, sizeof(n));
	return true;
}

static const struct param *
find_param(struct str name)
{
	for (size_t i = 0; i < COUNT(params); i++)
		if (str_is(name, params[i].name))
			return &params[i];
	return NULL;
}

/* Applies one line to out. Returns NULL, or the fault; *p is then the parameter that the line
   names, or NULL if there is none of that name, and *name is the name as written. */
static const char *
apply_line(struct str line, struct conf *out, const struct param **p, struct str *name)
{
	const char *eq;
	struct str value;

	*p = NULL;
	*name = STR_NULL;
	line = str_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return NULL;
	eq = memchr(line.p, '=', line.n);
	if (eq == NULL)
		return "expected name = value";
	*name = str_trim((struct str){ line.p, (size_t)(eq - line.p) });
	value = str_trim((struct str){ eq + 1, line.n - (size_t)(eq - line.p) - 1 });
	*p = find_param(*name);
	if (*p == NULL)
		return "unknown parameter";
	return set_param(*p, value, out) ? NULL : "bad value";
}

static bool
apply_lines(FILE *in, const char *file, struct conf *out, char *err, size_t room)
{
	const struct param *p = NULL;
	const char *fault = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	for (int number = 1; fault == NULL && (n = getline(&line, &size, in)) >= 0; number++) {
		struct str text = { line, (size_t)n }, name = STR_NULL;

		p = NULL;
		if (str_utf8_bad(text) < text.n)
			fault = "not UTF-8";
		else if (memchr(line, '\0', text.n) != NULL)
			fault = "a NUL in it";
		else
			fault = apply_line(text, out, &p, &name);
		if (fault != NULL && p != NULL)
			snprintf(err, room, "%s:%d: %s for %s: %s, %" PRId64 " to %" PRId64, file,
			    number, fault, p->name, kind_names[p->kind], p->lo, p->hi);
		else if (fault != NULL)
			snprintf(err, room, "%s:%d: %s%s%.*s", file, number, fault,
			    name.n > 0 ? " " : "", (int)(name.n < 64 ? name.n : 64),
			    name.n > 0 ? name.p : "");
	}
	if (fault == NULL && ferror(in)) {
		fault = strerror(errno);
		snprintf(err, room, "%s: %s", file, fault);
	}
	free(line);
	return fault == NULL;
}

static void
free_texts(struct conf *c)
{
	char *text;

	for (size_t i = 0; i < COUNT(params); i++)
		if (is_text(&params[i])) {
			memcpy(&text, (char *)c + params[i].offset, sizeof(text));
			free(text);
		}
}

bool
conf_load(const char *file, char *err, size_t room)
{
	struct conf fresh = { 0 };
	FILE *in;
	bool ok;

	for (size_t i = 0; i < COUNT(params); i++)
		if (!set_param(&params[i], str_of(params[i].def), &fresh))
			panic("the default of %s is out of its bounds", params[i].name);
	if (file != NULL) {
		in = fopen(file, "re");
		if (in == NULL) {
			snprintf(err, room, "%s: %s", file, strerror(errno));
			free_texts(&fresh);
			return false;
		}
		ok = apply_lines(in, file, &fresh, err, room);
		fclose(in);
		if (!ok) {
			free_texts(&fresh);
			return false;
		}
	}
	conf = fresh;
	return true;
}

void
conf_describe(FILE *out)
{
	for (size_t i = 0; i < COUNT(params); i++)
		fprintf(out, "%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%s\n", params[i].name,
		    kind_names[params[i].kind], params[i].def, params[i].lo, params[i].hi,
		    params[i].help);
}
