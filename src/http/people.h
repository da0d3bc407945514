/* SPDX-License-Identifier: ISC */
/* People in requests, for the operations that sign them in and out (cookie.c, throttle.c,
 * auth.c). */
#ifndef HTTP_PEOPLE_H
#define HTTP_PEOPLE_H

#include "http/http.h"

/* Sets the cookie with this token for the rest of the sign-in's life; t NULL: clears it. */
void cookie_set(struct req *rq, const struct token *t, struct ts until);
/* The X-CSRF-Token of a sign-in; STR_NULL: sign_in_keys cannot be read, which is in the log. */
struct str csrf_token(struct req *rq, const struct uuid *sign_in);
/* Fails unless the person has signed in within conf.sign_in_recent: for operations that need it in
   some cases only. */
int auth_recent_sign_in(struct req *rq);
/* The origin of the console, https://HOST[:PORT]: of public_url, or of the request's host. */
struct str public_origin(struct req *rq);
/* Spends a unit of the client's network after an attempt that has failed: for .afterwards. */
void throttle_failure(struct req *rq);

#endif
