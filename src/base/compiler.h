/* SPDX-License-Identifier: ISC */
/* Compiler attributes, banned functions, and panic(). */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MUST_USE __attribute__((warn_unused_result))
#define NEVER_NULL __attribute__((returns_nonnull))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Calls of these functions do not compile: their bounds or their hidden state cannot be seen at the
   call. */
#ifndef BASE_ALLOW_BANNED
#pragma GCC poison strcpy strcat sprintf vsprintf strtok ctime asctime gmtime localtime rand srand \
    gets
#endif

/* For a fault of this program: logs the message and a backtrace and aborts this process, which its
   parent replaces. Input from outside never causes a panic. */
_Noreturn void panic(const char *fmt, ...) PRINTF(1, 2);

#endif
