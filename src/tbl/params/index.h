/* Parameters of surfaced-index. See tbl/params.h. */
PARAM(index_copies, choice, IN_INDEX,
	"yes", 2, 3,
	"yes: keep a copy of each file of the index, which is used when the file is damaged or lost")
PARAM(index_patience, ms, IN_INDEX,
	600000, 100, 86400000,
	"how long surfaced-index waits for the database before it reconnects")
PARAM(index_poll, ms, IN_INDEX,
	500, 10, 60000,
	"how often surfaced-index looks for changed documents without a notification")
PARAM(index_segments, number, IN_INDEX,
	8, 2, 64,
	"segments a generation may have before small ones are merged")
PARAM(index_beside, choice, IN_INDEX,
	"yes", 2, 3,
	"yes: the index of a dataset that ClickHouse answers is kept up to date, too")
