/* The states of a browser session: STATE(id, name, terminal); MOVE(event, from, to) is a move that
   an event causes, and an event without a move from the current state does nothing. The table
   session_move of sql/ has the same moves. An includer defines the macros that it needs.

     claim, requeue, ready, fail, end   caused by the dispatcher
     close                              by the creator of the session or a manager
     expire, idle, revoke               by the periodic sweep

   Only claim starts a browser, and only from queued, so a session that was closed in the queue
   never starts (C-104). */
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
