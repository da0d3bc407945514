/* SPDX-License-Identifier: ISC */
/* The log: one line per event on stderr, with the <priority> prefix that service managers
   understand. If the systemd journal reads stderr, daemon/journal.h sends the events to it with
   fields instead. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_prio { LOGP_ERR = 3, LOGP_WARNING = 4, LOGP_NOTICE = 5, LOGP_INFO = 6, LOGP_DEBUG = 7 };

/* fmt produces "key=value key=value"; control characters are logged as '?'. */
void log_event(enum log_prio prio, const char *event, const char *fmt, ...) PRINTF(3, 4);

/* A writer of log lines: line has n bytes, neither the prefix nor the line end, and no control
   characters. False: the line was not written, and goes to stderr. */
typedef bool log_writer(enum log_prio prio, const char *line, size_t n);
/* Passes the lines of this process, and of those that it forks, to the writer. */
void log_use(log_writer *writer);

struct log_text {
	char z[256];
};

/* Prepares a text from outside for use between the quotes of a value: at most 255 bytes, without
   quotes, backslashes and non-ASCII bytes, so that it can neither end the value nor begin another
   line. */
struct log_text log_text(struct str s);

#endif
