/* The formats of surfacectl import: FORMAT(dataset, name, reader, help). The reader is the function read_<reader> of
   src/cli/import, of hosts import_<reader>. An empty file has the first format of its dataset. surfaced-import(5) has the
   same list (t/house/man.t). */
FORMAT(HOSTS,		ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(HOSTS,		nmap,	nmap,	"XML of nmap -oX")
FORMAT(HOSTS,		masscan, masscan, "JSON of masscan -oJ and -oD")
FORMAT(DNS,		ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(DNS,		cof,	cof,	"passive DNS in the Common Output Format, also in DNSDB's frames")
FORMAT(DNS,		zdns,	zdns,	"answers of zdns, version 1 and 2")
FORMAT(DNS,		massdns, massdns, "answers of massdns -o J")
FORMAT(DNS,		dnsx,	dnsx,	"answers of dnsx -json")
FORMAT(DNS,		sonar,	sonar,	"FDNS and RDNS of Rapid7's Project Sonar")
FORMAT(WHOIS,		ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(CERTIFICATES,	ndjson,	ndjson,	"our own documents, one JSON object each")
FORMAT(CERTIFICATES,	pem,	pem,	"any number of certificates in PEM")
FORMAT(CERTIFICATES,	der,	der,	"one certificate in DER")
FORMAT(CERTIFICATES,	ct,	ct,	"answers of get-entries of a Certificate Transparency log")
FORMAT(CERTIFICATES,	ct-tile, ct_tile, "a data tile of a static Certificate Transparency log")
