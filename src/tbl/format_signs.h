/* The signs by which --format auto recognises the formats of tbl/formats.h: FORMAT_SIGN(dataset,
   name, how, sign). The rows of the dataset are tried in their order, and the first that fits
   decides.
     MEMBERS    the first JSON object of the file, also in an array, has these members: names with
                "+" between them. Only the first 32 KiB of the file are searched
     BEGINS     the file begins with these bytes, after a byte order mark of UTF-8 and blanks
     CONTAINS   the first 32 KiB of the file contain these bytes
     COLUMN     the first line is the header of CSV with this column
     ADDRESS    the first line is an IP address; the sign is empty
     NAME       the first line is a DNS name; the sign is empty

   FOREIGN_SIGN(name, how, sign, advice) recognises files of known programs that are not read. Its
   rows are tried before those of any dataset, whose weaker signs such as "{" would fit them too, and
   CONTAINS is not tried in JSON and XML, unless the sign is an element. The advice ends the message "FILE is NAME, which is not read; ..." */
#ifndef FOREIGN_SIGN
#define FOREIGN_SIGN(name, how, sign, advice)
#endif
#ifndef FORMAT_SIGN
#define FORMAT_SIGN(dataset, name, how, sign)
#endif
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
FORMAT_SIGN(WHOIS,	rdap,		MEMBERS,	"errorCode")
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

FOREIGN_SIGN("output of Shodan", MEMBERS, "ip_str+port", "write its members as our own documents (--format ndjson)")
FOREIGN_SIGN("output of Shodan", MEMBERS, "ip_str+ports", "write its members as our own documents (--format ndjson)")
FOREIGN_SIGN("output of Censys", MEMBERS, "ip+autonomous_system", "write its members as our own documents (--format ndjson)")
FOREIGN_SIGN("output of Censys", MEMBERS, "ip+location_updated_at", "write its members as our own documents (--format ndjson)")
FOREIGN_SIGN("an answer of crt.sh", MEMBERS, "issuer_ca_id+name_value", "it has no certificates: download each as https://crt.sh/?d=ID and import certificates --format pem")
FOREIGN_SIGN("output of subfinder", MEMBERS, "host+input+source", "it has names without records: resolve them with dnsx -json or massdns -o J and import dns")
FOREIGN_SIGN("output of amass", MEMBERS, "name+domain+addresses", "resolve its names with dnsx -json or massdns -o J and import dns")
FOREIGN_SIGN("output of amass", CONTAINS, " (FQDN) --> ", "resolve its names with dnsx -json or massdns -o J and import dns")
FOREIGN_SIGN("output of rustscan", CONTAINS, " -> [", "let it call nmap, as in rustscan ... -- -sV -oX FILE, and import that file")
FOREIGN_SIGN("the plain output of nmap", BEGINS, "# Nmap ", "scan with -oX or -oA and import the XML")
FOREIGN_SIGN("the plain output of nmap", BEGINS, "Starting Nmap ", "scan with -oX or -oA and import the XML")
FOREIGN_SIGN("the plain output of dnsdbq", BEGINS, ";; record times:", "ask with dnsdbq -j and import dns --format cof")
FOREIGN_SIGN("the plain output of dnsdbq", BEGINS, ";;  record times:", "ask with dnsdbq -j and import dns --format cof")
FOREIGN_SIGN("the output of dig", BEGINS, "; <<>> DiG ", "ask with dnsx -json or zdns and import dns")
FOREIGN_SIGN("a zone file", BEGINS, "$ORIGIN", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a zone file", BEGINS, "$TTL", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a zone file", CONTAINS, "\tIN\tSOA\t", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a zone file", CONTAINS, " IN SOA ", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a log of Zeek", BEGINS, "#separator ", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a log of Zeek", MEMBERS, "uid+id.orig_h", "write its records as our own documents (--format ndjson)")
FOREIGN_SIGN("a report of Nessus", CONTAINS, "<NessusClientData", "its findings are imported with surfacectl import findings, one JSON object a line")
FOREIGN_SIGN("a report of OpenVAS", CONTAINS, "<report id=", "its findings are imported with surfacectl import findings, one JSON object a line")
FOREIGN_SIGN("an archive of HTTP requests (HAR)", MEMBERS, "log", "capture pages as WARC or NDJSON and use surfacectl import content")
FOREIGN_SIGN("a list of findings in SARIF", MEMBERS, "$schema+runs", "its findings are imported with surfacectl import findings, one JSON object a line")
FOREIGN_SIGN("a list of URLs", BEGINS, "http://", "request them with httpx -json and import hosts")
FOREIGN_SIGN("a list of URLs", BEGINS, "https://", "request them with httpx -json and import hosts")
FOREIGN_SIGN("a list of names", NAME, "", "resolve them with dnsx -json or massdns -o J and import dns")

#undef FOREIGN_SIGN
#undef FORMAT_SIGN
