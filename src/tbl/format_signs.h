/* The signs by which --format auto recognises the formats of tbl/formats.h: FORMAT_SIGN(dataset,
   name, how, sign). The rows of the dataset are tried in their order, and the first that fits
   decides.
     MEMBERS    the first JSON object of the file, also in an array, has these members: names with
                "+" between them. Only the first 32 KiB of the file are searched
     BEGINS     the file begins with these bytes, after a byte order mark of UTF-8 and blanks
     CONTAINS   the first 32 KiB of the file contain these bytes
     COLUMN     the first line is the header of CSV with this column
     ADDRESS    the first line is an IP address; the sign is empty */
FORMAT_SIGN(HOSTS,	nmap,		BEGINS,		"<")
FORMAT_SIGN(HOSTS,	nmap,		BEGINS,		"\xff\xfe<")	/* UTF-16 */
FORMAT_SIGN(HOSTS,	nmap,		BEGINS,		"\xfe\xff\0<")
FORMAT_SIGN(HOSTS,	masscan,	MEMBERS,	"ip+ports")
FORMAT_SIGN(HOSTS,	masscan,	MEMBERS,	"ip+rec_type")
FORMAT_SIGN(HOSTS,	tlsx,		MEMBERS,	"probe_status")
FORMAT_SIGN(HOSTS,	tlsx,		MEMBERS,	"host+fingerprint_hash")
FORMAT_SIGN(HOSTS,	httpx,		MEMBERS,	"url+input")
FORMAT_SIGN(HOSTS,	nuclei,		MEMBERS,	"template-id+info")
FORMAT_SIGN(HOSTS,	zgrab2,		MEMBERS,	"ip+data")
FORMAT_SIGN(HOSTS,	zgrab2,		MEMBERS,	"domain+data")
FORMAT_SIGN(HOSTS,	zmap,		MEMBERS,	"saddr")
FORMAT_SIGN(HOSTS,	zmap,		COLUMN,		"saddr")
FORMAT_SIGN(HOSTS,	zmap,		ADDRESS,	"")
FORMAT_SIGN(HOSTS,	sonar,		MEMBERS,	"name+type+value")
FORMAT_SIGN(HOSTS,	naabu,		MEMBERS,	"ip+port")
FORMAT_SIGN(HOSTS,	naabu,		COLUMN,		"ip")
FORMAT_SIGN(HOSTS,	masscan,	BEGINS,		"#masscan")
FORMAT_SIGN(HOSTS,	masscan,	BEGINS,		"open ")
FORMAT_SIGN(HOSTS,	masscan,	BEGINS,		"banner ")
FORMAT_SIGN(HOSTS,	masscan,	MEMBERS,	"timestamp")
FORMAT_SIGN(HOSTS,	ndjson,		MEMBERS,	"ip")
FORMAT_SIGN(HOSTS,	masscan,	BEGINS,		"[")
FORMAT_SIGN(HOSTS,	masscan,	BEGINS,		"{finished:")
FORMAT_SIGN(HOSTS,	ndjson,		BEGINS,		"{")

FORMAT_SIGN(DNS,	ndjson,		MEMBERS,	"host+record_type")
FORMAT_SIGN(DNS,	httpx,		MEMBERS,	"url+input")
FORMAT_SIGN(DNS,	cof,		MEMBERS,	"rrname")
FORMAT_SIGN(DNS,	cof,		MEMBERS,	"cond")
FORMAT_SIGN(DNS,	cof,		MEMBERS,	"obj")
FORMAT_SIGN(DNS,	sonar,		MEMBERS,	"name+type+value")
FORMAT_SIGN(DNS,	massdns,	MEMBERS,	"name+type+data")
FORMAT_SIGN(DNS,	massdns,	MEMBERS,	"name+type+error")
FORMAT_SIGN(DNS,	zdns,		MEMBERS,	"results")
FORMAT_SIGN(DNS,	zdns,		MEMBERS,	"status+data")
FORMAT_SIGN(DNS,	zdns,		MEMBERS,	"name+status")
FORMAT_SIGN(DNS,	dnsx,		MEMBERS,	"host+status_code")
FORMAT_SIGN(DNS,	dnsx,		MEMBERS,	"host+resolver")
FORMAT_SIGN(DNS,	dnsx,		MEMBERS,	"host+timestamp")
FORMAT_SIGN(DNS,	ndjson,		BEGINS,		"{")
FORMAT_SIGN(DNS,	ndjson,		BEGINS,		"[")

FORMAT_SIGN(WHOIS,	ndjson,		MEMBERS,	"domain")
FORMAT_SIGN(WHOIS,	rdap,		MEMBERS,	"objectClassName")
FORMAT_SIGN(WHOIS,	rdap,		MEMBERS,	"domainSearchResults")
FORMAT_SIGN(WHOIS,	rdap,		MEMBERS,	"rdapConformance")
FORMAT_SIGN(WHOIS,	whoisjson,	MEMBERS,	"WhoisRecord")
FORMAT_SIGN(WHOIS,	whoisjson,	MEMBERS,	"domainName")
FORMAT_SIGN(WHOIS,	whoisjson,	MEMBERS,	"recordsCount+records")
FORMAT_SIGN(WHOIS,	whoisjson,	MEMBERS,	"ErrorMessage")
FORMAT_SIGN(WHOIS,	ndjson,		BEGINS,		"{")
FORMAT_SIGN(WHOIS,	ndjson,		BEGINS,		"[")

FORMAT_SIGN(CERTIFICATES, ct,		MEMBERS,	"entries")
FORMAT_SIGN(CERTIFICATES, ct,		MEMBERS,	"leaf_input")
FORMAT_SIGN(CERTIFICATES, certstream,	MEMBERS,	"message_type")
FORMAT_SIGN(CERTIFICATES, certstream,	MEMBERS,	"leaf_cert")
FORMAT_SIGN(CERTIFICATES, tlsx,		MEMBERS,	"probe_status")
FORMAT_SIGN(CERTIFICATES, tlsx,		MEMBERS,	"fingerprint_hash")
FORMAT_SIGN(CERTIFICATES, httpx,	MEMBERS,	"url+input")
FORMAT_SIGN(CERTIFICATES, zgrab2,	MEMBERS,	"ip+data")
FORMAT_SIGN(CERTIFICATES, zgrab2,	MEMBERS,	"domain+data")
FORMAT_SIGN(CERTIFICATES, ndjson,	BEGINS,		"{")
FORMAT_SIGN(CERTIFICATES, ndjson,	BEGINS,		"[")
FORMAT_SIGN(CERTIFICATES, pem,		CONTAINS,	"-----BEGIN ")
FORMAT_SIGN(CERTIFICATES, der,		BEGINS,		"\x30\x82")
FORMAT_SIGN(CERTIFICATES, ct-tile,	BEGINS,		"\0\0\x01")	/* a timestamp before 2039 */

FORMAT_SIGN(REPORTS,	ndjson,		BEGINS,		"{")
FORMAT_SIGN(REPORTS,	ndjson,		BEGINS,		"[")

FORMAT_SIGN(DIRECTORIES, autoindex,	MEMBERS,	"name+type")
FORMAT_SIGN(DIRECTORIES, ndjson,	BEGINS,		"{")
FORMAT_SIGN(DIRECTORIES, ndjson,	BEGINS,		"[")
