/* SPDX-License-Identifier: ISC */
/* Between the files of surfacectl doctor. Each check says what it found; what is not fine comes with
   what to do. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/cli.h"
#include "base/daemon.h"

enum health { HEALTH_OK, HEALTH_WARNING, HEALTH_FAILED };

struct finding {
	struct str check, state, detail, advice;
};

enum { FINDINGS_MAX = 200, PROGRAMS = 4 };

/* A daemon that has a configuration of its own. */
struct program {
	const char *name; /* of its unit, its file and, in Debian's package, its user */
	struct conf conf;
	bool good; /* conf was read */
};

struct doctor {
	struct cli *c;
	struct str etc, nginx, sql_dir,
	    user; /* of the options; nginx and user may be unset */
	struct program programs[PROGRAMS]; /* the API first, the index, the meter, alerts */
	struct pool pools[POOLS_MAX];      /* of the upstream file */
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

void doctor_alerts(struct doctor *d);
void doctor_database(struct doctor *d);
void doctor_index(struct doctor *d);
void doctor_nginx(struct doctor *d);
void doctor_sockets(struct doctor *d);

#endif
