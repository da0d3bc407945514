/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "record/masked.h"
#include "base/limits.h"
#include "record/masked_priv.h"

/* The members whose texts a server chooses freely. */
static const char *const masked_members[] = { "banner", "http.title", "http.server", "http.body" };

#define HEADERS "http.headers"

static bool
is_noted(const struct record_object *o, const char *member, const struct secret *s)
{
	for (size_t i = 0; i < o->nsecrets; i++)
		if (strcmp(o->secrets[i].member, member) == 0 &&
		    o->secrets[i].secret.offset == s->offset &&
		    str_eq(o->secrets[i].secret.text, s->text))
			return true;
	return false;
}

static void
note_secret(struct arena *a, struct record_object *o, const char *member, const struct secret *s)
{
	if (is_noted(o, member, s))
		return;
	o->secrets = arena_room(a, o->secrets, o->nsecrets, sizeof(*o->secrets));
	o->secrets[o->nsecrets++] = (struct record_secret){ member, *s };
}

/* Returns the text without its secrets, and notes those that had not expired when the text was
   seen. */
static struct str
mask_text(
    struct arena *a, struct record_object *o, const char *member, struct str text, struct ts seen)
{
	struct str masked = secrets_mask(a, text);
	struct secrets found;

	if (masked.p == text.p && masked.n == text.n)
		return text;
	found = secrets_find(a, text, seen);
	for (size_t i = 0; i < found.n; i++)
		note_secret(a, o, member, &found.p[i]);
	return masked;
}

static struct ts
seen_at(const struct record_object *o, struct ts otherwise)
{
	struct ts seen;

	if (record_int(o, "last_seen", &seen.us))
		return seen;
	return ts_is_null(otherwise) ? (struct ts){ TS_OLDEST_US } : otherwise;
}

static bool
has_noted(const struct record_object *o, const char *member)
{
	for (size_t i = 0; i < o->nsecrets; i++)
		if (strcmp(o->secrets[i].member, member) == 0)
			return true;
	return false;
}

static void
mask_headers(struct arena *a, struct record_object *service, struct ts seen)
{
	struct record_value *v = record_find(service, HEADERS);
	bool changed = false;

	for (size_t i = 0; v != NULL && i < v->texts.n; i++) {
		struct str masked = mask_text(a, service, HEADERS, v->texts.p[i], seen);

		if (masked.p == v->texts.p[i].p)
			continue;
		v->texts.p[i] = str_trim(masked); /* the name of the header is kept */
		changed = true;
	}
	if (changed)
		record_sort_texts(v);
}

/* Removes the hash of a text that contained a secret: as the rest of the text is known, passwords
   could be tested with the hash. */
static void
drop_hash(struct arena *a, struct record_object *service, const char *member, const char *hash)
{
	if (has_noted(service, member) && record_find(service, hash) != NULL)
		record_make(a, service, hash)->set = false;
}

void
record_mask_service(struct arena *a, struct record_object *service, struct ts seen)
{
	seen = seen_at(service, seen);
	for (size_t i = 0; i < COUNT(masked_members); i++) {
		const char *member = masked_members[i];
		struct str text = record_text(service, member), masked;

		if (text.p == NULL)
			continue;
		masked = mask_text(a, service, member, text, seen);
		if (masked.p == text.p)
			continue;
		masked = str_trim(masked);
		if (masked.n > 0)
			record_set_text(a, service, member, masked);
		else
			record_make(a, service, member)->set = false;
	}
	mask_headers(a, service, seen);
	drop_hash(a, service, "banner", "banner_hash");
	drop_hash(a, service, "http.body", "http.body_hash");
}

void
record_mask_text(struct arena *a, struct record_object *o, const char *member)
{
	struct str text = record_text(o, member), masked;

	if (text.p == NULL)
		return;
	masked = secrets_mask(a, text);
	if (masked.p == text.p)
		return;
	masked = str_trim(masked);
	record_set_text(a, o, member, masked.n > 0 ? masked : STR("\xe2\x80\xa6"));
}

struct str
record_masked_answer(struct arena *a, struct str answer)
{
	struct str rest = secrets_mask(a, answer);
	struct buf b = { .a = a };

	if (rest.p == answer.p)
		return answer;
	/* the "…" of a preview as its bytes are written in presentation form */
	for (size_t i = 0; i < rest.n; i++)
		if ((unsigned char)rest.p[i] >= 0x80)
			buf_printf(&b, "\\%03u", (unsigned)(unsigned char)rest.p[i]);
		else
			buf_char(&b, rest.p[i]);
	return buf_done(&b);
}

void
record_merge_secrets(struct arena *a, struct record_object *o, const struct record_object *old,
    const struct record_object *new)
{
	for (size_t i = 0; i < old->nsecrets; i++)
		note_secret(a, o, old->secrets[i].member, &old->secrets[i].secret);
	for (size_t i = 0; i < new->nsecrets; i++)
		note_secret(a, o, new->secrets[i].member, &new->secrets[i].secret);
}

void
record_set_masked(struct arena *a, struct record_object *service, const char *member,
    struct str text, size_t most)
{
	if (text.n > LIM_SECRET_TEXT)
		text.n = LIM_SECRET_TEXT;
	text = mask_text(a, service, member, text, seen_at(service, TS_NULL));
	record_set_text(a, service, member, str_trim(str_cut_bytes(text, most)));
}

size_t
record_secrets(const struct record_object *service, const struct record_secret **out)
{
	*out = service->secrets;
	return service->nsecrets;
}
