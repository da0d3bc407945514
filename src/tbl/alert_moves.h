/* The inbox: ALERT_EVENT(id, name, to) is an operation, ALERT_MOVE(event, from, to) what it does;
   "clear" is the engine's, of what its rule no longer matches.
   The table alert_move of sql/ holds the same moves. A user defines the macros it wants. */
#ifndef ALERT_EVENT
#define ALERT_EVENT(id, name, to)
#endif
#ifndef ALERT_MOVE
#define ALERT_MOVE(event, from, to)
#endif

ALERT_EVENT(ACKNOWLEDGE,	"acknowledge",	"acknowledged")
ALERT_EVENT(CLOSE,		"close",	"closed")
ALERT_EVENT(REOPEN,		"reopen",	"open")

ALERT_MOVE("acknowledge",	"open",		"acknowledged")
ALERT_MOVE("close",		"open",		"closed")
ALERT_MOVE("close",		"acknowledged",	"closed")
ALERT_MOVE("clear",		"open",		"closed")
ALERT_MOVE("clear",		"acknowledged",	"closed")
ALERT_MOVE("reopen",		"acknowledged",	"open")
ALERT_MOVE("reopen",		"closed",	"open")

#undef ALERT_EVENT
#undef ALERT_MOVE
