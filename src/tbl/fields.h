/* The search schema, CONTRACT A10: SEARCH_FIELD(dataset, name, type, aggregatable).
   A name under "services." is a member of the host's services, the nested documents.
   ALIAS(dataset, alias, name): in queries only; an alias ending in ".*" is a prefix.
   NESTED(dataset, name): the object whose members are tested together by name:( ... ).
   A user defines the macros it wants; all of them end with the file. */
#ifndef SEARCH_FIELD
#define SEARCH_FIELD(dataset, name, type, aggregatable)
#endif
#ifndef ALIAS
#define ALIAS(dataset, alias, name)
#endif
#ifndef NESTED
#define NESTED(dataset, name)
#endif

NESTED(HOSTS, "services")

SEARCH_FIELD(HOSTS, "ip",				IP,	 1)
SEARCH_FIELD(HOSTS, "ip_version",			INTEGER, 1)
SEARCH_FIELD(HOSTS, "prefix",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "asn",				INTEGER, 1)
SEARCH_FIELD(HOSTS, "as_name",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "organisation",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "country_code",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "region",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "city",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "hostnames",			DNS,	 1)
SEARCH_FIELD(HOSTS, "apex_domains",			DNS,	 1)
SEARCH_FIELD(HOSTS, "ptr",				DNS,	 0)
SEARCH_FIELD(HOSTS, "os",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "cpe",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "vulnerabilities",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "tags",				KEYWORD, 1)
SEARCH_FIELD(HOSTS, "tags.category",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "tags.classification",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "service_count",			INTEGER, 1)
SEARCH_FIELD(HOSTS, "first_seen",			DATE,	 0)
SEARCH_FIELD(HOSTS, "last_seen",			DATE,	 0)
SEARCH_FIELD(HOSTS, "services.port",			INTEGER, 1)
SEARCH_FIELD(HOSTS, "services.transport",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.protocol",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.service_name",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.vendor",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.product",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.version",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.cpe",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.banner",			TEXT,	 0)
SEARCH_FIELD(HOSTS, "services.banner_hash",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tags",			KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tags.category",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls_enabled",		BOOLEAN, 1)
SEARCH_FIELD(HOSTS, "services.http.status_code",	INTEGER, 1)
SEARCH_FIELD(HOSTS, "services.http.title",		TEXT,	 1)
SEARCH_FIELD(HOSTS, "services.http.server",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.http.body_hash",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.http.favicon_hash",	KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.http.capabilities",	KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.version",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.jarm",		KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.certificate.fingerprint_sha256", KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.certificate.subject_cn", KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.certificate.issuer_cn", KEYWORD, 1)
SEARCH_FIELD(HOSTS, "services.tls.certificate.names",	DNS,	 0)
SEARCH_FIELD(HOSTS, "services.tls.certificate.not_after", DATE, 0)
SEARCH_FIELD(HOSTS, "services.tls.certificate.self_signed", BOOLEAN, 1)

ALIAS(HOSTS, "port",				"services.port")
ALIAS(HOSTS, "product",			"services.product")
ALIAS(HOSTS, "country",			"country_code")
ALIAS(HOSTS, "net",				"ip")
ALIAS(HOSTS, "org",				"organisation")
ALIAS(HOSTS, "hostname",			"hostnames")
ALIAS(HOSTS, "title",				"services.http.title")
ALIAS(HOSTS, "server",				"services.http.server")
ALIAS(HOSTS, "vuln",				"vulnerabilities")
ALIAS(HOSTS, "host.*",				"*")
ALIAS(HOSTS, "location.country_code",		"country_code")
ALIAS(HOSTS, "autonomous_system.asn",		"asn")
ALIAS(HOSTS, "dns.names",			"hostnames")

#undef SEARCH_FIELD
#undef ALIAS
#undef NESTED
