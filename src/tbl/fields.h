/* The fields of all datasets; the rows of a dataset are in a file of tbl/fields. A row serves the
   parser, the importer, the merge, the index and OpenAPI:

     SEARCH_FIELD(dataset, name, type, aggregatable, store, form, least, most, items, merge)
     MEMBER(dataset, name, type, form, least, most, items, merge)     in the document, but in no query
     VIEW_FIELD(dataset, name, type, aggregatable, items, field)      of a view; field: the name in its source
     CONDITION_FIELD(dataset, name, type)                             of the records that alert rules test
     ALIAS(dataset, alias, name)    another name, in queries only; an alias that ends in ".*" is a prefix
     PASSED(dataset, name, date)    a VIRTUAL boolean: the time in the field `date` has passed

   name     with a dot for each level of the document; the rows of one object are adjacent, and
            documents are printed in the order of the rows
   store    TERMS: values that repeat; NATIVE: mostly unique; KEY: identifies the document or nested object;
            VIRTUAL: in queries only, made from another member; HIDDEN: stored and in queries, but
            in no answer; GUARD: stored and in the index, but neither in answers nor in queries of
            clients (query_restrict)
   form     the canonical form of a text, a row of tbl/forms.h
   least, most  bounds of a text's bytes, or of a number
   items    most items of a list; 0: a single value
   merge    which of two values of one record stays, a row of tbl/merges.h

   An includer defines the macros that it needs; the end of the file undefines all of them. */
#ifndef SEARCH_FIELD
#define SEARCH_FIELD(dataset, name, type, aggregatable, store, form, least, most, items, merge)
#endif
#ifndef MEMBER
#define MEMBER(dataset, name, type, form, least, most, items, merge)
#endif
#ifndef VIEW_FIELD
#define VIEW_FIELD(dataset, name, type, aggregatable, items, field)
#endif
#ifndef CONDITION_FIELD
#define CONDITION_FIELD(dataset, name, type)
#endif
#ifndef ALIAS
#define ALIAS(dataset, alias, name)
#endif
#ifndef PASSED
#define PASSED(dataset, name, date)
#endif

#include "tbl/fields/hosts.h"

/* A service is a nested object of its host, and a document of the view SERVICES. */
#define SERVICE_FIELD(name, ...) SEARCH_FIELD(HOSTS, "services." name, __VA_ARGS__)
#define SERVICE_MEMBER(name, ...) MEMBER(HOSTS, "services." name, __VA_ARGS__)
#include "tbl/fields/services.h"
#undef SERVICE_FIELD
#undef SERVICE_MEMBER

/* The view: the members of a service without their prefix, and those of its host that say where it
   is. */
VIEW_FIELD(SERVICES, "ip", IP, 1, 0, "ip")
#define SERVICE_FIELD(name, type, aggregatable, store, form, least, most, items, merge)                               \
	VIEW_FIELD(SERVICES, name, type, aggregatable, items, "services." name)
#define SERVICE_MEMBER(name, ...)
#include "tbl/fields/services.h"
#undef SERVICE_FIELD
#undef SERVICE_MEMBER
VIEW_FIELD(SERVICES, "asn", INTEGER, 1, 0, "asn")
VIEW_FIELD(SERVICES, "as_name", KEYWORD, 1, 0, "as_name")
VIEW_FIELD(SERVICES, "organisation", KEYWORD, 1, 0, "organisation")
VIEW_FIELD(SERVICES, "country_code", KEYWORD, 1, 0, "country_code")
VIEW_FIELD(SERVICES, "city", KEYWORD, 1, 0, "city")
VIEW_FIELD(SERVICES, "hostnames", DNS, 1, LIM_LIST, "hostnames")
VIEW_FIELD(SERVICES, "apex_domains", DNS, 1, LIM_LIST, "apex_domains")

ALIAS(SERVICES, "country",			"country_code")
ALIAS(SERVICES, "net",				"ip")
ALIAS(SERVICES, "org",				"organisation")
ALIAS(SERVICES, "hostname",			"hostnames")
ALIAS(SERVICES, "title",			"http.title")
ALIAS(SERVICES, "server",			"http.server")
ALIAS(SERVICES, "host.*",			"*")
ALIAS(SERVICES, "services.*",			"*")

#include "tbl/fields/dns.h"
#include "tbl/fields/whois.h"
#include "tbl/fields/certificates.h"
#include "tbl/fields/reports.h"
#include "tbl/fields/directories.h"
#include "tbl/fields/conditions.h"

#undef SEARCH_FIELD
#undef MEMBER
#undef VIEW_FIELD
#undef CONDITION_FIELD
#undef ALIAS
#undef PASSED
