/* SPDX-License-Identifier: ISC */
/* The searchable datasets and their fields: rows of tbl/datasets.h and tbl/fields.h, and those of
 * alert conditions in tbl/conditions.h. A struct schema_field lives as long as the program, so its
 * address is its identity. A query accepts names in any case and aliases; a request body (C-036)
 * and the index know exact names. */
#ifndef SEARCH_SCHEMA_H
#define SEARCH_SCHEMA_H

#include "search/value.h"

enum store { STORE_TERMS, STORE_NATIVE, STORE_KEY, STORE_VIRTUAL, STORE_HIDDEN, STORE_GUARD };

struct schema_field {
	enum dataset dataset;
	const char *name;
	enum value_type type;
	enum store store;
	bool aggregatable;
	bool canonical;       /* values of queries get the canonical form of records */
	bool colons;          /* tools print its values with colons, which records do not have */
	bool list;            /* a document may have several values */
	bool nested;          /* a member of the nested object, such as "services." */
	const char *relative; /* the name without "services." */
	int64_t least, most;  /* bounds of an INTEGER of records; both 0: unknown */
	unsigned index;       /* the place among the fields of the dataset, from 0 */
	const struct schema_field *of; /* the field of the source, in a view; else NULL */
	/* The DATE that decides the value of a VIRTUAL boolean: whether its time has passed; else
	   NULL. */
	const struct schema_field *passed;
	/* The field whose value is the label of a bucket, as_name of an asn; NULL: buckets have no
	   labels. */
	const struct schema_field *label;
};

/* Columns of tbl/datasets.h: at most so many members name a nested object. */
enum { SCHEMA_NAMING = 2 };

const char *schema_dataset_name(enum dataset d);
/* The dataset of a source of alert rules, "finding" or "service". */
enum dataset schema_of_source(struct str source);
/* The unit of counts; "" for a dataset without counts. */
const char *schema_count_unit(enum dataset d);
/* All fields of a dataset, in the order of the table. */
size_t schema_fields(enum dataset d, const struct schema_field **first);
/* Finds a field by its exact name, without aliases (C-036); NULL when there is none. */
const struct schema_field *schema_find(enum dataset d, struct str name);
/* The dataset's field GUARD, which no other function finds by its name; NULL: it has none. */
const struct schema_field *schema_guard(enum dataset d);
/* Finds a field by its name or alias in any ASCII case, as queries do. */
const struct schema_field *schema_resolve(enum dataset d, struct str name);
/* The known name most similar to an unknown one, for hints; NULL when no name is similar. */
const char *schema_nearest(enum dataset d, struct str name);
/* "string", "integer", "number" or "boolean": the value_type of C-043. */
const char *schema_json_type(enum value_type t);
/* alias, name, alias, name ...; returns the number of pairs. */
size_t schema_aliases(enum dataset d, const char *const **pairs);
/* The dataset's nested object ("services" on hosts), or NULL. */
const char *schema_nested(enum dataset d);
/* Whether a name in a query means the nested object ("services", "host.services"). */
bool schema_is_nested(enum dataset d, struct str name);
/* Finds a member of the nested object by its relative name, its full name or an alias; NULL when
   there is none. */
const struct schema_field *schema_member(enum dataset d, struct str name);
/* The members that name a nested object in a hit, in their order; returns their number. */
size_t schema_naming(enum dataset d, const struct schema_field *out[SCHEMA_NAMING]);
/* The dataset whose index answers for this one: for a view its source. */
enum dataset schema_source(enum dataset d);
/* The field whose address is the key of a document, ip of hosts; NULL: keys are other bytes. */
const struct schema_field *schema_address(enum dataset d);
/* Fields with a special syntax of values: lists of country codes with commas, and asn with the
   prefix "AS". */
bool schema_is_country(const struct schema_field *f);
bool schema_is_asn(const struct schema_field *f);
/* Whether its values are numbers of ports. */
bool schema_is_port(const struct schema_field *f) MUST_USE;

#endif
