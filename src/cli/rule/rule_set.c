/* SPDX-License-Identifier: ISC */
/* Finds the files of rules, reads each, and refuses what two of them have in common. All faults are
   reported, the first of each document, so that an author corrects many files at once. */
#include "config.h"

#include "cli/rule/rule_set.h"

#include "json/json.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/sha.h>
#include <sys/stat.h>

enum { DIRECTORIES = 8 /* levels */, SCRATCH = 1 << 26 };

struct files {
	struct str *p;
	size_t n;
};

static bool
is_rule_name(const char *name)
{
	struct str s = str_of(name);

	return s.p[0] != '.' && (str_ends(s, STR(".yml")) || str_ends(s, STR(".yaml")));
}

static int
name_without_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void
add_rule_name(struct cli *c, const char *path, struct files *to)
{
	to->p = arena_room(c->arena, to->p, to->n, sizeof(to->p[0]));
	to->p[to->n++] = arena_str(c->arena, str_of(path));
}

static int
add_path(struct cli *c, const char *path, int level, struct files *to)
{
	struct dirent **entries;
	int n, status = EXIT_OK;
	struct stat st;

	if (strcmp(path, "-") == 0) {
		add_rule_name(c, path, to);
		return EXIT_OK;
	}
	if (stat(path, &st) != 0)
		return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode)) {
		add_rule_name(c, path, to);
		return EXIT_OK;
	}
	if (level == DIRECTORIES)
		return cli_fail(EXIT_FAILED, "%s: is nested deeper than %d directories", path,
		    (int)DIRECTORIES);
	n = scandir(path, &entries, name_without_dot, alphasort);
	if (n < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *below = arena_printf(c->arena, "%s/%s", path, entries[i]->d_name).p;

		if (status == EXIT_OK && stat(below, &st) == 0 &&
		    (S_ISDIR(st.st_mode) || is_rule_name(entries[i]->d_name)))
			status = add_path(c, below, level + 1, to);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* Reads at most one byte more than a file may have. */
static bool
read_rule_file(const char *path, struct buf *out)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char part[16384];
	size_t n;
	bool ok;

	if (in == NULL)
		return false;
	while (out->n <= YAML_BYTES && (n = fread(part, 1, sizeof(part), in)) > 0)
		buf_add(out, part, n);
	ok = ferror(in) == 0;
	if (in != stdin)
		fclose(in);
	return ok;
}

static struct str
hash_text(struct arena *a, struct str text)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char *hex = arena_alloc(a, 2 * sizeof(sum) + 1);

	SHA256((const unsigned char *)text.p, text.n, sum);
	hex_print(hex, sum, sizeof(sum));
	return (struct str){ hex, 2 * sizeof(sum) };
}

static int
report_fault(const char *path, const struct yaml_fault *fault)
{
	return cli_fail(
	    EXIT_FAILED, "%s:%zu: %.*s", path, fault->line, (int)fault->what.n, fault->what.p);
}

/* The reading of files into a set. */
struct reading {
	struct cli *c;
	struct arena *scratch;
	enum rule_origin origin;
	struct rule_set *set;
	struct yaml_fault fault; /* the fault of the last document that was refused */
};

/* Checks a rule and adds it. */
static bool
add_rule(struct reading *r, const struct rule_loaded *l)
{
	struct rule_set *s = r->set;

	if (!rule_file_check(r->c->arena, r->scratch, &l->rule, r->origin, &s->nsamples, &r->fault))
		return false;
	s->p = arena_room(r->c->arena, s->p, s->n, sizeof(s->p[0]));
	s->p[s->n++] = *l;
	return true;
}

/* Adds the rule of a document, and the one that is derived from it. */
static bool
add_document(struct reading *r, const struct rule_loaded *l)
{
	struct rule_loaded derived = *l;

	if (!add_rule(r, l))
		return false;
	if (r->origin == RULE_OF_ACCOUNT || !rule_has_derived(&l->rule))
		return true;
	r->set->nderived++;
	return rule_derive(r->c->arena, &l->rule, &derived.rule, &r->fault) &&
	       add_rule(r, &derived);
}

static int
add_file(struct reading *r, struct str path)
{
	struct arena *a = r->c->arena;
	struct buf text = { .a = a };
	struct tree **documents;
	struct str hash;
	int status = EXIT_OK;
	size_t n;

	if (!read_rule_file(path.p, &text))
		return cli_fail(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
	if (!yaml_read(a, buf_done(&text), &documents, &n, &r->fault))
		return report_fault(path.p, &r->fault);
	if (n == 0)
		return cli_fail(EXIT_FAILED, "%s: has no document", path.p);
	hash = hash_text(a, buf_done(&text));
	for (size_t i = 0; i < n; i++) {
		struct rule_loaded l = { .path = path, .hash = hash };

		if (!rule_file_read(a, documents[i], &l.rule, &r->fault) || !add_document(r, &l))
			status = report_fault(path.p, &r->fault);
	}
	r->set->nfiles++;
	return status;
}

static int
compare_ids(const void *a, const void *b)
{
	const struct rule_loaded *x = a, *y = b;

	return uuid_cmp(&x->rule.id, &y->rule.id);
}

static int
check_rule_ids(struct rule_set *s)
{
	int status = EXIT_OK;

	if (s->n > 1)
		qsort(s->p, s->n, sizeof(s->p[0]), compare_ids);
	for (size_t i = 1; i < s->n; i++) {
		const struct rule_loaded *x = &s->p[i - 1], *y = &s->p[i];

		if (uuid_cmp(&x->rule.id, &y->rule.id) == 0)
			status = cli_fail(EXIT_FAILED,
			    "%s:%zu: two documents have the id %s; see %s:%zu", y->path.p,
			    y->rule.line, uuid_text(&y->rule.id).z, x->path.p, x->rule.line);
	}
	return status;
}

int
rule_set_read(struct cli *c, struct strs paths, enum rule_origin origin, struct rule_set *out)
{
	struct reading r = { .c = c, .origin = origin, .set = out };
	struct files files = { NULL, 0 };
	int status = EXIT_OK;

	*out = (struct rule_set){ .p = NULL };
	for (size_t i = 0; i < paths.n && status == EXIT_OK; i++)
		status = add_path(c, paths.p[i].p, 0, &files);
	if (status != EXIT_OK)
		return status;
	r.scratch = arena_new(SCRATCH);
	for (size_t i = 0; i < files.n; i++) {
		int one = add_file(&r, files.p[i]);

		status = one == EXIT_OK ? status : one;
	}
	arena_free(r.scratch);
	if (check_rule_ids(out) != EXIT_OK)
		status = EXIT_FAILED;
	if (status == EXIT_OK && out->n == 0)
		return cli_fail(
		    EXIT_FAILED, "%s: has no rule in a file .yml or .yaml", paths.p[0].p);
	return status;
}

void
rule_set_json(struct buf *out, const struct rule_set *s, enum rule_origin origin)
{
	buf_char(out, '[');
	for (size_t i = 0; i < s->n; i++)
		rule_file_json(
		    out, &s->p[i].rule, origin == RULE_OF_CATALOGUE ? s->p[i].hash : STR_NULL);
	buf_char(out, ']');
}
