/* The states of a detection rule: RULE_EVENT(id, name, to) is an operation of the API;
   RULE_MOVE(event, from, to) is a move that an event causes. Another event is refused. The table
   rule_move of sql/ has the same moves. An includer defines the macros that it needs. */
#ifndef RULE_EVENT
#define RULE_EVENT(id, name, to)
#endif
#ifndef RULE_MOVE
#define RULE_MOVE(event, from, to)
#endif

RULE_EVENT(STAGE,	"stage",	"testing")
RULE_EVENT(PUBLISH,	"publish",	"stable")
RULE_EVENT(DEPRECATE,	"deprecate",	"deprecated")
RULE_EVENT(REDRAFT,	"redraft",	"draft")

RULE_MOVE("stage",	"draft",	"testing")
RULE_MOVE("publish",	"testing",	"stable")
RULE_MOVE("deprecate",	"testing",	"deprecated")
RULE_MOVE("deprecate",	"stable",	"deprecated")
RULE_MOVE("redraft",	"testing",	"draft")
RULE_MOVE("redraft",	"deprecated",	"draft")

#undef RULE_EVENT
#undef RULE_MOVE
