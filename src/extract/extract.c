/* SPDX-License-Identifier: ISC */
/* Runs the steps of HACKING's drawing over one text. */
#include "config.h"

#include "address/start_url.h"
#include "base/url.h"
#include "extract/extract_priv.h"
#include "extract/lists.h"

enum { SCRATCH = 1 << 20 };

/* The registrable domain of a URL, or of a publisher that is a domain. */
static struct str
registrable_of(struct run *r, struct str s)
{
	struct str authority, rest, host;

	if (s.p == NULL)
		return STR_NULL;
	(void)url_split(s, &authority, &rest);
	host = name_canonical(r, url_host(authority));
	if (host.p == NULL)
		return STR_NULL;
	host = host_registrable(r->scratch, host);
	return host.p == NULL ? STR_NULL : arena_str(r->a, host);
}

static struct str
compact(struct arena *a, struct str s)
{
	struct buf b = { .a = a };

	for (size_t i = 0; i < s.n && b.n < 60; i++)
		if (ascii_alnum(s.p[i]))
			buf_char(&b, s.p[i]);
	return b.n == 0 ? STR_NULL : arena_lower(a, buf_done(&b));
}

static void
own_words(struct run *r)
{
	r->own = registrable_of(r, r->in->url);
	if (r->own.p == NULL)
		r->own = registrable_of(r, r->in->publisher);
	if (r->in->publisher.p != NULL)
		r->own_name = compact(r->a, r->in->publisher);
}

struct extract_output
extract(struct arena *a, const struct extract_input *in)
{
	struct run r = { .a = a, .scratch = arena_new(SCRATCH), .in = in };
	struct extract_output out = { 0 };

	r.text = clean_text(a, in);
	r.sections.blank = true;
	r.sections.list = list_of_values((struct str){ r.text.p, r.text.n });
	own_words(&r);
	for (size_t at = 0; at < r.text.n;) {
		const char *newline = memchr(r.text.p + at, '\n', r.text.n - at);
		size_t end = newline == NULL ? r.text.n : (size_t)(newline - r.text.p);

		if (sections_line(&r, at, end))
			scan_line(&r);
		at = end + 1;
	}
	vocabulary_names(&r, &out);
	arena_free(r.scratch);
	out.indicators = r.found;
	out.n = r.nfound;
	out.truncated = r.truncated;
	out.marks = r.marks;
	out.nmarks = r.nmarks;
	out.steps = r.steps;
	return out;
}
