/* SPDX-License-Identifier: ISC */
/* The values that every directory uses; nothing but libc is needed. Four conventions hold in all of
 * them:
 *
 *   struct str  { p, n }     a view of bytes that another object owns; NUL-terminated only where a
 *                            function promises it. Copying the struct copies no bytes.
 *   struct buf  { a, p, n }  output that grows by appending, in an arena or on the heap
 *   struct arena             the memory of one request:
 *
 *        arena_alloc, arena_str, ...      arena_defer(a, PQclear, res)
 *               |                                 |
 *               v                                 v
 *        [ block | block | block ]        [ fn, arg ] -> [ fn, arg ]
 *               |                                 |
 *               +------- arena_reset: calls each fn, last first, then empties the blocks
 *
 *   panic()                  for faults of this program only, never for input
 *
 * Allocation never returns NULL: the sizes that a client can cause are limited before anything is
 * allocated, so reaching the cap of an arena, or the end of the machine's memory, is a panic. A
 * request frees nothing itself; a struct that outlives a request is on the heap, and its header
 * comment says who frees it. Time is always a number of microseconds: struct ts for a point of the
 * calendar, a plain int64_t for the clocks that measure durations. The two are not comparable. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/ascii.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/encode.h"
#include "base/fd.h"
#include "base/guess.h"
#include "base/ipnet.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/split.h"
#include "base/str.h"
#include "base/ts.h"
#include "base/uuid.h"

#endif
