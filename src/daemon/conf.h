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

/* const after start but for SIGHUP's reload; the only global besides the log and the stop flag. */
extern struct conf conf;

/* Defaults, then "name = value" lines of the file (NULL: defaults alone). On failure false and
   "file:line: what" in err. */
bool conf_load(const char *file, char *err, size_t room) MUST_USE;
/* One line a parameter: name, type, default, bounds, help. For surfaced -D params. */
void conf_describe(FILE *out);

#endif
