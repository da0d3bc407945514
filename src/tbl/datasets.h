/* The datasets (SPEC 2.2):
     DATASET(id, number, name, count unit, key, nested object, its names, label)   search, count and aggregate answer it
     LISTED(id, number, name, key, nested object, its names, label)                search alone answers it
     VIEW(id, number, name, count unit, source, nested object, its names, label)   made of the source's nested objects

   number       the dataset's in the database (table record); it never changes
   count unit   of the API; it has none for a listed dataset, which is a DATASET with an empty unit where a reader has
                no LISTED of its own
   key          a function of src/record/key.c; documents with the key "address" are found by their field ip
   its names    the members by which a hit names a nested object: at most one integer, and texts
   label        "field=name": in a facet of the field, a bucket has as its label the other field's value

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
