/* SPDX-License-Identifier: ISC */
/* The values that every room uses: text, memory, output, files, UUIDs, time, the log. libc alone. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/encode.h"
#include "base/fd.h"
#include "base/guess.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/ts.h"
#include "base/uuid.h"

#endif
