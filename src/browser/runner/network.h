/* SPDX-License-Identifier: ISC */
/* Requests and other events as evidence. Functions on_* handle events of CDP. */
#ifndef BROWSER_RUNNER_NETWORK_H
#define BROWSER_RUNNER_NETWORK_H

#include "browser/runner/runner.h"

struct network *network_new(struct runner *r);
void network_free(struct network *n);
void network_tick(struct network *n);
/* Records every unfinished request as it is. */
void network_finish(struct network *n);
/* Records an event that is not a request: kind download, dialog, crash or certificate. */
void network_record(struct network *n, const struct net_event *e);
/* Remembers a connection that surfaced-egress made, denied or failed to make. */
void network_egress(struct network *n, const struct runner_egress *e);

void on_request(void *arg, struct str session, const struct json_value *p);
void on_request_extra(void *arg, struct str session, const struct json_value *p);
void on_response(void *arg, struct str session, const struct json_value *p);
void on_response_extra(void *arg, struct str session, const struct json_value *p);
void on_data(void *arg, struct str session, const struct json_value *p);
void on_finished(void *arg, struct str session, const struct json_value *p);
void on_failed(void *arg, struct str session, const struct json_value *p);
void on_socket(void *arg, struct str session, const struct json_value *p);
void on_socket_request(void *arg, struct str session, const struct json_value *p);
void on_socket_response(void *arg, struct str session, const struct json_value *p);
void on_socket_error(void *arg, struct str session, const struct json_value *p);
void on_socket_closed(void *arg, struct str session, const struct json_value *p);

#endif
