/* SPDX-License-Identifier: ISC */
/* Steps of the installation's metrics, until the database has them: see counting/totals.h.
 *
 *   counted   what happened since the last success, and what is on its way
 *   sent      the part that a call is carrying; subtracted from counted when the call succeeds
 *
 * A call that failed is repeated with the larger sum. When only its answer was lost, the steps
 * are added twice: these totals may be slightly too high after a failure, and are never used for
 * limits. */
#include "config.h"

#include "counting/totals.h"

#include <inttypes.h>

enum { SEND_US = 5000000 };

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
totals_take(struct totals *t, struct arena *a, struct strs *series, struct strs *steps)
{
	struct str *s = ARENA_ARRAY(a, TOTALS, struct str), *n = ARENA_ARRAY(a, TOTALS, struct str);
	size_t many = 0;

	if (mono_us() < t->send_at)
		return false;
	t->send_at = mono_us() + SEND_US;
	for (size_t i = 0; i < TOTALS; i++) {
		if (t->counted[i] == 0)
			continue;
		s[many] = str_of(names[i]);
		n[many++] = arena_printf(a, "%" PRIu64, t->counted[i]);
		t->sent[i] = t->counted[i];
	}
	*series = (struct strs){ s, many };
	*steps = (struct strs){ n, many };
	return many > 0;
}

void
totals_sent(struct totals *t, enum db_rc rc)
{
	for (size_t i = 0; i < TOTALS; i++) {
		if (rc == DB_OK)
			t->counted[i] -= t->sent[i];
		t->sent[i] = 0;
	}
}
