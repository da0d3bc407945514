/* The datasets (SPEC 2.2):
     DATASET(id, number, name, count unit, key, nested object)   a dataset that search, count and aggregate answer
     STORED(id, number, name, count unit, key, nested object)    one that is imported and kept, but not searched yet
     VIEW(id, number, name, count unit, source, nested object)   one made of the source's nested objects
   The number is the dataset's in the database (table record) and never changes. The key is a function of
   src/record/key.c. A dataset with an empty unit can be searched but not counted. The end of the file undefines all. */
#ifndef DATASET
#define DATASET(id, number, name, unit, key, nested)
#endif
#ifndef STORED
#define STORED(id, number, name, unit, key, nested)
#endif
#ifndef VIEW
#define VIEW(id, number, name, unit, source, nested)
#endif

DATASET(HOSTS,		1, "hosts",		"host",		address,	"services")
VIEW(SERVICES,		2, "services",		"service",	HOSTS,		NULL)
STORED(DNS,		3, "dns",		"dns_record",	dns,		NULL)
STORED(WHOIS,		4, "whois",		"whois_domain",	domain,		NULL)
STORED(CERTIFICATES,	5, "certificates",	"certificate",	certificate,	NULL)
STORED(REPORTS,		6, "reports",		"report",	report,		"indicators")
STORED(DIRECTORIES,	7, "open-directories",	"",		directory,	"files")

#undef DATASET
#undef STORED
#undef VIEW
