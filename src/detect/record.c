/* SPDX-License-Identifier: ISC */
/* Writes the findings of a look in the form that detector_store reads (detector.h). */
#include "config.h"

#include "base/hash.h"
#include "detect/detector.h"
#include "detect/settings.h"
#include "json/json.h"
#include "resource/finding_evidence.h"

struct unresolved {
	int64_t n;
};

static const struct field unresolved_out[] = {
	FIELD(struct unresolved, n, 0),
	FIELD_END,
};

STMT(count_unresolved, unresolved_out, "SELECT detector_unresolved($1, $2) AS n");

static void
write_evidence(struct look *l, struct buf *b, struct str evidence)
{
	struct json cut = { .text = evidence };
	const char *why = finding_evidence(l->x->a, &cut);

	if (why != NULL)
		panic("evidence of %s: %s", l->of->name, why);
	json_member_json(b, "evidence", cut.text);
}

/* Adds a finished object to the records of the look. */
static void
add_record(struct look *l, struct buf *b)
{
	buf_char(&l->records, l->records.n == 0 ? '[' : ',');
	buf_str(&l->records, buf_done(b));
}

void
look_found(struct look *l, struct str subject, const struct found *f)
{
	struct buf b = { .a = l->x->a };

	json_begin(&b, '{');
	json_member_text(&b, "finding_key", f->key);
	json_member_text(&b, "subject", subject);
	json_member_text(&b, "finding_type", f->type);
	json_member_text(&b, "title", f->title);
	json_member_text(&b, "severity", f->severity.p == NULL ? STR("info") : f->severity);
	json_member_text(&b, "exposure_kind", f->kind);
	json_member_text(&b, "description", f->description);
	json_member_text(&b, "asset_kind", f->asset_kind);
	json_member_text(&b, "asset_name", f->asset_name);
	json_member_text(&b, "service_key", f->service_key);
	json_member_time(&b, "first_seen_at", f->first);
	json_member_time(&b, "last_seen_at", f->last);
	if (f->confidence > 0)
		buf_printf(&b, ",\"confidence\":%.4f", f->confidence);
	if (f->evidence.p != NULL)
		write_evidence(l, &b, f->evidence);
	if (settings_hide(l->x, &l->settings, buf_done(&b)))
		json_member_bool(&b, "hidden", true);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_absent(struct look *l, struct str key, struct ts at)
{
	struct buf b = { .a = l->x->a };

	json_begin(&b, '{');
	json_member_bool(&b, "absent", true);
	json_member_text(&b, "finding_key", key);
	json_member_time(&b, "last_seen_at", at);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_hide(struct look *l, struct str key)
{
	struct buf b = { .a = l->x->a };

	json_begin(&b, '{');
	json_member_bool(&b, "hidden", true);
	json_member_text(&b, "finding_key", key);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_counted(struct look *l, const char *what, int64_t n)
{
	size_t i = 0;

	while (i < l->ncounts && strcmp(l->counts[i].what, what) != 0)
		i++;
	if (i == LOOK_COUNTS)
		panic("%s counts more than %d things", l->of->name, LOOK_COUNTS);
	l->counts[i].what = what;
	l->counts[i].n += n;
	if (i == l->ncounts)
		l->ncounts++;
}

enum db_rc
look_room(struct look *l, int64_t most, int64_t *room)
{
	struct unresolved u = { 0 };
	enum db_rc rc =
	    db_one(l->x->db, &count_unresolved, &u, P(str_of(l->of->name)), P(l->project));

	*room = most - u.n;
	return rc;
}

struct str
look_cut_key(struct arena *a, struct str part, size_t most, size_t kept)
{
	struct str cut = str_cut_bytes(part, kept);

	if (part.n <= most)
		return part;
	return arena_printf(
	    a, "%.*s/%016jx", (int)cut.n, cut.p, (uintmax_t)hash_str(HASH_START, part));
}

void
look_beyond_limit(struct look *l, struct str warning)
{
	look_counted(l, "beyond_limit", 1);
	l->warning = warning;
}

const struct known_finding *
look_known_finding(const struct look *l, struct str key)
{
	for (size_t i = 0; i < l->known_count; i++)
		if (str_eq(l->known[i].finding_key, key))
			return &l->known[i];
	return NULL;
}

size_t
look_subject(const struct look *l, struct str subject)
{
	size_t low = 0, high = l->nsubjects;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = str_cmp(subject, l->subjects[mid]);

		if (c == 0)
			return mid;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return l->nsubjects;
}
