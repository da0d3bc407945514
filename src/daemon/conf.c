/* SPDX-License-Identifier: ISC */
/* Reads surfaced.conf(5), for every program: lines of "name = value". Unknown names, names of
 * parameters of another program and bad values are fatal, and the error begins with file:line:
 * a misspelt limit must not silently be the default.
 *
 * The table params[] is made from tbl/params.h; every value is stored in struct conf through the
 * offset of its row. A new configuration is built beside the old one and copied over it only
 * when it is good. Texts of the old one are never freed, since other code keeps pointers to
 * them. */
#include "config.h"

#include "base/base.h"
#include "daemon/conf.h"
#include "daemon/conf_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum kind {
	KIND_text,
	KIND_path,
	KIND_ports,
	KIND_origins,
	KIND_networks,
	KIND_url,
	KIND_endpoint,
	KIND_server,
	KIND_engine,
	KIND_choice,
	KIND_events,
	KIND_number,
	KIND_ms,
	KIND_seconds,
	KIND_bytes
};

/* Kinds up to KIND_events are texts. check and grammar are NULL where every text is good. */
static const struct {
	const char *name;
	bool (*check)(struct str value);
	const char *grammar;
} kinds[] = {
	[KIND_text] = { "text", NULL, NULL },
	[KIND_path] = { "path", conf_check_path, "an absolute path" },
	[KIND_ports] = { "ports", conf_check_ports, "ports and ranges, such as 443 8000-8999" },
	[KIND_origins] = { "origins", conf_check_origins,
	    "origins separated by blanks, such as self https://viewer.example.com" },
	[KIND_networks] = { "networks", conf_check_networks,
	    "networks separated by blanks, such as 192.0.2.0/24 2001:db8::/32" },
	[KIND_url] = { "url", conf_check_url, "https://HOST[:PORT]" },
	[KIND_endpoint] = { "endpoint", conf_check_endpoint, "HOST:PORT" },
	[KIND_server] = { "server", conf_check_server, "http:// or https:// and HOST[:PORT]" },
	[KIND_engine] = { "engine", conf_check_engine, "index or clickhouse" },
	[KIND_choice] = { "choice", conf_check_choice, "yes or no" },
	[KIND_events] = { "events", conf_check_events, "all, failed or none" },
	[KIND_number] = { "number", NULL, NULL },
	[KIND_ms] = { "ms", NULL, NULL },
	[KIND_seconds] = { "seconds", NULL, NULL },
	[KIND_bytes] = { "bytes", NULL, NULL },
};

enum {
#define PROGRAM(id, name) ORDER_##id,
#include "tbl/programs.h"
#undef PROGRAM
};

/* Sets of programs, as rows of tbl/params.h name them. */
enum {
#define PROGRAM(id, name) IN_##id = 1U << ORDER_##id,
#include "tbl/programs.h"
#undef PROGRAM
	/* daemons that connect to the database */
	STORES = IN_SURFACED | IN_INDEX | IN_METER | IN_ALERT | IN_EXPORT | IN_DETECT | IN_STREAM |
		 IN_DISPATCH,
	/* programs that are run by daemon_main */
	DAEMONS = STORES | IN_EGRESS,
};

static const char *const programs[] = {
#define PROGRAM(id, name) name,
#include "tbl/programs.h"
#undef PROGRAM
};

struct param {
	const char *name;
	enum kind kind;
	unsigned programs;
	size_t offset;
	const char *def;
	int64_t lo, hi;
	const char *help;
};

struct conf conf;

/* The defaults of texts and paths are string literals and macros, which #def would not expand, so
   only the defaults of numbers become text by #def. */
#define DEFAULT_text(def) def
#define DEFAULT_path(def) def
#define DEFAULT_ports(def) def
#define DEFAULT_origins(def) def
#define DEFAULT_networks(def) def
#define DEFAULT_url(def) def
#define DEFAULT_endpoint(def) def
#define DEFAULT_server(def) def
#define DEFAULT_engine(def) def
#define DEFAULT_choice(def) def
#define DEFAULT_events(def) def
#define DEFAULT_number(def) #def
#define DEFAULT_ms(def) #def
#define DEFAULT_seconds(def) #def
#define DEFAULT_bytes(def) #def

static const struct param params[] = {
#define PARAM(name, type, programs, def, lo, hi, help)                                             \
	{ #name, KIND_##type, programs, offsetof(struct conf, name), DEFAULT_##type(def), lo, hi,  \
		help },
#include "tbl/params.h"
#undef PARAM
};

static bool
is_text(const struct param *p)
{
	return p->kind <= KIND_events;
}

static bool
set_text_value(const struct param *p, struct str value, struct conf *out)
{
	char *copy, *old;

	if ((int64_t)value.n < p->lo || (int64_t)value.n > p->hi)
		return false;
	if (kinds[p->kind].check != NULL && !kinds[p->kind].check(value))
		return false;
	/* conf_free frees the copy; other code keeps pointers to the texts of conf. */
	copy = strndup(value.p, value.n);
	if (copy == NULL)
		panic("out of memory");
	memcpy(&old, (char *)out + p->offset, sizeof(old));
	free(old); /* the default, or the value of an earlier line */
	memcpy((char *)out + p->offset, &copy, sizeof(copy));
	return true;
}

