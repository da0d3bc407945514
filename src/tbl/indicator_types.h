/* The types of indicators of reports: INDICATOR_TYPE(name, form, digits, of).

     form     the canonical form of its value, a row of tbl/forms.h
     digits   the number of hexadecimal digits of a value that is a hash; 0: it is no hash
     of       the hidden member that also gets the value, so that queries for networks and domains
              find it: IP or NAME; HOST: one of both, from the host of a URL; NOTHING */
INDICATOR_TYPE("ipv4",			ADDRESS,	0,	IP)
INDICATOR_TYPE("ipv6",			ADDRESS,	0,	IP)
INDICATOR_TYPE("cidr",			NETWORK,	0,	NOTHING)
INDICATOR_TYPE("domain",		DOMAIN,		0,	NAME)
INDICATOR_TYPE("url",			TEXT,		0,	HOST)
INDICATOR_TYPE("email",			LOWER,		0,	NOTHING)
INDICATOR_TYPE("md5",			LOWER,		32,	NOTHING)
INDICATOR_TYPE("sha1",			LOWER,		40,	NOTHING)
INDICATOR_TYPE("sha256",		LOWER,		64,	NOTHING)
INDICATOR_TYPE("sha512",		LOWER,		128,	NOTHING)
INDICATOR_TYPE("certificate_sha256",	SHA256,		64,	NOTHING)
INDICATOR_TYPE("jarm",			LOWER,		62,	NOTHING)
INDICATOR_TYPE("asn",			ASN,		0,	NOTHING)
INDICATOR_TYPE("cve",			CVE,		0,	NOTHING)
INDICATOR_TYPE("technique",		TECHNIQUE,	0,	NOTHING)
INDICATOR_TYPE("bitcoin",		TEXT,		0,	NOTHING)
