/* VOCABULARY(field, values): fields that may only have these values; imports check them. */
VOCABULARY("ip_version",		"4, 6")
VOCABULARY("services.transport",	"tcp, udp, sctp")
VOCABULARY("tlp",			"clear, green, amber, amber+strict, red")
VOCABULARY("indicator_types",		"ipv4, ipv6, cidr, domain, url, email, md5, sha1, sha256, sha512, certificate_sha256, jarm, asn, cve, technique, bitcoin")
VOCABULARY("indicators.type",		"ipv4, ipv6, cidr, domain, url, email, md5, sha1, sha256, sha512, certificate_sha256, jarm, asn, cve, technique, bitcoin")
VOCABULARY("tags.classification",	"informational, benign, suspicious, malicious")
