/* SPDX-License-Identifier: ISC */
/* The stages of a request. request.c calls each of them at most once, in the order of its table,
 * and stops at the first that returns FAILED; that stage has written the answer. The order is that
 * of C-014 and a promise to clients: a request with two faults gets the same answer every time.
 *
 *   route, time budget                           no I/O
 *   who, csrf, override, account, scope,         one look-up of the key, in a cache first; two for
 *   recent, entitlement                          a person
 *   hand_over                                    none; the body is still unread
 *   charge                                       the mapping of counting/meter.h; may wait for
 *                                                surfaced-meter
 *   UUIDs of the path, project                   one statement, if the route is one of a project
 *   body, parameters, Idempotency-Key, fields    bytes of this request alone
 *   throttle                                     an attempt to sign in: one statement, which stays
 *                                                when the handler's transaction is rolled back
 *   handler                                      the work, in a transaction if it may change
 *                                                something
 *
 * A stage may rely on the results of all stages above it and of none below. A refusal above the
 * charge costs nothing; below it the status of the answer decides (meter_settle). */
#ifndef HTTP_STAGES_PRIV_H
#define HTTP_STAGES_PRIV_H

#include "http/http_priv.h"

/* ---- body.c: the headers, the bytes in rq->body, the struct in rq->in ---- */

int body_check_type(struct req *rq);
int body_read(struct req *rq);
int body_decode(struct req *rq);

/* ---- params.c ---- */

/* Fills rq->params. */
int params_read(struct req *rq);

/* ---- handler.c ---- */

/* The last stage: runs the handler, inside a transaction when the operation may change
   something. */
int handler_run(struct req *rq);

/* ---- auth.c: authentication and authorisation ---- */

/* Finds who sends the request: a key, an evidence ticket, or a person by their cookie. */
int auth_who(struct req *rq);
int auth_account(struct req *rq);
int auth_scope(struct req *rq);
int auth_recent(struct req *rq);
int auth_entitlement(struct req *rq);
int auth_project(struct req *rq);

/* ---- organisation.c ---- */

/* Refuses a key that names an account, and finds the organisation that a person acts in. */
int auth_override(struct req *rq);

/* ---- cookie.c ---- */

/* Refuses a change that a page of another site may have sent. */
int auth_csrf(struct req *rq);

/* ---- throttle.c ---- */

/* Spends what the row's .throttle wants, or refuses the attempt. */
int throttle_admit(struct req *rq);
/* Gives back what an attempt with this answer does not cost. */
void throttle_settle(struct req *rq);

/* ---- idempotency.c ---- */

/* Checks the header Idempotency-Key and stores it in rq. */
int idempotency_read(struct req *rq);

/* ---- meter.c ---- */

/* Charges the request to the rates and quotas of its key, or refuses it. */
int meter_admit_request(struct req *rq);
/* Gives the charges back when the status of the answer costs nothing (C-069). */
void meter_settle(struct req *rq);

/* ---- metrics.c ---- */

/* Adds the answer to the histogram of its operation and status. */
void metrics_count_answer(const struct req *rq);

#endif
