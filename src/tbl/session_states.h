/* A browser session's life (CONTRACT A4): STATE(id, name, terminal), and MOVE(event, from, to), what the
   event does from where; anywhere else it does nothing. The table session_move of sql/ holds the same
   moves. A user defines the macros it wants.
   claim, requeue, ready, fail, end: the dispatcher. close: the creator or a manager. expire, idle, revoke:
   the sweep. Nothing but claim leads to a browser, so what was closed is never started (C-104). */
#ifndef STATE
#define STATE(id, name, terminal)
#endif
#ifndef MOVE
#define MOVE(event, from, to)
#endif

STATE(QUEUED,	"queued",	0)
STATE(STARTING,	"starting",	0)
STATE(RUNNING,	"running",	0)
STATE(CLOSING,	"closing",	0)
STATE(TERMINAL,	"terminal",	1)

MOVE("claim",	"queued",	"starting")
MOVE("requeue",	"starting",	"queued")
MOVE("ready",	"starting",	"running")
MOVE("close",	"queued",	"closing")
MOVE("close",	"starting",	"closing")
MOVE("close",	"running",	"closing")
MOVE("revoke",	"queued",	"closing")
MOVE("revoke",	"starting",	"closing")
MOVE("revoke",	"running",	"closing")
MOVE("expire",	"running",	"closing")
MOVE("idle",	"running",	"closing")
MOVE("fail",	"queued",	"terminal")
MOVE("fail",	"starting",	"terminal")
MOVE("fail",	"running",	"terminal")
MOVE("end",	"closing",	"terminal")

#undef STATE
#undef MOVE
