/* SPDX-License-Identifier: ISC */
/* Makes previews of secrets, and replaces the secrets in a text by their previews. */
#include "config.h"

#include "secret/secret_priv.h"

enum { ROUNDS = 8 };

struct str
secret_preview(struct arena *a, const struct secret *s)
{
	return arena_printf(a, "%.*s\xe2\x80\xa6%zu", (int)s->prefix.n, s->prefix.p, s->text.n);
}

static struct str
mask_once(struct arena *a, struct str text, const struct secrets *found)
{
	struct buf b = { .a = a };
	size_t from = 0, end = found->read < found->open ? found->read : found->open;

	for (size_t i = 0; i < found->n; i++) {
		const struct secret *s = &found->p[i];

		buf_add(&b, text.p + from, s->offset - from);
		buf_str(&b, secret_preview(a, s));
		from = s->offset + s->text.n;
	}
	if (from < end)
		buf_add(&b, text.p + from, end - from);
	return buf_done(&b);
}

struct str
secrets_mask(struct arena *a, struct str text)
{
	/* a preview separates characters that were one word, so a round may uncover another
	   secret */
	for (int round = 0; round < ROUNDS; round++) {
		struct secrets found = secrets_find(a, text, (struct ts){ TS_OLDEST_US });

		if (found.n == 0 && !found.truncated && found.open == text.n)
			return text;
		text = mask_once(a, text, &found);
	}
	return STR("");
}
