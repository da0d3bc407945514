/* SPDX-License-Identifier: ISC */
/* Shared by the files that read STIX: the objects of a bundle by their ids.

     stix.c          finds the reports of a bundle, and the objects of each
     stix_object.c   puts one object into a report
     stix_value.c    the values of observables, observations and patterns
     bundle.c        the table of ids, and markings */
#ifndef CLI_REPORT_STIX_PRIV_H
#define CLI_REPORT_STIX_PRIV_H

#include "cli/report/builder.h"
#include "json/tree.h"

struct stix_entry {
	struct str id;
	const struct json_value *object;
	struct ts modified;
	size_t place;        /* in the bundle */
	const void *used_by; /* the object of the last report that has it; NULL: none */
	bool disputed;       /* an opinion of the bundle calls it wrong */
};

struct stix_bundle {
	struct report_reading *r;
	struct stix_entry *p; /* sorted by id */
	size_t n;
	const struct json_value
	    *report; /* its objects are being read; without a report the bundle itself */
};

/* Reads the objects of the bundle; of several with one id the newest stays. */
void bundle_index(struct stix_bundle *s, const struct json_value *objects);
/* NULL: the bundle has no such object. */
struct stix_entry *bundle_find(const struct stix_bundle *s, struct str id);
/* Marks the report with all markings of an object, those of its parts (granular_markings) among
   them. */
void bundle_markings(
    const struct stix_bundle *s, struct report_builder *b, const struct json_value *object);

/* The text of a member; STR_NULL: it has none. */
struct str stix_text(const struct json_value *object, const char *member);
/* The time of a member; TS_NULL: it has none. */
struct ts stix_time(const struct json_value *object, const char *member);
bool stix_is_revoked(const struct json_value *object);
/* The texts of a list. */
struct strs stix_texts(struct arena *a, const struct json_value *object, const char *member);

/* Puts an object of the bundle into the report. */
void stix_object(const struct stix_bundle *s, struct report_builder *b, struct stix_entry *e);

/* True for a type of observables such as ipv4-addr. */
bool stix_is_observable(struct str type);
/* Add the values of an observable, of observed-data with all that it observed, and of an
   indicator's pattern. */
void stix_observable(const struct stix_bundle *s, struct report_builder *b,
    const struct json_value *object, const struct report_value *like);
void stix_observed(
    const struct stix_bundle *s, struct report_builder *b, const struct stix_entry *e);
void stix_indicator(struct report_builder *b, const struct stix_entry *e);

#endif
