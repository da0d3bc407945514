/* SPDX-License-Identifier: ISC */
/* Requests and other events as evidence. */
#ifndef BROWSER_RUNNER_NETWORK_H
#define BROWSER_RUNNER_NETWORK_H

#include "browser/runner/runner.h"

struct network *network_new(struct runner *r);
void network_free(struct network *n);
void network_tick(struct network *n);
/* Records every unfinished request as it is. */
void network_finish(struct network *n);
/* Records an event that is not a request: kind download, dialog, crash, certificate or page. */
void network_record(struct network *n, const struct net_event *e);
/* Remembers a connection that surfaced-egress made, denied or failed to make. */
void network_egress(struct network *n, const struct runner_egress *e);

#endif
