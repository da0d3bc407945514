/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "counting/totals.h"

#include <inttypes.h>

enum { TELL_US = 5000000 };

static const char *const names[TOTALS] = {
#define TOTAL(id, series) series,
#include "tbl/totals.h"
#undef TOTAL
};

void
totals_add(struct totals *t, enum total which, uint64_t n)
{
	t->counted[which] += n;
}

bool
totals_tell(struct totals *t, struct arena *a, struct strs *series, struct strs *steps)
{
	struct str *s = ARENA_ARRAY(a, TOTALS, struct str),
		   *n = ARENA_ARRAY(a, TOTALS, struct str);
	size_t many = 0;

	if (mono_us() < t->tell_at)
		return false;
	t->tell_at = mono_us() + TELL_US;
	for (size_t i = 0; i < TOTALS; i++) {
		if (t->counted[i] == 0)
			continue;
		s[many] = str_of(names[i]);
		n[many++] = arena_printf(a, "%" PRIu64, t->counted[i]);
		t->told[i] = t->counted[i];
	}
	*series = (struct strs){ s, many };
	*steps = (struct strs){ n, many };
	return many > 0;
}

void
totals_told(struct totals *t, enum db_rc rc)
{
	for (size_t i = 0; i < TOTALS; i++) {
		if (rc == DB_OK)
			t->counted[i] -= t->told[i];
		t->told[i] = 0;
	}
}
