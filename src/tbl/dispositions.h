/* How a report judges an indicator: DISPOSITION(id, name, verdict, help). verdict: 1 if an account
   may say so itself. */
DISPOSITION(INDICATOR,	"indicator",	1, "the source calls it malicious")
DISPOSITION(MENTION,	"mention",	0, "the source contains it")
DISPOSITION(IGNORED,	"ignored",	1, "a list of harmless values contains it (ignored_by)")
