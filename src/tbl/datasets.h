/* The datasets (C-042):
     DATASET(id, number, name, count unit, key, nested object, its names, label)   search, count and aggregate answer it
     LISTED(id, number, name, key, nested object, its names, label)                search alone answers it
     VIEW(id, number, name, count unit, source, nested object, its names, label)   made of the source's nested objects

   number       the number of the dataset in the table record; it never changes
   count unit   the unit of the API's counts. A LISTED dataset has none; an includer that does not
                define LISTED gets its row as a DATASET with an empty unit
   key          a function of src/record/key.c; with the key "address", documents are found by the field ip
   its names    the members by which a hit names a nested object: at most one integer, and texts
   label        "asn=as_name": in an aggregation by asn, the label of a bucket is the value of
                as_name

   The end of the file undefines all. */
#ifndef DATASET
#define DATASET(id, number, name, unit, key, nested, naming, label)
#endif
#ifndef LISTED
#define LISTED(id, number, name, key, nested, naming, label) DATASET(id, number, name, "", key, nested, naming, label)
#endif
#ifndef VIEW
#define VIEW(id, number, name, unit, source, nested, naming, label)
#endif

DATASET(HOSTS,		1, "hosts",		"host",		address,	"services",	"port transport", "asn=as_name")
VIEW(SERVICES,		2, "services",		"service",	HOSTS,		NULL,		NULL,		"asn=as_name")
DATASET(DNS,		3, "dns",		"dns_record",	dns,		NULL,		NULL,		NULL)
DATASET(WHOIS,		4, "whois",		"whois_domain",	domain,		NULL,		NULL,		NULL)
DATASET(CERTIFICATES,	5, "certificates",	"certificate",	certificate,	NULL,		NULL,		NULL)
DATASET(REPORTS,	6, "reports",		"report",	report,		"indicators",	"type value",	NULL)
LISTED(DIRECTORIES,	7, "open-directories",			directory,	"files",	"name",		NULL)

#undef DATASET
#undef LISTED
#undef VIEW
