/* SPDX-License-Identifier: ISC */
/* Questions about texts that the tables of words answer. */
#ifndef LOOKALIKE_WORDS_PRIV_H
#define LOOKALIKE_WORDS_PRIV_H

#include "base/base.h"

bool is_ordinary(struct str word);
/* Whether the text is two ordinary words or more, each of at least four letters. */
bool is_ordinary_words(struct str text);
bool is_abused_suffix(struct str suffix);
bool is_hosting_suffix(struct str name);
/* Whether the registrable domain is in tbl/known_domains.h or tbl/shared_domains.h. */
bool is_known_domain(struct str domain);
/* Whether the folded text is one or two words of tbl/own_words.h. */
bool is_own_words(struct str text);
/* Whether the folded text consists of lures and digits, with at least one lure. */
bool is_lures(struct str text);
/* Whether is_lures is true, or the text begins or ends with a lure of at least LURE_ALONE
   letters. */
bool has_lure(struct str text);
/* The length of the longest folded lure at the beginning or the end of the text; 0: none. */
size_t lure_before(struct str text);
size_t lure_behind(struct str text);
bool has_digits(struct str s);
/* Whether the text looks random: it has no vowel, four consonants in a row, or a q without u. */
bool is_random(struct str s);

#endif
