/* SPDX-License-Identifier: ISC */
/* Writes the findings of a look as detector_store reads them (detector.h). */
#include "config.h"

#include "detect/detector.h"
#include "json/json.h"
#include "resource/finding_evidence.h"

static void
write_text(struct buf *b, const char *name, struct str s)
{
	if (s.p == NULL)
		return;
	buf_printf(b, ",\"%s\":", name);
	json_write_str(b, s);
}

static void
write_time(struct buf *b, const char *name, struct ts t)
{
	char text[TS_LEN + 1];

	if (ts_is_null(t))
		return;
	ts_print(t, text);
	buf_printf(b, ",\"%s\":\"%s\"", name, text);
}

static void
write_evidence(struct look *l, struct buf *b, struct str evidence)
{
	struct json cut = { .text = evidence };
	const char *why = finding_evidence(l->x->a, &cut);

	if (why != NULL)
		panic("evidence of %s: %s", l->of->name, why);
	buf_z(b, ",\"evidence\":");
	buf_str(b, cut.text);
}

/* A record is an object without its first brace in b. */
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

	buf_z(&b, "{\"finding_key\":");
	json_write_str(&b, f->key);
	write_text(&b, "subject", subject);
	write_text(&b, "finding_type", f->type);
	write_text(&b, "title", f->title);
	write_text(&b, "severity", f->severity.p == NULL ? STR("info") : f->severity);
	write_text(&b, "exposure_kind", f->kind);
	write_text(&b, "description", f->description);
	write_text(&b, "asset_kind", f->asset_kind);
	write_text(&b, "asset_name", f->asset_name);
	write_text(&b, "service_key", f->service_key);
	write_time(&b, "first_seen_at", f->first);
	write_time(&b, "last_seen_at", f->last);
	if (f->confidence > 0)
		buf_printf(&b, ",\"confidence\":%.4f", f->confidence);
	if (f->evidence.p != NULL)
		write_evidence(l, &b, f->evidence);
	if (settings_hide(l->x, &l->settings, buf_done(&b)))
		buf_z(&b, ",\"hidden\":true");
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_absent(struct look *l, struct str key, struct ts at)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"absent\":true,\"finding_key\":");
	json_write_str(&b, key);
	write_time(&b, "last_seen_at", at);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_hide(struct look *l, struct str key)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"hidden\":true,\"finding_key\":");
	json_write_str(&b, key);
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
