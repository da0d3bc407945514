/* Parameters that several programs read; each row names its readers. See tbl/params.h. */
PARAM(database, text, STORES | IN_SURFACECTL,
	"dbname=surfaced", 1, 4096,
	"libpq connection string of this program's role")
PARAM(run_directory, path, DAEMONS | IN_RUNNER | IN_SURFACECTL,
	RUNDIR, 1, 90,
	"directory of sockets and of the counters that workers and surfaced-meter share")
PARAM(user, text, DAEMONS,
	"", 0, 64,
	"user of the workers when the master starts as root; empty: root")
PARAM(worker_stuck, ms, DAEMONS,
	60000, 100, 3600000,
	"the watchdog kills a worker whose request is older than this")
PARAM(export_directory, path, IN_EXPORT | IN_SURFACECTL,
	STATEDIR "/exports", 1, 3900,
	"files of exports; surfaced-export writes them and nginx sends them")
PARAM(export_shared, choice, IN_SURFACED | IN_EXPORT,
	"yes", 2, 3,
	"no: each host has its own export_directory, and gets files of exports from the host that has them")
PARAM(index_directory, path, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_DETECT | IN_SURFACECTL,
	STATEDIR "/index", 1, 4000,
	"where surfaced-index publishes and the workers map the search index")
PARAM(evidence_directory, path, IN_SURFACED | IN_DISPATCH | IN_SURFACECTL,
	STATEDIR "/evidence", 1, 3900,
	"screenshots of browser sessions; surfaced-dispatch writes, the workers read")
PARAM(upstreams, path, IN_SURFACED | IN_STREAM | IN_SURFACECTL,
	SYSCONFDIR "/nginx/upstreams.conf", 1, 4000,
	"nginx upstream file, which defines the pools and the number of workers")
PARAM(secret_file, path, IN_SURFACED | IN_SURFACECTL,
	SYSCONFDIR "/secret", 1, 4000,
	"at least 32 random bytes that sign cursors")
PARAM(stream_keys, path, IN_SURFACED | IN_STREAM | IN_SURFACECTL,
	SYSCONFDIR "/stream-keys", 1, 4000,
	"file of keys that sign stream tickets, kid:hexadecimal lines, the newest first")
PARAM(sign_in_keys, path, IN_SURFACED | IN_SURFACECTL,
	SYSCONFDIR "/sign-in-keys", 1, 4000,
	"file of keys that sign and seal data of sign-ins, kid:hexadecimal lines, the newest first")
PARAM(fingerprint_file, path, IN_DETECT | IN_SURFACECTL,
	SYSCONFDIR "/fingerprint-key", 1, 4000,
	"file of at least 32 random bytes that key the fingerprints of found secrets; never change it")
PARAM(meter_flush, ms, IN_SURFACED | IN_METER,
	500, 10, 1000,
	"how often surfaced-meter stores counts")
PARAM(meter_slots, number, IN_SURFACED | IN_METER,
	65536, 64, 16777216,
	"counters of rates, quotas and usage on this host, rounded up to a power of two")
PARAM(sign_in_link_life, number, IN_SURFACED | IN_SURFACECTL,
	86400, 60, 31536000,
	"seconds for which a link to join or to recover access can be used")
PARAM(public_url, url, IN_SURFACED | IN_SURFACECTL,
	"", 0, 2000,
	"the address of nginx for people, https://HOST[:PORT]; passkeys and links need it")
PARAM(route_target, endpoint, IN_DISPATCH | IN_SURFACECTL,
	"", 0, 260,
	"host:port to which probes of routes connect; empty: no periodic probes")
PARAM(webhook_ports, ports, IN_SURFACED | IN_ALERT | IN_SURFACECTL,
	"443 1024-65535", 0, 4096,
	"ports and ranges of ports to which webhooks may be sent")
PARAM(clickhouse_url, server, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"", 0, 300,
	"URL of the ClickHouse server for searches and writes; empty: none")
PARAM(clickhouse_servers, text, IN_INDEX | IN_SURFACECTL,
	"", 0, 4000,
	"URLs of all servers, between blanks, on which surfaced-index makes tables; empty: clickhouse_url alone")
PARAM(clickhouse_user, text, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"default", 1, 64,
	"user of this program at ClickHouse")
PARAM(clickhouse_password_file, path, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"", 0, 4000,
	"file whose first line is the password of clickhouse_user; empty: none")
PARAM(clickhouse_database, text, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"surfaced", 1, 64,
	"database of the tables at ClickHouse")
PARAM(clickhouse_ca_file, path, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"", 0, 4000,
	"certificates that sign those of ClickHouse, instead of the system's")
PARAM(engine_hosts, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of hosts and services")
PARAM(engine_dns, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of dns")
PARAM(engine_whois, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of whois")
PARAM(engine_certificates, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of certificates")
PARAM(engine_reports, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of reports")
PARAM(engine_open_directories, engine, IN_SURFACED | IN_INDEX | IN_EXPORT | IN_SURFACECTL,
	"index", 1, 16,
	"index or clickhouse: the engine for searches of open-directories")
