/* SPDX-License-Identifier: ISC */
/* Messages of failures, and their exit statuses. */
#include "config.h"

#include "cli/cli.h"

static struct buf *caught;
static bool failed;

void
cli_catch(struct buf *into)
{
	caught = into;
}

/* Messages of failures go through here, in the form "surfacectl: what: why".
   Between cli_catch(buffer) and cli_catch(NULL) messages are collected instead:
   doctor calls functions of other commands, migrate_pending for example, and
   prints their messages as details of a finding. The status is passed through, so
   that a caller can write return cli_fail(...). */
int
cli_fail(enum cli_exit status, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (caught != NULL) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		buf_z(caught, text);
		return (int)status;
	}
	failed = true;
	fputs("surfacectl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return (int)status;
}

bool
cli_has_failed(void)
{
	return failed;
}

int
cli_usage(const struct cli *c, const char *fmt, ...)
{
	va_list ap;

	fputs("surfacectl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: %s\n", c->path);
	return EXIT_USAGE;
}

/* The database's message contains the name of the violated constraint; tbl/constraints.h has a
   sentence for it. */
static const char *
explain_constraint(const char *message)
{
	static const char *const rules[][2] = {
#define CONSTRAINT(name, words) { "\"" #name "\"", words },
#include "tbl/constraints.h"
#undef CONSTRAINT
	};

	for (size_t i = 0; i < COUNT(rules); i++)
		if (strstr(message, rules[i][0]) != NULL)
			return rules[i][1];
	return message;
}

int
cli_fail_db(const struct cli *c, enum db_rc rc, const char *what)
{
	switch (rc) {
	case DB_OK:
		panic("cli_fail_db without a failure");
	case DB_NONE:
		return cli_fail(EXIT_NOT_FOUND, "%s: not found", what);
	case DB_CONFLICT:
		return cli_fail(EXIT_FAILED, "%s: %s", what, explain_constraint(db_message(c->db)));
	case DB_TIMEOUT:
		return cli_fail(EXIT_NO_DATABASE, "%s: the database took too long (%s); try again",
		    what, db_message(c->db));
	case DB_DOWN:
		if (db_socket(c->db) >= 0 && !db_misfits(c->db))
			return cli_fail(EXIT_FAILED, "%s: %s", what, db_message(c->db));
		if (db_socket(c->db) >= 0)
			return cli_fail(EXIT_FAILED,
			    "%s: %s; is the database migrated, and this the right role?", what,
			    db_message(c->db));
		return cli_fail(EXIT_NO_DATABASE, "%s: database: %s", what, db_message(c->db));
	}
	panic("db_rc %d", (int)rc);
}
