/* SPDX-License-Identifier: ISC */
/* Results of tools/call: what the API answered, harmless and no larger than a bound. */
#ifndef CLIENT_MCP_RESULT_H
#define CLIENT_MCP_RESULT_H

#include "client/http.h"

/* Appends the result for an answer with a status, as a JSON object. lowered > 0: the request has
   this limit instead of that of the assistant, so that the page fits. Memory comes from
   client.page. */
void result_of_answer(
    struct buf *b, struct client *c, const struct answer *a, size_t most, int64_t lowered);
/* Appends the result for a call that failed, with a text for the assistant. */
void result_failed(struct buf *b, struct client *c, struct str text);
/* The limit with which a page that is larger than the bound fits, from 1 on; 0: the answer fits, or
   is no page of several documents with a cursor. */
int64_t result_fitting_limit(struct client *c, const struct answer *a, size_t most);

#endif
