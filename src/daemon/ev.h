/* SPDX-License-Identifier: ISC */
/* The event loop of the daemons that wait for many things at once: libevent's, with what a worker of
   daemon_main needs of it. Everything else is libevent's own interface. */
#ifndef DAEMON_EV_H
#define DAEMON_EV_H

#include "base/base.h"

#include <event2/event.h>

/* A loop for work() of a daemon. stop(arg) is called once, when the worker is to end: it leaves with
   event_base_loopbreak, at once or when what is under way has ended. The master's watchdog sees a loop
   that does not turn. Never NULL. */
struct event_base *ev_open(void (*stop)(void *arg), void *arg);
/* Ends the loop and what ev_open added to it; the caller's own events are to be freed before. */
void ev_close(struct event_base *base);

/* fn is called when fd is ready for what: once, without EV_PERSIST. Never NULL. */
struct event *ev_fd(struct event_base *base, int fd, short what,
    void (*fn)(int, short, void *), void *arg);

/* A timer that calls fn every ms milliseconds; free it with event_free. Never NULL. */
struct event *ev_every(
    struct event_base *base, int64_t ms, void (*fn)(int, short, void *), void *arg);
struct timeval ev_ms(int64_t ms);

#endif
