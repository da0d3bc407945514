/* SPDX-License-Identifier: ISC */
/* The lists of values.h. session_states comes from tbl, since its moves are there, too. */
#include "config.h"

#include "wire/values.h"

#include <stddef.h>

const char *const severities[] = { "info", "low", "medium", "high", "critical", NULL };
const char *const alert_sources[] = { "finding", "service", NULL };
const char *const asset_kinds[] = { "domain", "host", "certificate", "address", NULL };
const char *const session_states[] = {
#define STATE(id, name, terminal) name,
#include "tbl/session_states.h"
	NULL,
};
const char *const session_profiles[] = { "windows", "macos", "linux", NULL };
const char *const shot_reasons[] = { "ready", "load", "request", "interval", "close", NULL };
const char *const net_kinds[] = { "request", "websocket", "download", "dialog", "crash",
	"certificate", "page", NULL };
const char *const timeline_kinds[] = { "state", "page", "screenshot", "request", "websocket",
	"dialog", "crash", "certificate", "download", NULL };
const char *const truths[] = { "true", "false", NULL };
