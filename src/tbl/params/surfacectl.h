/* Parameters of surfacectl. See tbl/params.h. */
PARAM(backup_key_file, path, IN_SURFACECTL,
	SYSCONFDIR "/backup-key", 1, 4000,
	"file of at least 32 random bytes by which restore recognises own backups; backup makes it")
PARAM(mmdb_asn, path, IN_SURFACECTL,
	"", 0, 4096,
	"a MaxMind database of autonomous systems; imports add asn, as_name and prefix of hosts")
PARAM(mmdb_city, path, IN_SURFACECTL,
	"", 0, 4096,
	"a MaxMind database of places; imports add country_code, region and city of hosts")
PARAM(pfx2as_ipv4, path, IN_SURFACECTL,
	"", 0, 4096,
	"file of prefixes and their AS, one on each line, for addresses that mmdb_asn lacks")
PARAM(pfx2as_ipv6, path, IN_SURFACECTL,
	"", 0, 4096,
	"the same for IPv6, which RouteViews publishes in a separate file")
PARAM(text_program, path, IN_SURFACECTL,
	"", 0, 4096,
	"the converter of HTML in reports; empty: the installed surfaced-text")
PARAM(text_seconds, number, IN_SURFACECTL,
	60, 1, 3600,
	"seconds that the conversion of a report in HTML or PDF may take")
PARAM(text_memory, number, IN_SURFACECTL,
	1024, 16, 65536,
	"mebibytes of memory that the conversion of a report may use")
PARAM(text_output, number, IN_SURFACECTL,
	16, 1, 64,
	"mebibytes of text that the conversion of a report may write")
