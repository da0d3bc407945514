/* SPDX-License-Identifier: ISC */
/* Warnings about tests that no document passes; the query stays valid (C-418). */
#ifndef SEARCH_QUERY_WARN_PRIV_H
#define SEARCH_QUERY_WARN_PRIV_H

#include "search/query_priv.h"

/* ---- query_warn.c ---- */

/* Warns when no document can have the value. exact: the case must match, too. */
void query_warn(struct parser *p, const struct schema_field *f, const struct word *w, bool exact);
/* Adds a warning at a position in characters. */
void query_warning(struct parser *p, uint32_t at, const char *fmt, ...) PRINTF(3, 4);
/* Warns about typographic quotes in the text. */
void query_warn_quotes(struct parser *p);
/* Whether the field has numbers of ports and the word is a name, as in port:https; then this
   warns. */
bool query_is_port_name(
    struct parser *p, const struct schema_field *f, const struct word *w) MUST_USE;

/* ---- query_never.c ---- */

/* Warns about the parts of the tree that no document can pass. */
void query_warn_never(struct parser *p, const struct node *root);

#endif
