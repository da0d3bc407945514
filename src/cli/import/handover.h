/* SPDX-License-Identifier: ISC */
/* Two buffers between two threads: a reader fills one while the caller stores the other. The caller
 * of these functions has the buffers, an array of two; the functions return the index of the buffer
 * that a thread may use.
 *
 *     reader:  fill 0 | fill 1 | wait, fill 0 | ...      full[i] under the mutex decides who owns buffer i
 *     caller:  wait   | store 0 | store 1     | ...
 *
 *     full[i] false   the reader fills buffer i; the caller does not look at it
 *     full[i] true    the caller uses buffer i; the reader waits before it takes the buffer again
 *
 * Beside the buffers, the threads share only members that the owner declares _Atomic. */
#ifndef CLI_IMPORT_HANDOVER_H
#define CLI_IMPORT_HANDOVER_H

#include "base/base.h"

#include <pthread.h>

struct handover {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool full[2], done, stop; /* protected by the mutex */
	unsigned fills, takes;    /* the number of the reader's buffer, and of the caller's */
	bool taken;               /* the caller has a buffer */
	int stopper[2];
};

/* Returns a descriptor for source_open, which becomes readable when the reading has to end. */
int handover_open(struct handover *h);
/* Instead of handover_start and handover_stop. */
void handover_close(struct handover *h);
void handover_start(struct handover *h, void *(*reader)(void *), void *arg);

/* For the reader. handover_give passes the filled buffer to the caller and waits for the other one,
   which the reader then empties; false: the caller takes no more buffers. */
unsigned handover_filling(const struct handover *h);
bool handover_give(struct handover *h);
void handover_done(struct handover *h);

/* For the caller: returns the last buffer and takes the next; negative: the reader is done. */
int handover_take(struct handover *h);
/* Ends the thread, even in the middle of a read. The buffers may be freed afterwards. */
void handover_stop(struct handover *h);

#endif