static bool
set_conf_param(const struct param *p, struct str value, struct conf *out)
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
find_conf_param(struct str name)
{
	for (size_t i = 0; i < COUNT(params); i++)
		if (str_is(name, params[i].name))
			return &params[i];
	return NULL;
}

/* The names of the programs that read p, separated by commas. */
static const char *
readers(const struct param *p, char *out, size_t room)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < COUNT(programs); i++)
		if ((p->programs & 1U << i) != 0 && n < room)
			n += (size_t)snprintf(
			    out + n, room - n, "%s%s", n > 0 ? "," : "", programs[i]);
	return out;
}

/* A file while it is read: the program whose file it is, the line, and where faults go. */
struct reading {
	unsigned program; /* its bit */
	const char *file;
	int line;
	char *err;
	size_t room;
};

static bool MUST_USE PRINTF(2, 3) fail_line(const struct reading *r, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(r->err, r->room, "%s:%d: ", r->file, r->line);

	if (n < 0 || (size_t)n >= r->room)
		return false;
	va_start(ap, fmt);
	vsnprintf(r->err + n, r->room - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool
fail_value(const struct reading *r, const struct param *p)
{
	const char *grammar = kinds[p->kind].grammar;

	if (grammar != NULL)
		return fail_line(r, "bad value for %s: %s, of %" PRId64 " to %" PRId64 " bytes",
		    p->name, grammar, p->lo, p->hi);
	return fail_line(r, "bad value for %s: %s, %" PRId64 " to %" PRId64, p->name,
	    kinds[p->kind].name, p->lo, p->hi);
}

/* Applies one line to out. False after a message. */
static bool
apply_line(const struct reading *r, struct str line, struct conf *out)
{
	const struct param *p;
	struct str name, value;
	char programs_of[256];

	line = str_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return true;
	name = str_trim(str_until(&line, '='));
	if (line.p == NULL)
		return fail_line(r, "expected name = value");
	value = str_trim(line);
	p = find_conf_param(name);
	if (p == NULL)
		return fail_line(
		    r, "unknown parameter %.*s", (int)(name.n < 64 ? name.n : 64), name.p);
	if ((p->programs & r->program) == 0)
		return fail_line(r, "%s is a parameter of another program: %s", p->name,
		    readers(p, programs_of, sizeof(programs_of)));
	return set_conf_param(p, value, out) || fail_value(r, p);
}

static bool
apply_lines(struct reading *r, FILE *in, struct conf *out)
{
	bool good = true;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	for (r->line = 1; good && (n = getline(&line, &size, in)) >= 0; r->line++) {
		struct str text = { line, (size_t)n };

		if (str_utf8_bad(text) < text.n)
			good = fail_line(r, "not UTF-8");
		else if (memchr(line, '\0', text.n) != NULL)
			good = fail_line(r, "a NUL in it");
		else
			good = apply_line(r, text, out);
	}
	if (good && ferror(in)) {
		snprintf(r->err, r->room, "%s: %s", r->file, strerror(errno));
		good = false;
	}
	free(line);
	return good;
}

void
conf_free(struct conf *c)
{
	char *text;

	for (size_t i = 0; i < COUNT(params); i++)
		if (is_text(&params[i])) {
			memcpy(&text, (char *)c + params[i].offset, sizeof(text));
			free(text);
		}
}

static unsigned
program_bit(const char *name)
{
	for (size_t i = 0; i < COUNT(programs); i++)
		if (strcmp(programs[i], name) == 0)
			return 1U << i;
	panic("the program %s has no row in tbl/programs.h", name);
}

bool
conf_load(const char *program, const char *file, char *err, size_t room)
{
	struct reading r = { program_bit(program), file, 0, err, room };
	struct conf fresh = { 0 };
	FILE *in;
	bool ok;

	for (size_t i = 0; i < COUNT(params); i++)
		if (!set_conf_param(&params[i], str_of(params[i].def), &fresh))
			panic("the default of %s is out of its bounds", params[i].name);
	if (file != NULL) {
		in = fopen(file, "re");
		if (in == NULL) {
			snprintf(err, room, "%s: %s", file, strerror(errno));
			conf_free(&fresh);
			return false;
		}
		ok = apply_lines(&r, in, &fresh);
		fclose(in);
		if (!ok) {
			conf_free(&fresh);
			return false;
		}
	}
	conf = fresh;
	return true;
}

void
conf_describe(FILE *out)
{
	char programs_of[256];

	for (size_t i = 0; i < COUNT(params); i++)
		fprintf(out, "%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%s\n", params[i].name,
		    readers(&params[i], programs_of, sizeof(programs_of)),
		    kinds[params[i].kind].name, params[i].def, params[i].lo, params[i].hi,
		    params[i].help);
}
