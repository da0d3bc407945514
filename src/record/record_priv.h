/* SPDX-License-Identifier: ISC */
/* Private to src/record: the tree of members that the tables describe, and the tree of a record. */
#ifndef RECORD_RECORD_PRIV_H
#define RECORD_RECORD_PRIV_H

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/record.h"

enum form {
#define FORM(id, function, closed, asked, fault) FORM_##id,
#include "tbl/forms.h"
#undef FORM
	FORMS,
};

enum merge {
#define MERGE(id, by, first, whole) MERGE_##id,
#include "tbl/merges.h"
#undef MERGE
	MERGES,
};

enum shape {
	SHAPE_VALUE,   /* one value */
	SHAPE_TEXTS,   /* a list of texts */
	SHAPE_OBJECT,  /* an object */
	SHAPE_OBJECTS, /* the dataset's nested objects */
};

struct record_member {
	struct str name; /* without its parents; not NUL-terminated */
	enum shape shape;
	enum value_type type; /* VALUE and TEXTS */
	enum form form;
	enum merge merge; /* for nested objects without a key, that of their first member */
	int64_t least, most;
	size_t items;
	bool key;
	bool hidden;                      /* not in answers */
	unsigned place;                   /* in the object above */
	unsigned id;                      /* in the array of all members */
	const struct record_member *kids; /* the members of an object: nkids of them */
	unsigned nkids;
};

struct record_value {
	bool set;
	union {
		struct str s; /* KEYWORD, TEXT, DNS, IP */
		int64_t i;    /* INTEGER, BOOLEAN, DATE in microseconds */
		struct {
			struct str *p;
			size_t n;
		} texts;
		struct {
			struct record_object **p;
			size_t n;
		} objects;
		struct record_object *object;
	};
};

struct record_object {
	const struct record_member *of;
	struct record_secret *secrets; /* masked.h */
	size_t nsecrets;
	struct record_value v[]; /* of->nkids */
};

enum { RECORD_MEMBERS = 512 };

/* The member that represents the whole document of a dataset. */
const struct record_member *record_root(enum dataset d);
/* The dataset's nested list in the record's root; NULL: it has none. */
const struct record_member *record_nested_member(enum dataset d);
const struct record_member *record_kid(const struct record_member *of, struct str name);
struct record_object *record_object_new(struct arena *a, const struct record_member *of);

/* Return the value of a dotted name. record_find returns NULL when it is not set; record_make
   creates the objects above it. */
struct record_value *record_find(const struct record_object *o, const char *name);
struct record_value *record_make(struct arena *a, struct record_object *o, const char *name);

/* Compare by the members in the order of the table; an unset value is less than any other. */
int record_value_cmp(
    const struct record_member *m, const struct record_value *x, const struct record_value *y);
int record_object_cmp(const struct record_object *x, const struct record_object *y);

/* Brings a text into its canonical form. Returns NULL, or the fault as the end of a sentence. */
const char *record_form(struct arena *a, const struct record_member *m, struct str *s,
    enum record_manner manner) MUST_USE;
/* Brings an answer of a record type into its canonical form. *ip and *name: the last address and
   the last name in the answer, or STR_NULL. Returns NULL, or the fault as the end of a sentence. */
const char *record_answer(struct arena *a, struct str type, struct str *answer, struct str *ip,
    struct str *name) MUST_USE;
/* The number of a record type or response code in canonical form. */
unsigned record_dns_type(struct str name);
unsigned record_dns_rcode(struct str name);
/* Brings a DNS name into the form of the owner of a record: lower case, no final dot, escapes of
   RFC 1035. */
bool record_owner(struct arena *a, struct str *s) MUST_USE;

/* Sorts a list of texts and removes repetitions. */
void record_sort_texts(struct record_value *v);
/* Whether nested objects are identified by members of their own, as services are by port and
   transport. m may be NULL. */
bool record_nested_has_key(const struct record_member *m);
int record_nested_cmp(const struct record_object *x, const struct record_object *y);

/* Sets the members that follow from others, and checks the rules between members. Returns NULL, or
   the fault: a whole sentence. */
const char *record_derive(struct arena *a, struct record *r);
/* Does the same for the document of a report. */
const char *record_derive_report(struct arena *a, struct record_object *o);
/* Adds to a service the capabilities that its title and headers show (tbl/capabilities.h). */
void record_derive_capabilities(struct arena *a, struct record_object *service);

#endif
