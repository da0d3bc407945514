/* SPDX-License-Identifier: ISC */
/* Unpacks gzip (zlib) and zstd (libzstd) piece by piece, for source.c. Public data sets are
 * compressed, and are often several files that were concatenated; each begins where the one before
 * ends:
 *
 *     1f 8b ... member | 1f 8b ... member | 00 00 ...        zeros at the end are padding of tapes
 *     28 b5 2f fd ... frame | 28 b5 2f fd ... frame
 *
 * The state has a fixed size, but for the window of zstd, which the library bounds to 128 MiB. A
 * small file can unpack to a very large one. Neither costs memory here; so that it does not cost
 * hours, an input that unpacks to more than UNPACK_RATIO times its size ends with an error once it
 * has passed UNPACK_FREE bytes. */
#ifndef CLI_IMPORT_UNPACK_H
#define CLI_IMPORT_UNPACK_H

#include "base/base.h"

enum { UNPACK_FREE = 64 * 1024 * 1024, UNPACK_RATIO = 1000 };

struct unpack;

/* Begins to unpack an input with these first bytes, four if it has as many. NULL: the input is not
   compressed, or *fault is the reason why its format cannot be unpacked. */
struct unpack *unpack_new(struct str head, const char **fault);
void unpack_free(struct unpack *u);
/* Unpacks from *in to out and removes the used bytes from *in. Returns the number of unpacked
   bytes, which may be 0. Bytes before a fault are still returned; unpack_fault has the fault. */
size_t unpack_bytes(struct unpack *u, struct str *in, char *out, size_t room);
/* The input has ended. */
void unpack_end(struct unpack *u);
/* NULL, or the reason why the input cannot be read on. */
const char *unpack_fault(const struct unpack *u);

#endif
