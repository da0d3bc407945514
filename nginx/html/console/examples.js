// SPDX-License-Identifier: ISC
// Examples of queries, [query, words] by dataset: the help shows them all, an empty search box the first ones.

export const EXAMPLES = {
	hosts: [
		["services.port:22 AND country_code:DE", "a port, in a country"],
		["198.51.100.0/24", "a network"],
		["hostnames:example.com", "names of a domain, and below it"],
		["hostnames=www.example.com", "exactly this name"],
		["services:(product:nginx port:8080,8443)", "both on one service"],
		["services.http.title:\"log in\" AND NOT country_code:US", "words of a title, without a country"],
		["services.product:open* last_seen:>=now-7d", "a pattern, seen in the last week"],
		["vulnerabilities:CVE-2021-44228", "a vulnerability"],
		["asn:AS64500 OR as_name:\"Example Net\"", "a network's operator"],
		["services.tls.certificate.not_after:[now TO now+30d]", "certificates that end within 30 days"],
	],
	services: [
		["port:3389", "a port"],
		["product:nginx version:1.*", "a product, and a pattern of its version"],
		["http.title:\"index of\" tls_enabled:false", "words of a title, without TLS"],
		["http.status_code:[500 TO 599]", "a range"],
		["tls.certificate.self_signed:true", "yes or no"],
		["banner:*", "any value"],
	],
	dns: [
		["host:example.com", "names of a domain, and below it"],
		["host=example.com record_type:MX", "mail servers of one name"],
		["record_type:CNAME rcode:NXDOMAIN", "aliases that lead nowhere"],
		["answer_ip:198.51.100.0/24", "names that lead into a network"],
		["answer_name:example.net", "names that lead to a domain"],
		["record_type:TXT answer:*spf1*", "a pattern in the answer"],
	],
	whois: [
		["domain:example.com", "a domain"],
		["whois.registrar:\"Example Registrar\"", "a registrar"],
		["whois.created_at:>=now-30d tld:com", "registered in the last 30 days"],
		["whois.nameservers:ns1.example.net", "a name server"],
		["whois.expires_at:[now TO now+30d]", "ends within 30 days"],
	],
	certificates: [
		["names:example.com", "for a domain, and names below it"],
		["issuer.organisation:\"Let's Encrypt\"", "an issuer"],
		["self_signed:true expired:false", "self-signed, and valid"],
		["not_after:[now TO now+30d]", "ends within 30 days"],
		["key_algorithm:RSA key_size:<2048", "short keys"],
		["precertificate:true", "precertificates"],
	],
	reports: [
		["ransomware", "a word of the text"],
		["threat_actors:APT28", "an actor"],
		["indicators.name:example.com", "a domain among the indicators"],
		["indicators.ip:198.51.100.0/24", "an address among the indicators"],
		["cves:CVE-2021-44228 published_at:>=now-90d", "a vulnerability, lately"],
		["techniques:T1566.002", "a technique of ATT&CK"],
		["indicators:(type:sha256 value:*)", "hashes of files"],
	],
	"open-directories": [
		["files.name:*.sql", "a pattern of file names"],
		["files:(extension:zip size:>=100000000)", "large archives"],
		["host:example.com", "a domain, and names below it"],
		["file_count:>1000", "many files"],
		["198.51.100.0/24", "a network"],
	],
};
