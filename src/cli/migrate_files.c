/* SPDX-License-Identifier: ISC */
/* Reads the sql files of surfacectl migrate and compares them with a database's list of applied
   files. migrate_files.h draws both; migrate.c applies the files. */
#include "config.h"

#include <openssl/sha.h>

#include "cli/migrate_files.h"

#include <dirent.h>
#include <errno.h>

enum { FILE_MAX = 8 * 1024 * 1024, ROLES_MAX = 64 };

static struct str
read_sql_text(struct arena *a, const char *path)
{
	struct buf b = { .a = a };

	return file_read(path, FILE_MAX, &b) ? arena_str(a, buf_done(&b)) : STR_NULL;
}

static int
is_numbered(const struct dirent *e)
{
	const char *p = e->d_name;
	size_t n = strlen(p);

	for (int i = 0; i < 4; i++)
		if (p[i] < '0' || p[i] > '9')
			return 0;
	return p[4] == '-' && n > 9 && strcmp(p + n - 4, ".sql") == 0;
}

static int
is_functions(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 4 && strcmp(e->d_name + n - 4, ".sql") == 0;
}

static void
sum_text(struct str text, char sha256[MIGRATE_HEX_LEN + 1])
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text.p, text.n, sum);
	hex_print(sha256, sum, sizeof(sum));
}

static bool
read_migration(struct arena *a, const char *dir, const char *entry, struct migrate_file *f)
{
	const char *path = arena_printf(a, "%s/%s", dir, entry).p;

	f->name = arena_str(a, (struct str){ entry, strlen(entry) - 4 });
	f->text = read_sql_text(a, path);
	if (f->text.p == NULL) {
		cli_fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
		return false;
	}
	sum_text(f->text, f->sha256);
	return true;
}

/* The files of dir that `is_one` accepts, in the order of their names; -1 after a message. */
static int
read_directory(struct arena *a, const char *dir, int (*is_one)(const struct dirent *),
    struct migrate_file **out)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_one, alphasort);
	bool ok = true;

	if (n < 0) {
		cli_fail(EXIT_FAILED, "cannot read %s: %s", dir, strerror(errno));
		return -1;
	}
	*out = ARENA_ARRAY(a, (size_t)n, struct migrate_file);
	for (int i = 0; i < n; i++) {
		ok = ok && read_migration(a, dir, entries[i]->d_name, &(*out)[i]);
		free(entries[i]);
	}
	free(entries);
	return ok ? n : -1;
}

static void
sum_functions(struct arena *a, struct migrate_files *f)
{
	struct buf all = { .a = a };

	for (int i = 0; i < f->n_functions; i++)
		buf_printf(&all, "%s %s\n", f->functions[i].name.p, f->functions[i].sha256);
	sum_text(buf_done(&all), f->sha256);
}

bool
migrate_files_read(struct arena *a, const char *dir, struct migrate_files *out)
{
	const char *functions = arena_printf(a, "%s/functions", dir).p;

	out->n = read_directory(a, dir, is_numbered, &out->p);
	if (out->n < 0)
		return false;
	for (int i = 0; i < out->n; i++) {
		struct migrate_file *f = &out->p[i];

		f->version = strtol(f->name.p, NULL, 10);
		if (i > 0 && f->version == f[-1].version) {
			cli_fail(EXIT_FAILED, "%s: two files have the number %04d", dir,
			    (int)f->version);
			return false;
		}
	}
	out->n_functions = read_directory(a, functions, is_functions, &out->functions);
	if (out->n_functions < 0)
		return false;
	sum_functions(a, out);
	return true;
}

int64_t
migrate_files_last(const struct migrate_files *f)
{
	return f->n > 0 ? f->p[f->n - 1].version : 0;
}

bool
migrate_files_check(const char *dir, const struct migrate_files *f, const struct list *list)
{
	const struct migrate_applied *a = list->items;
	const struct migrate_file *files = f->p;

	for (size_t i = 0; i < list->n; i++) {
		if (i >= (size_t)f->n && i > 0) {
			cli_fail(EXIT_FAILED, "the database has " MIGRATE_LATER ": %s has no %.*s",
			    dir, (int)a[i].name.n, a[i].name.p);
			return false;
		}
		if (i >= (size_t)f->n || !str_eq(files[i].name, a[i].name)) {
			cli_fail(EXIT_FAILED,
			    "the database was migrated with %.*s, which %s does not have in that "
			    "place: a file is missing, or the files of another program made the "
			    "database",
			    (int)a[i].name.n, a[i].name.p, dir);
			return false;
		}
		if (!str_is(a[i].sha256, files[i].sha256)) {
			cli_fail(EXIT_FAILED,
			    "%s/%.*s.sql has changed since it was applied: restore it, "
			    "and put the change into a new file",
			    dir, (int)files[i].name.n, files[i].name.p);
			return false;
		}
	}
	return true;
}

bool
migrate_newest(struct arena *a, const char *dir, int64_t *version)
{
	struct migrate_files f;
	bool ok = migrate_files_read(a, dir, &f);

	*version = ok ? migrate_files_last(&f) : 0;
	return ok;
}

/* ---- the roles that roles.sql creates, read from its VALUES ---- */

static struct str
next_quoted(struct str *rest, const char *before)
{
	size_t n = strlen(before);
	const char *end = NULL;
	struct str word = STR_NULL;

	if (rest->n > n && memcmp(rest->p, before, n) == 0)
		end = memchr(rest->p + n, '\'', rest->n - n);
	if (end == NULL)
		return word;
	word = (struct str){ rest->p + n, (size_t)(end - rest->p) - n };
	rest->n -= (size_t)(end - rest->p);
	rest->p = end;
	return word;
}

/* Finds the roles in the text of roles.sql: rows of the form ('surfaced_api',
   'LOGIN'). The file stays the only list of roles, and doctor and --check need the
   list without the right to execute the file. Rows of other tables in the same
   file begin with a role, too, but have no LOGIN or NOLOGIN behind it. */
static bool
find_roles(struct arena *a, struct str text, struct list *out)
{
	struct migrate_role *roles = ARENA_ARRAY(a, ROLES_MAX, struct migrate_role);
	static const char mark[] = "('surfaced_";
	const char *at;

	*out = (struct list){ roles, 0 };
	while ((at = memmem(text.p, text.n, mark, sizeof(mark) - 1)) != NULL) {
		struct str name, login;

		text.n -= (size_t)(at - text.p);
		text.p = at;
		name = next_quoted(&text, "('");
		login = next_quoted(&text, "', '");
		if (name.p == NULL)
			return false; /* the text ends inside the row */
		if (!str_is(login, "LOGIN") && !str_is(login, "NOLOGIN"))
			continue; /* the row of another table */
		if (out->n == ROLES_MAX)
			return false;
		roles[out->n++] =
		    (struct migrate_role){ arena_str(a, name), str_is(login, "LOGIN") };
	}
	return out->n > 0;
}

struct str
migrate_roles_text(struct arena *a, const char *dir)
{
	const char *path = arena_printf(a, "%s/roles.sql", dir).p;
	struct str text = read_sql_text(a, path);

	if (text.p == NULL)
		cli_fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
	return text;
}

bool
migrate_roles(struct arena *a, const char *dir, struct list *out)
{
	struct str text = migrate_roles_text(a, dir);

	if (text.p == NULL)
		return false;
	if (find_roles(a, text, out))
		return true;
	cli_fail(EXIT_FAILED, "%s/roles.sql names no roles, or too many", dir);
	return false;
}
