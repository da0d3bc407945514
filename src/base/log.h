/* SPDX-License-Identifier: ISC */
/* The log: one line per event on stderr, with the journal's <priority> prefix. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/str.h"

enum log_prio {
	LOGP_ERR = 3,
	LOGP_WARNING = 4,
	LOGP_NOTICE = 5,
	LOGP_INFO = 6,
	LOGP_DEBUG = 7
};

/* fmt gives "key=value key=value"; control characters are written as '?'. */
void log_event(enum log_prio prio, const char *event, const char *fmt, ...) PRINTF(3, 4);

struct log_text {
	char z[256];
};

/* What somebody else chose, for between the quotes of a value: cut, and nothing in it ends the value. */
struct log_text log_text(struct str s);

#endif
