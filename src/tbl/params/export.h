/* Parameters of surfaced-export. See tbl/params.h. */
PARAM(export_checkpoint, ms, IN_EXPORT,
	1000, 1, 60000,
	"how often the written part of an export is synced; after a crash the rest is written again")
PARAM(export_lease, ms, IN_EXPORT,
	15000, 100, 600000,
	"how long an export that a process has stopped writing waits for another process")
PARAM(export_poll, ms, IN_EXPORT,
	200, 10, 60000,
	"how often surfaced-export looks for exports to write and files to remove")
PARAM(export_reserve, bytes, IN_EXPORT,
	1073741824, 0, 1099511627776,
	"an export fails when the file system of its file has less free than this")
PARAM(export_workers, number, IN_EXPORT,
	2, 1, 64,
	"exports written at once")
