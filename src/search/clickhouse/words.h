/* SPDX-License-Identifier: ISC */
/* Words are numbers of 64 bits that represent the tokens of texts in the columns `words` and
 * `nested_words` of ClickHouse.
 *
 * A word is the SipHash-2-4, with a key of zeros, of the number of the field, the kind and the
 * text:
 *
 *   banner "Welcome to nginx"     ANY ""      TOKEN "welcome"    TOKEN "to"    TOKEN "nginx"    WHOLE "Welcome to nginx"
 *
 * Words are used only to test whether a document has the text of a query, so only a text that
 * collides with the text of the query could give a wrong answer: with 10^8 different tokens once in
 * 10^11 tests. They are never counted as values, because among 10^8 values two would collide with a
 * chance of 3 in 10,000. The function is sipHash64 of ClickHouse, so an operator can compute words
 * in SQL. */
#ifndef SEARCH_CLICKHOUSE_WORDS_H
#define SEARCH_CLICKHOUSE_WORDS_H

#include "search/schema.h"

enum ch_word {
	CH_WORD_ANY,   /* the field has a text; the text of the word is empty */
	CH_WORD_TOKEN, /* one token, folded, as text_tokens returns it */
	CH_WORD_WHOLE, /* the whole text as it is stored */
};

uint64_t ch_word(const struct schema_field *f, enum ch_word kind, struct str text);
/* SipHash-2-4 with the key of the 16 bytes. */
uint64_t ch_siphash(const unsigned char key[16], struct str s);

#endif
