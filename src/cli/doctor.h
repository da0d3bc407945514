/* SPDX-License-Identifier: ISC */
/* Between the files of surfacectl doctor. Each check says what it found; what is not fine comes with
   what to do. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/cli.h"
#include "base/daemon.h"

#include <pwd.h>

enum health { HEALTH_OK, HEALTH_WARNING, HEALTH_FAILED };

struct finding {
	struct str check, state, detail, advice;
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
	bool database;     /* it logs in */
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

/* advice is unset where all is well. */
void doctor_say(struct doctor *d, enum health health, const char *check,
    struct str advice, const char *fmt, ...) PRINTF(5, 6);
/* printf into the arena, for advice. */
#define ADVICE(d, ...) arena_printf((d)->c->arena, __VA_ARGS__)

/* Reads the file of a program in d->etc. */
void doctor_read(struct doctor *d, struct program *p);
/* Prints what was found; an exit status. */
int doctor_show(struct doctor *d);

void doctor_alerts(struct doctor *d);
void doctor_browser(struct doctor *d);
void doctor_daemons(struct doctor *d);
void doctor_database(struct doctor *d);
/* Room on the disk of a folder; reserve: the bytes of evidence_reserve, or 0; made: how it is made if it is
   not there. */
void doctor_disk(struct doctor *d, const char *path, int64_t reserve, const char *made);
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
