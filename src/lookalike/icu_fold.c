/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "lookalike/icu_fold.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

struct icu_fold {
	USpoofChecker *checker;
	const UNormalizer2 *nfd;
	UIDNA *idna;
};

enum { ROOM = 128 };

struct icu_fold *
icu_fold_open(void)
{
	UErrorCode e = U_ZERO_ERROR;
	struct icu_fold *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->checker = uspoof_open(&e);
	f->nfd = unorm2_getNFDInstance(&e);
	f->idna = uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_USE_STD3_RULES, &e);
	if (U_SUCCESS(e))
		return f;
	icu_fold_close(f);
	return NULL;
}

void
icu_fold_close(struct icu_fold *f)
{
	uspoof_close(f->checker);
	uidna_close(f->idna);
	free(f);
}

static bool
is_mark(UChar32 c)
{
	int8_t type = u_charType(c);

	return type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK ||
	       type == U_COMBINING_SPACING_MARK;
}

static bool
is_label_char(UChar32 c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool
icu_fold_skeleton(struct icu_fold *f, uint32_t code, char out[ICU_FOLD_ROOM])
{
	UErrorCode e = U_ZERO_ERROR;
	UChar in[4], skeleton[ROOM], folded[ROOM], plain[ROOM];
	int32_t n = 0, at = 0;
	size_t used = 0;
	UBool wrong = 0;

	if (code >= 0xd800 && code <= 0xdfff)
		return false;
	U16_APPEND(in, n, 4, (UChar32)code, wrong);
	n = uspoof_getSkeleton(f->checker, 0, in, n, skeleton, ROOM, &e);
	n = u_strFoldCase(folded, ROOM, skeleton, n, U_FOLD_CASE_DEFAULT, &e);
	n = unorm2_normalize(f->nfd, folded, n, plain, ROOM, &e);
	if (wrong || U_FAILURE(e) || n >= ROOM)
		return false;
	while (at < n) {
		UChar32 c;

		U16_NEXT(plain, at, n, c);
		if (is_mark(c))
			continue;
		if (!is_label_char(c) || used + 1 >= ICU_FOLD_ROOM)
			return false;
		out[used++] = (char)c;
	}
	out[used] = '\0';
	return used > 0;
}

/* Folds a letter by its name in Unicode: LATIN SMALL LETTER P WITH HOOK is p, and LATIN LETTER
   SMALL CAPITAL R is r. The skeleton does not contain these. */
static bool
fold_by_name(uint32_t code, char out[ICU_FOLD_ROOM])
{
	static const char *const beginnings[] = { "LATIN SMALL LETTER ", "LATIN CAPITAL LETTER ",
		"LATIN LETTER SMALL CAPITAL " };
	/* Letters whose names do not contain the letter that they resemble. */
	static const struct {
		uint32_t code;
		char letter;
	} letters[] = { { 0x185, 'b' }, { 0x1bf, 'p' }, { 0x1dd, 'e' }, { 0x259, 'e' } };
	UErrorCode e = U_ZERO_ERROR;
	char name[ROOM] = "";

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].code == code) {
			out[0] = letters[i].letter;
			out[1] = '\0';
			return true;
		}
	(void)u_charName((UChar32)code, U_UNICODE_CHAR_NAME, name, sizeof(name), &e);
	for (size_t i = 0; U_SUCCESS(e) && i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		size_t n = strlen(beginnings[i]);
		const char *rest = name + n;

		if (strncmp(name, beginnings[i], n) != 0 || rest[0] < 'A' || rest[0] > 'Z' ||
		    (rest[1] != '\0' && strncmp(rest + 1, " WITH ", 6) != 0))
			continue;
		out[0] = (char)(rest[0] - 'A' + 'a');
		out[1] = '\0';
		return true;
	}
	return false;
}

bool
icu_fold_ascii(struct icu_fold *f, uint32_t code, char out[ICU_FOLD_ROOM])
{
	return icu_fold_skeleton(f, code, out) || fold_by_name(code, out);
}

bool
icu_fold_is_idna(struct icu_fold *f, uint32_t code)
{
	UErrorCode e = U_ZERO_ERROR;
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UChar in[4], out[ROOM];
	int32_t n = 0;
	UBool wrong = 0;

	if (code >= 0xd800 && code <= 0xdfff)
		return false;
	U16_APPEND(in, n, 4, (UChar32)code, wrong);
	(void)uidna_labelToASCII(f->idna, in, n, out, ROOM, &info, &e);
	return !wrong && U_SUCCESS(e) && info.errors == 0;
}
