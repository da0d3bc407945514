/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: a login as each daemon. A login is tried in a child process that becomes the
   daemon's user, since the server may authenticate by the operating system's user (peer), and
   another user's login proves nothing. */
#include "config.h"

#include "cli/doctor/database.h"
#include "cli/process.h"
#include "daemon/conf.h"
#include "db/pooled.h"

#include <pwd.h>
#include <unistd.h>

enum {
	PATIENCE_US = 5000000,
	NOT_TRIED = 2, /* exit status of a child that could not try to log in */
	NO_RIGHTS = 3, /* exit status of a child whose role has no rights */
	WHY_MAX = 512,
	CHILD_ARENA = 1 << 24,
};

struct own_rights {
	bool any;
};

static const struct field own_rights_out[] = { FIELD(struct own_rights, any, 0), FIELD_END };

/* Does the present role have rights on any object? Every program's role has. A login alone proves
   little: a server that trusts local users accepts a role that has no rights at all, for
   example in a database that was restored without its rights. The statement needs no right itself,
   since every role may read the catalogue. aclexplode gives a row for each right of an access list;
   a list that is null has the defaults and counts as no right of the role. */
STMT(read_own_rights, own_rights_out,
    "SELECT r.rolsuper OR EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) a"
    " WHERE a.grantee = r.oid) OR EXISTS (SELECT FROM pg_proc p, aclexplode(p.proacl) a"
    " WHERE a.grantee = r.oid) AS any FROM pg_roles r WHERE r.rolname = current_user");

/* The advice for libpq's message: no server, a refused login, a missing database. A message without
   FATAL is one of libpq itself: it could not connect, or the conninfo is at fault. */
struct advice
doctor_login_advice(struct doctor *d, const char *conninfo, const char *why, const char *file)
{
	const char *path = PRINTED(d, "%s/%s.conf", d->etc.p, file);
	const char *host = db_remote_host(d->c->arena, conninfo);

	if (strstr(why, "shutting down") != NULL || strstr(why, "starting up") != NULL)
		return DO(AWAIT_DATABASE);
	if (strstr(why, "too many") != NULL || strstr(why, "connection slots") != NULL)
		return DO(MORE_SLOTS);
	if (strstr(why, DB_POOLED) != NULL)
		return DO(POOL_SESSIONS);
	if (host != NULL)
		return DO_WITH(REMOTE_LOGIN, host, path);
	return strstr(why, "FATAL") == NULL ? DO_WITH(START_DATABASE, SETUP)
					    : DO_WITH(FIX_LOGIN, path, SETUP);
}

struct login {
	const char *user, *conninfo;
};

/* A unit starts its daemon without the variables of libpq that the administrator may have set. */
static void
forget_environment(void)
{
	static const char *const names[] = { "PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER",
		"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGSSLMODE", "PGSSLCERT",
		"PGSSLKEY", "PGSSLROOTCERT", "PGOPTIONS" };

	for (size_t i = 0; i < COUNT(names); i++)
		(void)unsetenv(names[i]);
}

/* Runs in a child and writes the reason of a failure to out. The exit status distinguishes four
   results:

     0           the role logs in and has rights
     1           the login fails; out has libpq's message
     NOT_TRIED   the child could not become the daemon's user
     NO_RIGHTS   the role logs in and has no right on any object

   A child is needed because a user cannot be changed back, and because the connection of this
   process must stay its own. PATIENCE_US bounds the login to a server that does not answer. */
static int
try_log_in(const void *arg, int out)
{
	const struct login *l = arg;
	struct arena *a = arena_new(CHILD_ARENA);
	struct own_rights rights;
	struct db *db;
	const char *why = "";

	if (geteuid() == 0 && !process_become(l->user))
		return NOT_TRIED;
	forget_environment();
	db = db_open(l->conninfo, "surfacectl");
	db_quiet(db);
	db_use(db, a, mono_us() + PATIENCE_US);
	if (db_one_row(db, &read_own_rights, &rights, DB_NO_ARGS) != DB_OK)
		why = db_message(db);
	else if (!rights.any)
		return NO_RIGHTS;
	if (write(out, why, strlen(why)) < 0)
		return NOT_TRIED;
	return why[0] != '\0';
}

static void
add_login_finding(
    struct doctor *d, const struct program *p, const char *user, int status, const char *why)
{
	if (status == 0)
		doctor_report(
		    d, HEALTH_OK, "login", NO_ADVICE, "%s, as the user %s", p->name, user);
	else if (status == NO_RIGHTS)
		doctor_report(d, HEALTH_FAILED, "login", DO_WITH(MIGRATE, SETUP),
		    "%s, as the user %s: gets in, and has no right there", p->name, user);
	else
		doctor_report(d, HEALTH_FAILED, "login",
		    status != 1 ? DO(AS_ROOT)
				: doctor_login_advice(d, p->conf.database, why, p->name),
		    "%s, as the user %s: %s", p->name, user,
		    status != 1 ? "could not be tried" : why);
	doctor_cause(d, d->database ? "roles" : "database", d->database ? p->role : NULL);
}

static void
check_login(struct doctor *d, const struct program *p)
{
	const char *user = d->user.p != NULL ? d->user.p : p->name;
	const struct passwd *pw = getpwnam(user);
	struct buf why = { .a = d->c->arena };
	int status;

	if (pw == NULL || (geteuid() != 0 && geteuid() != pw->pw_uid)) {
		doctor_report(d, HEALTH_WARNING, "login", pw == NULL ? DO(NAME_USER) : DO(AS_ROOT),
		    "%s: %s %s", p->name, pw == NULL ? "there is no user" : "only root can try as",
		    user);
		return;
	}
	status = process_call(try_log_in, &(struct login){ user, p->conf.database }, &why, WHY_MAX);
	buf_char(&why, '\0');
	add_login_finding(d, p, user, status, why.p);
}

void
doctor_logins(struct doctor *d)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (d->programs[i].good && d->programs[i].role != NULL)
			check_login(d, &d->programs[i]);
}
