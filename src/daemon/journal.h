/* SPDX-License-Identifier: ISC */
/* The log in the systemd journal, with fields. An event such as
 *
 *   done req=9f1c op=list_rules status=200 why="it is late"
 *
 * becomes an entry with the line as MESSAGE, the event as SURFACED_EVENT, and each of its values as
 * a field: SURFACED_REQ=9f1c, SURFACED_OP, SURFACED_STATUS, SURFACED_WHY. So the journal finds a
 * request by journalctl SURFACED_REQ=9f1c, without reading all lines. */
#ifndef DAEMON_JOURNAL_H
#define DAEMON_JOURNAL_H

#include "base/base.h"

/* Logs to the journal from here on if the service manager has connected stderr to it
   (JOURNAL_STREAM); otherwise nothing changes. */
void journal_use(void);

#endif
