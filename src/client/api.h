/* SPDX-License-Identifier: ISC */
/* The API's answers: JSON, refusals, warnings. */
#ifndef CLIENT_API_H
#define CLIENT_API_H

#include "client/http.h"

/* Sends the request and parses the answer into client.page; NULL for one without a body. A refusal
   becomes a message, with a caret under client.query if it is about a character of the query, and
   its exit status. */
int api_ask(struct client *c, const struct ask *ask, struct json_value **out) MUST_USE;
/* The second half of api_ask: what becomes of an answer. */
int api_answer(struct client *c, const struct answer *a, struct json_value **out) MUST_USE;
int api_get(struct client *c, struct str path, struct json_value **out) MUST_USE;
/* The message and the exit status for an answer of 400 or above. */
int api_refused(struct client *c, const struct answer *a);
/* Prints the member "warnings" of an answer on stderr, each with a caret under the query. */
void api_warnings(const struct client *c, const struct json_value *answer);
/* Prints the query and a caret under one of its characters, from 1 on. */
void api_caret(const struct client *c, int64_t position, enum style style);

void api_caret_add(struct buf *b, const struct client *c, int64_t position, enum style style);
/* A message about the query begins with "Character 9 of the query: ". Returns the number and moves
   the message behind that; 0: the message is about something else. */
int64_t api_position(struct str *message);

#endif
