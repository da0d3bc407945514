/* SPDX-License-Identifier: ISC */
/* The connections of runners, without their messages: their ends, and the message that ends a
   runner. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"

#include <unistd.h>

void
caller_close(struct caller *c)
{
	if (c->session != NULL) {
		c->session->link = NULL;
		c->session->trusted_until = mono_us() + STRANGER_US;
		c->session->gone |= c->session->pidfd < 0;
	}
	if (c->socks >= 0)
		close(c->socks);
	link_free(c->link);
	LIST_REMOVE(c, next);
	free(c);
}

void
caller_drop(struct session *s)
{
	struct caller *c, *following;

	for (c = LIST_FIRST(&s->d->callers); c != NULL; c = following) {
		following = LIST_NEXT(c, next);
		if (c->session == s)
			caller_close(c);
	}
}

void
runner_send_close(struct session *s, struct str reason)
{
	const struct runner_close message = { reason };

	link_send(s->link, "close", runner_close_fields, &message, -1);
}
