/* Parameters of surfaced-stream. See tbl/params.h. */
PARAM(stream_connections, number, IN_STREAM,
	8192, 1, 1000000,
	"connections of one process of surfaced-stream")
PARAM(stream_drain, seconds, IN_STREAM,
	3600, 0, 86400,
	"how long existing streams continue after a reload")
PARAM(stream_lease, seconds, IN_STREAM,
	15, 2, 300,
	"how long a session waits for the stream of a proxy that died")
PARAM(stream_origins, origins, IN_STREAM,
	"self", 0, 4096,
	"origins that may open a stream, separated by blanks; self: the host of the request")
PARAM(stream_recheck, seconds, IN_STREAM,
	30, 1, 300,
	"how often ownership, permission, entitlement and state of all streams are checked")
PARAM(stream_silence, seconds, IN_STREAM,
	30, 1, 3600,
	"a stream whose client has not answered a ping for so long is closed")
