/* SPDX-License-Identifier: ISC */
/* The members of the host document, shared by host.c and member.c. A row of the table serves reading, checking and
   printing. */
#ifndef CLI_IMPORT_IMPORT_PRIV_H
#define CLI_IMPORT_IMPORT_PRIV_H

#include "cli/import/import.h"

enum member_type {
	MEMBER_TEXT,     /* struct str */
	MEMBER_INT,      /* struct opt */
	MEMBER_BOOL,     /* struct opt */
	MEMBER_TIME,     /* struct opt */
	MEMBER_TEXTS,    /* struct texts */
	MEMBER_OBJECT,   /* .sub, whose offsets count from the same base */
	MEMBER_SERVICES, /* the host's services */
	MEMBER_END,
};

enum member_form {
	FORM_ANY,
	FORM_IP,        /* canonical address */
	FORM_PREFIX,    /* canonical network */
	FORM_COUNTRY,   /* two letters, upper case */
	FORM_UPPER,     /* ASCII upper case */
	FORM_LOWER,     /* ASCII lower case */
	FORM_DNS,       /* lower case, no trailing dot */
	FORM_SLUG,      /* a tag */
	FORM_TRANSPORT, /* tcp, udp or sctp */
};

struct member {
	struct str name; /* NUL-terminated */
	enum member_type type;
	enum member_form form;
	size_t offset;
	int64_t lo, hi; /* bounds of a text's bytes, or of a number or time */
	const struct member *sub;
};

extern const struct member member_host[], member_service[];

/* Brings *s into its stored form; returns the fault, or NULL. */
const char *member_form(
    struct arena *a, const struct member *m, struct str *s, enum import_manner manner);
void member_hash_banner(struct arena *a, struct import_service *s);

#endif
