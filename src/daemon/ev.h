/* SPDX-License-Identifier: ISC */
/* The event loop of daemons whose workers wait for many descriptors at once. The loop is libevent's
   and is used through libevent's own interface; the functions here add the stop request and the
   watchdog of daemon_main. */
#ifndef DAEMON_EV_H
#define DAEMON_EV_H

#include "base/base.h"

#include <event2/event.h>

/* Creates the loop for work() of a daemon. stop(arg) is called once, when the worker should end; it
   or a later event calls event_base_loopbreak as soon as the work under way is finished. The master
   kills the worker if the loop hangs. Never NULL. */
struct event_base *ev_open(void (*stop)(void *arg), void *arg);
/* Frees the loop and the events of ev_open. The caller frees its own events first. */
void ev_close(struct event_base *base);

/* Calls fn when fd is ready for what (EV_READ, EV_WRITE); only once without EV_PERSIST. Never
   NULL. */
struct event *ev_fd(
    struct event_base *base, int fd, short what, void (*fn)(int, short, void *), void *arg);

/* Creates a timer that calls fn every ms milliseconds; free it with event_free. Never NULL. */
struct event *ev_every(
    struct event_base *base, int64_t ms, void (*fn)(int, short, void *), void *arg);
struct timeval ev_ms(int64_t ms);

#endif
