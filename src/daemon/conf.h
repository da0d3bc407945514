/* SPDX-License-Identifier: ISC */
/* The configuration file: tbl/params.h is the list of its parameters. */
#ifndef DAEMON_CONF_H
#define DAEMON_CONF_H

#include "base/base.h"

#define PARAM_TYPE_text const char *
#define PARAM_TYPE_path const char *
#define PARAM_TYPE_number int64_t
#define PARAM_TYPE_ms int64_t
#define PARAM_TYPE_seconds int64_t
#define PARAM_TYPE_bytes int64_t

struct conf {
#define PARAM(name, type, def, lo, hi, help) PARAM_TYPE_##type name;
#include "tbl/params.h"
#undef PARAM
};

/* Constant once conf_load has returned; a reload is an exec, so no running worker sees it
   change. */
extern struct conf conf;

/* Sets conf to the defaults and then to the lines of the file (NULL: only the defaults). On failure
   false, with "file:line: fault" in err, and conf is unchanged. */
bool conf_load(const char *file, char *err, size_t room) MUST_USE;
/* Prints one line per parameter: name, type, default, bounds, help. For surfaced -D params. */
void conf_describe(FILE *out);

#endif
