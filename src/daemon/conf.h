/* SPDX-License-Identifier: ISC */
/* The configuration file of one program. src/tbl/params.h lists the parameters of all programs;
   each row names the programs that read it. */
#ifndef DAEMON_CONF_H
#define DAEMON_CONF_H

#include "base/base.h"

#define PARAM_TYPE_text const char *
#define PARAM_TYPE_path const char *
#define PARAM_TYPE_ports const char *
#define PARAM_TYPE_origins const char *
#define PARAM_TYPE_networks const char *
#define PARAM_TYPE_url const char *
#define PARAM_TYPE_endpoint const char *
#define PARAM_TYPE_server const char *
#define PARAM_TYPE_engine const char *
#define PARAM_TYPE_choice const char *
#define PARAM_TYPE_events const char *
#define PARAM_TYPE_number int64_t
#define PARAM_TYPE_ms int64_t
#define PARAM_TYPE_seconds int64_t
#define PARAM_TYPE_bytes int64_t

struct conf {
#define PARAM(name, type, programs, def, lo, hi, help) PARAM_TYPE_##type name;
#include "tbl/params.h"
#undef PARAM
};

/* Constant once conf_load has returned; a reload is an exec, so no running worker sees it
   change. */
extern struct conf conf;

/* Sets conf to the defaults and then to the lines of the file (NULL: only the defaults). A line
   with a parameter that `program` does not read is a fault. On failure false, with "file:line:
   fault" in err, and conf is unchanged. */
bool conf_load(const char *program, const char *file, char *err, size_t room) MUST_USE;
/* Frees the texts of a configuration that is no longer in conf. */
void conf_free(struct conf *c);
/* Prints one line per parameter: name, programs, type, default, bounds, help; for surfaced -D
   params. */
void conf_describe(FILE *out);

#endif
