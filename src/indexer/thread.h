/* SPDX-License-Identifier: ISC */
/* Threads of surfaced-index. They store rows and wait for servers; the main thread receives all
   signals. */
#ifndef INDEXER_THREAD_H
#define INDEXER_THREAD_H

#include "base/base.h"

#include <pthread.h>

/* Starts a thread in which all signals are blocked. False: there is no thread. */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg) MUST_USE;

#endif
