/* SPDX-License-Identifier: ISC */
/* Adds the points of facts about a found name. */
#include "config.h"

#include "lookalike/lookalike_priv.h"

enum { NEW_DAYS = 30, RECENT_DAYS = 90, OLD_DAYS = 5 * 365, SCORE_MOST = 100 };

const char *const lookalike_class_names[] = {
#define LOOKALIKE_CLASS(id, name) name,
#include "tbl/lookalike_classes.h"
#undef LOOKALIKE_CLASS
	NULL,
};

const char *
lookalike_class_name(enum lookalike_class c)
{
	return lookalike_class_names[c];
}

const char *
lookalike_edit_name(enum lookalike_edit e)
{
	static const char *const edits[] = {
		NULL,
#define LOOKALIKE_EDIT(id, name) name,
#include "tbl/lookalike_edits.h"
#undef LOOKALIKE_EDIT
	};

	return edits[e];
}

static const int points[] = {
#define LOOKALIKE_WEIGHT(id, code, points, help) points,
#include "tbl/lookalike_weights.h"
#undef LOOKALIKE_WEIGHT
};

static void
add_fact(struct lookalike_reasons *r, bool known, enum lookalike_weight code)
{
	if (known)
		lookalike_reason_add(r, code, points[code]);
}

/* Whether the time is known and at most so many days ago. A time in the future counts, too. */
static bool
is_within(struct ts at, struct ts now, int64_t days)
{
	return !ts_is_null(at) && now.us - at.us <= days * DAY_US;
}

int
lookalike_score(struct lookalike_reasons *r, const struct lookalike_facts *f)
{
	bool fresh = is_within(f->created_at, f->now, NEW_DAYS);
	int cut;

	add_fact(r, f->address, WEIGHT_ADDRESS);
	add_fact(r, f->mail, WEIGHT_MAIL);
	add_fact(r, is_within(f->certificate_at, f->now, NEW_DAYS), WEIGHT_NEW_CERTIFICATE);
	add_fact(r, f->own_certificate, WEIGHT_OWN_CERTIFICATE);
	add_fact(r, fresh, WEIGHT_NEW_30);
	add_fact(r, !fresh && is_within(f->created_at, f->now, RECENT_DAYS), WEIGHT_NEW_90);
	add_fact(r, f->web, WEIGHT_WEB);
	add_fact(r, f->same_page, WEIGHT_SAME_PAGE);
	add_fact(r, f->parked, WEIGHT_PARKED);
	add_fact(r, !ts_is_null(f->created_at) && !is_within(f->created_at, f->now, OLD_DAYS),
	    WEIGHT_OLD);
	add_fact(r, f->ranked, WEIGHT_RANKED);
	add_fact(r, f->same_holder, WEIGHT_SAME_HOLDER);
	cut = r->sum < 0 ? -r->sum : r->sum > SCORE_MOST ? SCORE_MOST - r->sum : 0;
	if (cut != 0)
		lookalike_reason_add(r, WEIGHT_CUT, cut);
	return r->sum;
}

static void
take_earlier_fact(struct ts *due, struct ts at, struct ts now, int64_t days)
{
	int64_t ends;

	if (ts_is_null(at))
		return;
	ends = at.us + days * DAY_US + 1;
	if (ends > now.us && ends < due->us)
		due->us = ends;
}

struct ts
lookalike_due(const struct lookalike_facts *f)
{
	struct ts due = { INT64_MAX };

	take_earlier_fact(&due, f->certificate_at, f->now, NEW_DAYS);
	take_earlier_fact(&due, f->created_at, f->now, NEW_DAYS);
	take_earlier_fact(&due, f->created_at, f->now, RECENT_DAYS);
	take_earlier_fact(&due, f->created_at, f->now, OLD_DAYS);
	return due;
}
