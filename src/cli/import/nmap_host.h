/* SPDX-License-Identifier: ISC */
/* The host that nmap's XML describes, as the handlers of elements fill it. */
#ifndef CLI_IMPORT_NMAP_HOST_H
#define CLI_IMPORT_NMAP_HOST_H

#include "cli/import/nmap_priv.h"

/* The present line of the file. */
uint64_t nmap_line(const struct nmap *x);

/* The value of an attribute, or NULL. atts: names and values by turns, as expat passes them. */
const char *nmap_attribute(const char **atts, const char *name);
/* A number such as seconds since 1970; 0: there is none, or it is out of range. */
int64_t nmap_number(const char *z);
/* Counts bytes that the host is about to use. False: the host would be above HOST_BYTES, so the
   caller must not use them. */
bool nmap_use(struct nmap *x, size_t n) MUST_USE;
/* A copy in the memory of the host; STR_NULL if the text is absent or empty, or the host is above
   HOST_BYTES. */
struct str nmap_copy(struct nmap *x, struct str s);
struct str nmap_copy_attribute(struct nmap *x, const char **atts, const char *name);
/* Adds a copy of the text to a list of the host or the service o, unless the list is full. */
void nmap_add_text(struct nmap *x, struct record_object *o, const char *list, struct str s);
void nmap_set_text(struct nmap *x, struct record_object *o, const char *name, struct str s);
/* The service of the present port, which is made at its first use; NULL: the port is closed, or
   there is no port. */
struct record_object *nmap_service(struct nmap *x);
/* Sets the system of the host. The first guess wins, but "Unix" is less specific than any other. */
void nmap_guess_os(struct nmap *x, struct str guess);

void nmap_too_big(struct nmap *x);

#endif
