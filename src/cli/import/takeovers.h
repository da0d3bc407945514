/* SPDX-License-Identifier: ISC */
/* The rows that surfacectl import takeovers has stored, for imports that recognise pages. */
#ifndef CLI_IMPORT_TAKEOVERS_H
#define CLI_IMPORT_TAKEOVERS_H

#include "cli/cli.h"
#include "detection/takeover.h"

/* Reads the imported rows that have a page, into the arena. */
enum db_rc takeovers_read(struct cli *c, struct arena *a, struct takeovers *out) MUST_USE;

#endif
