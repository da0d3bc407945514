/* The states of a finding: FINDING_EVENT(id, name, path, to, summary) is an operation of the API;
   FINDING_CAUSE(event) is one that producers cause; FINDING_MOVE(event, from, to) is a move that an
   event causes. An event whose state is already reached changes nothing. The table finding_move of
   sql/ has the same moves. An includer defines the macros that it needs. */
#ifndef FINDING_EVENT
#define FINDING_EVENT(id, name, path, to, summary)
#endif
#ifndef FINDING_CAUSE
#define FINDING_CAUSE(event)
#endif
#ifndef FINDING_MOVE
#define FINDING_MOVE(event, from, to)
#endif

FINDING_EVENT(RESOLVE,		"resolve",	 "resolve",	   "resolved",		"Resolve a finding")
FINDING_EVENT(ACKNOWLEDGE,	"acknowledge",	 "acknowledge",	   "acknowledged",	"Acknowledge a finding")
FINDING_EVENT(ACCEPT_RISK,	"accept_risk",	 "accept-risk",	   "accepted_risk",	"Accept the risk of a finding")
FINDING_EVENT(FALSE_POSITIVE,	"false_positive", "false-positive", "false_positive",	"Mark a finding as a false positive")
FINDING_EVENT(REOPEN,		"reopen",	 "reopen",	   "open",		"Reopen a finding")

FINDING_CAUSE("seen_again")
FINDING_CAUSE("clear")

FINDING_MOVE("resolve",		"open",			"resolved")
FINDING_MOVE("resolve",		"acknowledged",		"resolved")
FINDING_MOVE("resolve",		"accepted_risk",	"resolved")
FINDING_MOVE("resolve",		"false_positive",	"resolved")
FINDING_MOVE("acknowledge",	"open",			"acknowledged")
FINDING_MOVE("accept_risk",	"open",			"accepted_risk")
FINDING_MOVE("accept_risk",	"acknowledged",		"accepted_risk")
FINDING_MOVE("accept_risk",	"false_positive",	"accepted_risk")
FINDING_MOVE("false_positive",	"open",			"false_positive")
FINDING_MOVE("false_positive",	"acknowledged",		"false_positive")
FINDING_MOVE("false_positive",	"accepted_risk",	"false_positive")
FINDING_MOVE("reopen",		"acknowledged",		"open")
FINDING_MOVE("reopen",		"accepted_risk",	"open")
FINDING_MOVE("reopen",		"false_positive",	"open")
FINDING_MOVE("reopen",		"resolved",		"open")
FINDING_MOVE("seen_again",	"resolved",		"open")
FINDING_MOVE("clear",		"open",			"resolved")
FINDING_MOVE("clear",		"acknowledged",		"resolved")

#undef FINDING_EVENT
#undef FINDING_CAUSE
#undef FINDING_MOVE
