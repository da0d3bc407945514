/* Parameters of surfaced-detect. See tbl/params.h. */
PARAM(detect_budget, ms, IN_DETECT,
	10000, 1, 600000,
	"CPU time that the rules of an account may take for a batch; beyond it its slowest rule fails")
PARAM(detect_poll, ms, IN_DETECT,
	500, 10, 60000,
	"how often surfaced-detect looks for changed documents and rules")
