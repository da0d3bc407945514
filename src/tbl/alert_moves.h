/* The states of an alert in the inbox: ALERT_EVENT(id, name, to) is an operation of the API;
   ALERT_MOVE(event, from, to) is a move that an event causes. The program surfaced-alert causes
   "clear" when the object of an alert no longer matches the rule. The table alert_move of sql/ has
   the same moves. An includer defines one or both macros. */
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
