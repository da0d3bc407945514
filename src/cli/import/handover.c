/* SPDX-License-Identifier: ISC */
/* The turns of two threads; handover.h draws them. */
#include "config.h"

#include "cli/import/handover.h"

#include <unistd.h>

static void
lock(struct handover *h)
{
	if (pthread_mutex_lock(&h->mutex) != 0)
		panic("pthread_mutex_lock failed");
}

static void
unlock(struct handover *h)
{
	if (pthread_cond_broadcast(&h->cond) != 0 || pthread_mutex_unlock(&h->mutex) != 0)
		panic("pthread_mutex_unlock failed");
}

static void
wait_change(struct handover *h)
{
	if (pthread_cond_wait(&h->cond, &h->mutex) != 0)
		panic("pthread_cond_wait failed");
}

int
handover_open(struct handover *h)
{
	*h = (struct handover){ .stop = false };
	if (pipe(h->stopper) != 0)
		panic("no pipe");
	return h->stopper[0];
}

void
handover_close(struct handover *h)
{
	close(h->stopper[0]);
	close(h->stopper[1]);
}

void
handover_start(struct handover *h, void *(*reader)(void *), void *arg)
{
	if (pthread_mutex_init(&h->mutex, NULL) != 0 || pthread_cond_init(&h->cond, NULL) != 0 ||
	    pthread_create(&h->thread, NULL, reader, arg) != 0)
		panic("no thread");
}

/* ---- the reader's thread ---- */

unsigned
handover_filling(const struct handover *h)
{
	return h->fills % 2;
}

/* After h->stop the caller takes no buffer any more, so the reader may empty one that is still
   marked full; it ends soon. */
bool
handover_give(struct handover *h)
{
	bool stop;

	lock(h);
	h->full[h->fills % 2] = true;
	h->fills++;
	unlock(h);
	lock(h);
	while (h->full[h->fills % 2] && !h->stop)
		wait_change(h);
	stop = h->stop;
	unlock(h);
	return !stop;
}

void
handover_done(struct handover *h)
{
	lock(h);
	h->done = true;
	unlock(h);
}

/* ---- the caller's thread ---- */

int
handover_take(struct handover *h)
{
	int which = -1;

	lock(h);
	if (h->taken)
		h->full[h->takes++ % 2] = false;
	h->taken = false;
	unlock(h);
	lock(h);
	while (!h->full[h->takes % 2] && !h->done)
		wait_change(h);
	if (h->full[h->takes % 2]) {
		h->taken = true;
		which = (int)(h->takes % 2);
	}
	unlock(h);
	return which;
}

/* The thread ends wherever it is: waiting for a buffer (stop is checked under the mutex, and unlock
   wakes all waiters), reading a pipe that never ends (closing the stopper makes poll return), or
   parsing (the next read or hand-over ends it). The other end of the stopper is closed last, since
   the thread polls it until it ends. */
void
handover_stop(struct handover *h)
{
	lock(h);
	h->stop = true;
	unlock(h);
	close(h->stopper[1]);
	if (pthread_join(h->thread, NULL) != 0)
		panic("pthread_join failed");
	close(h->stopper[0]);
	pthread_mutex_destroy(&h->mutex);
	pthread_cond_destroy(&h->cond);
}
