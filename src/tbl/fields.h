/* The fields of all datasets; the rows of a dataset are in a file of tbl/fields. A row serves the parser, the importer,
   the merge, the index and OpenAPI:

     SEARCH_FIELD(dataset, name, type, aggregatable, store, form, least, most, items, merge)
     MEMBER(dataset, name, type, form, least, most, items, merge)     in the document, but in no query
     CONDITION_FIELD(dataset, name, type)                             of the records that alert rules test
     ALIAS(dataset, alias, name)    another name, in queries only; an alias that ends in ".*" is a prefix
     PASSED(dataset, name, date)    says of a VIRTUAL boolean that it is true once the time of another field has passed

   name     dotted as the document nests; the rows of one object are adjacent, and documents are printed in their order
   store    TERMS: values that repeat; NATIVE: mostly unique; KEY: identifies the document or nested object;
            VIRTUAL: in queries only, made from another member
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

#include "tbl/fields/dns.h"
#include "tbl/fields/whois.h"
#include "tbl/fields/certificates.h"
#include "tbl/fields/reports.h"
#include "tbl/fields/directories.h"
#include "tbl/fields/conditions.h"

#undef SEARCH_FIELD
#undef MEMBER
#undef CONDITION_FIELD
#undef ALIAS
#undef PASSED
