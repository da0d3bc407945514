/* SPDX-License-Identifier: ISC */
/* Made-up secrets. Templates keep them apart until a test runs, so the repository contains none. */
#ifndef T_UNIT_SECRET_SAMPLES_H
#define T_UNIT_SECRET_SAMPLES_H

#include "base/base.h"

/* In a template {n30} is 30 random characters of a class: d digits, x and X hexadecimal, u base32, U capitals and digits,
   l small letters and digits, n letters and digits, w n and _-, b base64, a b but without + and /. o and O are x and X alone. {k30} is n30 and its check digits; {j0} is a JWT
   without an end, {j1} one that is good, {j2} one that has expired, {j3} that of the manual. {<} and {>} stand around the
   secret when the template has more. */
struct secret_sample {
	const char *type; /* NULL: no secret */
	const char *text;
};

extern const struct secret_sample secret_samples[], secret_traps[];
extern const size_t secret_nsamples, secret_ntraps;

enum sample_form {
	SAMPLE_TRUE,
	SAMPLE_WEAK,   /* one character again and again */
	SAMPLE_BROKEN, /* a blank in the first random part */
	SAMPLE_FORMS,
};

#define SAMPLES_NOW ((struct ts){ 1800000000 * SECOND_US })

struct made {
	struct str text;
	size_t start, end; /* of the secret */
};

struct made sample_make(struct arena *a, const char *text, enum sample_form form, uint64_t *seed);

#endif
