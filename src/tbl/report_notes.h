/* The parts of a source of reports that give no indicator, each counted and named: REPORT_NOTE(id,
   counter, message). The counter is a member of the summary; the message follows the name of the
   part. */
REPORT_NOTE(DANGLING,		dangling,	"is referenced, but not in the file")
REPORT_NOTE(DUPLICATE,		duplicates,	"is in the file more than once; the newest is used")
REPORT_NOTE(UNKNOWN_TYPE,	unknown_types,	"has a type that is not known")
REPORT_NOTE(UNPARSED,		unparsed,	"has a pattern from which no value can be read")
REPORT_NOTE(NO_TYPE,		without_type,	"has values of types that are no indicators")
REPORT_NOTE(BAD_VALUE,		bad_values,	"has a value that its type does not allow")
REPORT_NOTE(REVOKED,		revoked,	"was revoked and is left out")
REPORT_NOTE(UNREFERENCED,	unreferenced,	"belongs to no report of the file, so it is in one that the file names")
REPORT_NOTE(MARKING,		markings,	"has a marking that is not known")
REPORT_NOTE(REFUSED,		refused,	"is not imported: only reports of an account may be red, amber+strict or of an unknown marking")
REPORT_NOTE(BROKEN,		broken,		"is no JSON and is left out")
