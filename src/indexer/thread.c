/* SPDX-License-Identifier: ISC */
/* The start of a thread (thread.h). */
#include "config.h"

#include "indexer/thread.h"

#include <signal.h>

bool
thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, mask;
	bool ok;

	sigfillset(&all);
	ok = pthread_sigmask(SIG_SETMASK, &all, &mask) == 0 &&
	     pthread_create(thread, NULL, run, arg) == 0;
	if (pthread_sigmask(SIG_SETMASK, &mask, NULL) != 0)
		panic("pthread_sigmask failed");
	return ok;
}
