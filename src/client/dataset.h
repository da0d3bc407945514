/* SPDX-License-Identifier: ISC */
/* The datasets: their names in paths and answers, and the columns of their tables. */
#ifndef CLIENT_DATASET_H
#define CLIENT_DATASET_H

#include "client/print.h"

struct dataset {
	const char *name;   /* in paths: "open-directories" */
	const char *list;   /* the member of a page that has the documents */
	const char *record; /* the member of a look-up that has the document */
	const struct column *columns;
};

extern const struct dataset datasets[]; /* ends with a row without name */

const struct dataset *dataset_named(const char *name);
/* The dataset of the first word, and the query of the others, which it also stores in client.query.
   NULL after a message. */
const struct dataset *dataset_of_words(struct client *c);

/* Asks for pages by cursor until --limit documents are printed, or all with --all. path has no
   limit and no cursor yet; most is the largest page that the operation answers. */
struct listing {
	struct str path;
	const char *member;
	const struct column *columns;
	int64_t page_max;
};
int list_print(struct client *c, const struct listing *l);

/* The rows --limit and --all of commands that print lists. */
#define LIST_OPTIONS                                                                               \
	{ "limit", 'n', NUMBER, "N", "print at most N (100)", 1, 0 },                              \
	{                                                                                          \
		"all", 'a', FLAG, NULL, "print every one", 0, 0                                    \
	}
#define FIELDS_OPTION                                                                              \
	{                                                                                          \
		"fields", 'f', FIELDS, "NAME,...", "ask for these members alone", 0, 0             \
	}

#endif
