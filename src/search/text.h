/* SPDX-License-Identifier: ISC */
/* The rules by which texts match: case folding, tokens and patterns. The index folds and splits
 * what it stores, the parser what a user asks for; a text is found only because both call these
 * functions. A change here makes every stored segment wrong, so it needs a new version of the
 * format (search/index). */
#ifndef SEARCH_TEXT_H
#define SEARCH_TEXT_H

#include "base/base.h"

/* Folds the case of a text, one character to one. Returns s itself when nothing changes, otherwise
   a copy in the arena. Bytes that are not UTF-8 are unchanged. Folding is idempotent. */
struct str text_fold(struct arena *a, struct str s);
/* Calls fn with each folded token, in order. A token is a run of letters, digits and marks, or one
   symbol beyond ASCII (C-417); '_' is a separator. Tokens live as long as s and the arena. */
void text_tokens(struct arena *a, struct str s, void (*fn)(void *arg, struct str token), void *arg);

/* Whether the whole text matches a pattern: * any characters, ? one character. */
bool text_glob(struct str pattern, struct str s) MUST_USE;

#endif
