/* Where the values of an indicator's type are searched: PIVOT(type, dataset, field). A type without
   a row has no such search. HOST: the host of a URL, an address or a name
   (src/resource/indicator_value.c). */
PIVOT("ipv4",			"hosts",	"ip")
PIVOT("ipv6",			"hosts",	"ip")
PIVOT("cidr",			"hosts",	"ip")
PIVOT("domain",			"hosts",	"hostnames")
PIVOT("url",			"hosts",	HOST)
PIVOT("asn",			"hosts",	"asn")
PIVOT("jarm",			"hosts",	"services.tls.jarm")
PIVOT("certificate_sha256",	"hosts",	"services.tls.certificate.fingerprint_sha256")
