/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: checks an installation and prints a finding for each thing that was checked,
 * with advice where something is wrong. It changes nothing.
 *
 *   doctor.c      the table of checks in their order; configuration files, clock, disks
 *   people.c      public_url, and the keys that sealed secrets of people
 *   files.c       owners and modes; the contents of secret files
 *   db.c          server, roles, schema, rights
 *   login.c       a login as each daemon, in a child process
 *   storage.c     the disk of the server
 *   run.c         workers behind their sockets, the search index
 *   clickhouse.c  datasets that ClickHouse answers
 *   nginx.c       nginx's effective configuration and its certificates
 *   host.c        processes of the daemons, namespaces, routes of browsers
 *   resolver.c    name servers that a unit denies
 *   runner.c      the dispatcher's state and the runner's host check
 *   alert.c       evaluation of alerts, and deliveries
 *   history.c     the months of the history of records
 *   findings.c    collects and prints the findings
 *
 * A finding has a check ("database", "role"), perhaps a subject (a program, a role), a detail, and
 * a row of tbl/advice.h. One fault breaks many checks: without the database no daemon can log in.
 * So a check names the finding that would explain its failure (doctor_cause):
 *
 *   database   failed   connection refused                  advice: start PostgreSQL
 *     login    failed   surfaced, as the user surfaced      because of database: no advice
 *     login    failed   surfaced-meter, ...                 because of database: no advice
 *
 * findings.c follows causes to the first one and prints consequences below it, without advice: the
 * administrator repairs the first cause and runs doctor again. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "cli/cli.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

#include <pwd.h>

enum health { HEALTH_OK, HEALTH_WARNING, HEALTH_FAILED };

enum advice_id {
	ADVICE_NONE,
#define ADVICE(id, command, text) ADVICE_##id,
#include "tbl/advice.h"
#undef ADVICE
};

/* A row of tbl/advice.h and its arguments. */
struct advice {
	enum advice_id id;
	const char *args[3];
};

#define NO_ADVICE ((struct advice){ .id = ADVICE_NONE })
#define DO(row) ((struct advice){ .id = ADVICE_##row })
#define DO_WITH(row, ...) ((struct advice){ .id = ADVICE_##row, .args = { __VA_ARGS__ } })

enum { FINDINGS_MAX = 400, CAUSES_MAX = 3 };

struct finding {
	struct str state, check, detail;
	struct str advice_name, command, advice; /* unset if all is well */
	struct str because; /* for a consequence: the check that found the cause */

	const char *subject; /* a program, a role, ...; NULL: none */
	struct {
		const char *check, *subject;
	} causes[CAUSES_MAX]; /* the possible ones, the likeliest first; check NULL: no more */
};

/* The daemons, in the order of the checks. */
enum program_id {
	PROGRAM_API,
	PROGRAM_INDEX,
	PROGRAM_METER,
	PROGRAM_ALERT,
	PROGRAM_EXPORT,
	PROGRAM_DETECT,
	PROGRAM_STREAM,
	PROGRAM_DISPATCH,
	PROGRAM_EGRESS,
	PROGRAMS,
};

struct program {
	/* name of its unit, its configuration file and, in the Debian package, its user */
	const char *name;
	bool always;       /* every host needs it; any other is needed if its file exists */
	const char *role;  /* the database role; NULL: it does not use the database */
	const char *needs; /* another program that it needs; NULL: none */
	bool wanted, good; /* wanted: this host needs it; good: conf was read */
	struct conf conf;
	int pid; /* 0: it does not run */
};

struct doctor {
	struct cli *c;
	struct str etc, nginx, sql_dir,
	    user; /* values of the options; nginx and user may be unset */
	struct program programs[PROGRAMS];
	struct pool pools[POOLS_MAX]; /* the pools of the upstream file */
	size_t npools;
	bool database; /* the database answers */
	struct finding findings[FINDINGS_MAX];
	size_t n;
};

/* Adds a finding; advice is NO_ADVICE if all is well. */
void doctor_report(struct doctor *d, enum health health, const char *check, struct advice advice,
    const char *fmt, ...) PRINTF(5, 6);
/* Sets the subject of the last finding, so that others can name it as their cause. */
void doctor_subject(struct doctor *d, const char *subject);
/* Adds a possible cause of the last finding: a failed finding of check, for this subject unless
   it is NULL. If there is one, the last finding is printed below it and without advice. */
void doctor_cause(struct doctor *d, const char *check, const char *subject);
/* printf into the arena. */
#define PRINTED(d, ...) (arena_printf((d)->c->arena, __VA_ARGS__).p)

/* Reads the file of a program in d->etc. */
void doctor_read(struct doctor *d, struct program *p);
/* The configuration of a program, after doctor_read. */
static inline const struct conf *
doctor_conf(const struct doctor *d, enum program_id id)
{
	return &d->programs[id].conf;
}

/* Prints the findings and returns an exit status. */
int doctor_show(struct doctor *d);

void doctor_alerts(struct doctor *d);
void doctor_browser(struct doctor *d);
void doctor_daemons(struct doctor *d);
void doctor_database(struct doctor *d);
/* Checks the free space on the disk of a directory. */
struct disk {
	const char *path;
	int64_t reserve;                /* bytes below which a daemon stops, 0: none */
	const char *parameter, *effect; /* of the reserve */
};
void doctor_disk(struct doctor *d, const struct disk *disk);
/* Checks the state that this host's dispatcher writes to the database. False: it wrote none
   recently. */
bool doctor_dispatcher(struct doctor *d);
void doctor_exports(struct doctor *d);
void doctor_history(struct doctor *d);
void doctor_index(struct doctor *d);
void doctor_nginx(struct doctor *d);
/* Runs the runner's host check, which starts a browser. */
void doctor_runner(struct doctor *d);
/* May a user enter every directory of a path, and read (bit 4) or write (bit 2) its end? */
bool doctor_reach(const char *path, const struct passwd *pw, mode_t bit);
/* Compares the name servers of this machine with the addresses that the units deny. */
void doctor_resolver(struct doctor *d);
void doctor_sockets(struct doctor *d);

#endif
