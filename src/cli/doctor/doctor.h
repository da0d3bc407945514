/* SPDX-License-Identifier: ISC */
/* Between the files of surfacectl doctor. Each check says what it found; what is not fine comes with
   what to do. */
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

/* What makes this machine's database what it should be. */
#define SETUP PKGDATADIR "/setup-postgresql"

#define NO_ADVICE ((struct advice){ .id = ADVICE_NONE })
#define DO(row) ((struct advice){ .id = ADVICE_##row })
#define DO_WITH(row, ...) ((struct advice){ .id = ADVICE_##row, .args = { __VA_ARGS__ } })

struct finding {
	struct str state, check, detail;
	struct str advice_name, command, advice; /* unset where all is well */
	struct str because; /* of a consequence: the check that found the cause */

	const char *subject;                     /* a program, a role, ...; NULL: none */
	const char *cause_check, *cause_subject; /* NULL: none known */
};

enum { FINDINGS_MAX = 400 };

/* The daemons, in the order in which they are looked at. */
enum program_id {
	PROGRAM_API,
	PROGRAM_INDEX,
	PROGRAM_METER,
	PROGRAM_ALERT,
	PROGRAM_STREAM,
	PROGRAM_DISPATCH,
	PROGRAM_EGRESS,
	PROGRAMS,
};

struct program {
	const char *name;  /* of its unit, its file and, in Debian's package, its user */
	bool always;       /* every host has it; others only where its file is */
	const char *role;  /* that it logs in as; NULL: it does not */
	const char *needs; /* another one without which it is of no use; NULL: none */
	bool wanted, good; /* on this host; conf was read */
	struct conf conf;
	int pid; /* 0: it does not run */
};

struct doctor {
	struct cli *c;
	struct str etc, nginx, sql_dir,
	    user; /* of the options; nginx and user may be unset */
	struct program programs[PROGRAMS];
	struct pool pools[POOLS_MAX]; /* of the upstream file */
	size_t npools;
	bool database; /* answers */
	struct finding findings[FINDINGS_MAX];
	size_t n;
};

/* NO_ADVICE where all is well. */
void doctor_say(struct doctor *d, enum health health, const char *check,
    struct advice advice, const char *fmt, ...) PRINTF(5, 6);
/* Says which thing the last finding is about, so that others can name it as their cause. */
void doctor_subject(struct doctor *d, const char *subject);
/* The last finding is a consequence where check has failed, for this subject unless it is NULL: it is then shown
   below that one, without advice of its own. */
void doctor_cause(struct doctor *d, const char *check, const char *subject);
/* printf into the arena. */
#define PRINTED(d, ...) (arena_printf((d)->c->arena, __VA_ARGS__).p)

/* Reads the file of a program in d->etc. */
void doctor_read(struct doctor *d, struct program *p);
/* Prints what was found; an exit status. */
int doctor_show(struct doctor *d);

void doctor_alerts(struct doctor *d);
void doctor_browser(struct doctor *d);
void doctor_daemons(struct doctor *d);
void doctor_database(struct doctor *d);
/* Room on the disk of a folder; reserve: the bytes of evidence_reserve, or 0. */
void doctor_disk(struct doctor *d, const char *path, int64_t reserve);
/* What this host's dispatcher says of itself. False: it has not spoken of late. */
bool doctor_dispatcher(struct doctor *d);
void doctor_index(struct doctor *d);
void doctor_nginx(struct doctor *d);
/* The dry run of the host's runner: starts a browser. */
void doctor_runner(struct doctor *d);
/* Whether a user may enter every folder of a path, and do what bit says with its end: 4 read, 2 write. */
bool doctor_reach(const char *path, const struct passwd *pw, mode_t bit);
void doctor_secrets(struct doctor *d);
void doctor_sockets(struct doctor *d);

#endif
