/* The severity of a look-alike domain: LOOKALIKE_SEVERITY(score, severity, deceiving), the first row
   whose score it has. deceiving: the severity of one that receives mail or shows the favicon of the
   watched site. An includer defines LOOKALIKE_SEVERITY. */
LOOKALIKE_SEVERITY(80,	"high",		"critical")
LOOKALIKE_SEVERITY(60,	"medium",	"medium")
LOOKALIKE_SEVERITY(0,	"low",		"low")
