/* Parameters of surfaced. See tbl/params.h. */
PARAM(worker_requests, number, IN_SURFACED,
	100000, 1, 1000000000,
	"requests after which a worker is replaced")
PARAM(request_budget, ms, IN_SURFACED,
	10000, 50, 60000,
	"time that a request may take before search_timeout, its time in queues included")
PARAM(request_memory, bytes, IN_SURFACED,
	268435456, 1048576, 17179869184,
	"memory one request may take")
PARAM(body_limit, bytes, IN_SURFACED,
	65536, 32769, 1048576,
	"encoded body of operations other than aggregate (C-023)")
PARAM(auth_wait, ms, IN_SURFACED,
	2000, 10, 60000,
	"how long a request waits for its key to be read before authentication_unavailable")
PARAM(key_cache, ms, IN_SURFACED,
	10000, 0, 10000,
	"how long a worker trusts a key that it has read")
PARAM(meter_wait, ms, IN_SURFACED,
	1000, 1, 60000,
	"how long a request waits for a lease before api_metering_unavailable")
PARAM(log_requests, events, IN_SURFACED,
	"all", 3, 6,
	"which requests are logged: all, failed (status 400 and above) or none")
PARAM(search_estimates, choice, IN_SURFACED,
	"no", 2, 3,
	"yes or no: whether aggregations beyond search_work_limit are answered by estimates")
PARAM(search_parallel, number, IN_SURFACED,
	64, 1, 10000,
	"searches at once over all workers; more is search_busy")
PARAM(search_share, number, IN_SURFACED,
	50, 1, 100,
	"percentage of surfaced_search that one account may use before surfaced_heavy takes over")
PARAM(search_slice, ms, IN_SURFACED,
	20, 1, 10000,
	"CPU time a search gets in surfaced_search before surfaced_heavy answers it")
PARAM(search_wait, ms, IN_SURFACED,
	2500, 0, 60000,
	"work of one account that may wait for surfaced_heavy; more is search_busy")
PARAM(search_work_limit, number, IN_SURFACED,
	400000000, 1000, 100000000000,
	"values that one search may read before search_timeout or search_count_too_expensive")
PARAM(sign_in_idle, number, IN_SURFACED,
	7200, 90, 31536000,
	"seconds without a request after which a person is signed out")
PARAM(sign_in_life, number, IN_SURFACED,
	86400, 60, 31536000,
	"seconds after which a person is signed out in any case")
PARAM(sign_in_recent, number, IN_SURFACED,
	600, 10, 86400,
	"seconds for which a sign-in is recent enough to change credentials and rights")
PARAM(sign_in_networks, networks, IN_SURFACED,
	"", 0, 4000,
	"networks, such as that of an office, from which many people sign in; separated by blanks")
PARAM(sign_in_networks_attempts, number, IN_SURFACED,
	1000, 20, 1000000,
	"attempts to sign in from each of sign_in_networks in ten minutes")
PARAM(proxy_sign_in, choice, IN_SURFACED,
	"no", 2, 3,
	"yes: a proxy of the company identifies the person at POST /auth/sign-in/proxy")
PARAM(proxy_sign_in_strong, choice, IN_SURFACED,
	"no", 2, 3,
	"yes: a sign-in by the company's proxy is as strong as a passkey")
PARAM(clickhouse_threads, number, IN_SURFACED,
	2, 1, 1024,
	"threads that one search may use on each server of ClickHouse")
PARAM(clickhouse_memory, bytes, IN_SURFACED,
	2147483648, 1048576, 1099511627776,
	"memory that one search may use on each server of ClickHouse")
PARAM(clickhouse_partial, choice, IN_SURFACED,
	"no", 2, 3,
	"yes: while a shard is away the others answer, with relation gte")
PARAM(clickhouse_shards, number, IN_SURFACED,
	1, 1, 10000,
	"shards of ClickHouse, by which clickhouse_partial sees that one is away")
PARAM(password_min, number, IN_SURFACED,
	15, 8, 64,
	"least number of characters of a password")
PARAM(password_memory, number, IN_SURFACED,
	65536, 19456, 1048576,
	"kibibytes of memory that the hash of a password takes")
PARAM(password_passes, number, IN_SURFACED,
	2, 1, 64,
	"passes of that hash over its memory")
PARAM(password_parallel, number, IN_SURFACED,
	2, 1, 64,
	"passwords that are hashed at once on this host")
PARAM(password_list, path, IN_SURFACED,
	PKGDATADIR "/passwords", 0, 4000,
	"file of common passwords that nobody may choose, one on each line; empty: none")
