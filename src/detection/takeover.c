/* SPDX-License-Identifier: ISC */
/* Finds the provider of a name by the name's last labels, and the provider of a page by a text in
   the page. */
#include "config.h"

#include "detection/takeover.h"

#include "address/start_url.h"

enum {
	PAGE_TEXT_LEAST = 12, /* a shorter text does not identify a provider */
	BODY_MOST = 262144,   /* bytes of a body that are searched */
	PROVIDERS_MOST = 50,  /* of one page */
};

#define LITERAL(z)                                                                                 \
	{                                                                                          \
		(z), sizeof(z) - 1                                                                 \
	}

static const struct takeover own[] = {
#define TAKEOVER(provider, suffix, mode, claim, shape, labels_below, page, note, checked)          \
	{ LITERAL(provider), LITERAL(suffix), LITERAL(page), TAKEOVER_##mode, TAKEOVER_##claim,    \
		TAKEOVER_##shape, labels_below },
#include "tbl/takeover.h"
};

const char *
takeover_claim_name(enum takeover_claim c)
{
	return c == TAKEOVER_OPEN ? "open" : c == TAKEOVER_DISPUTED ? "disputed" : "closed";
}

/* ---- suffixes ---- */

/* Removes the last label from a name and returns it. */
static struct str
take_last_label(struct str *name)
{
	const char *dot = memrchr(name->p, '.', name->n);
	size_t from = dot == NULL ? 0 : (size_t)(dot - name->p) + 1;
	struct str label = { name->p + from, name->n - from };

	name->n = from == 0 ? 0 : from - 1;
	return label;
}

/* Whether a label matches a form, in which one '*' stands for any characters. */
static bool
label_fits(struct str label, struct str form)
{
	const char *star = memchr(form.p, '*', form.n);
	size_t head = star == NULL ? form.n : (size_t)(star - form.p);
	size_t tail = star == NULL ? 0 : form.n - head - 1;

	if (star == NULL)
		return str_eq(label, form);
	return label.n >= head + tail && memcmp(label.p, form.p, head) == 0 &&
	       memcmp(label.p + label.n - tail, form.p + form.n - tail, tail) == 0;
}

/* Whether the name is the suffix or a name below it. *below becomes the number of labels below the
   suffix. */
static bool
below_suffix(struct str name, struct str suffix, size_t *below)
{
	while (suffix.n > 0) {
		if (name.n == 0)
			return false;
		if (!label_fits(take_last_label(&name), take_last_label(&suffix)))
			return false;
	}
	for (*below = 0; name.n > 0; ++*below)
		take_last_label(&name);
	return true;
}

/* Whether a label looks like a region or a zone: "eu-west-1", "westeurope", "z6". Labels that a
   provider generates have more digits. */
static bool
is_region(struct str label)
{
	size_t digits = 0;

	for (size_t i = 0; i < label.n; i++) {
		digits += ascii_digit(label.p[i]);
		if (!ascii_digit(label.p[i]) && label.p[i] != '-' &&
		    (label.p[i] < 'a' || label.p[i] > 'z'))
			return false;
	}
	return label.n >= 2 && digits <= 2;
}

static bool
service_has_shape(const struct takeover *t, struct str name, size_t below)
{
	struct str suffix = t->suffix;

	if (t->labels_below != 0 && below != t->labels_below)
		return false;
	if (t->shape != TAKEOVER_REGION)
		return true;
	while (suffix.n > 0) {
		take_last_label(&suffix);
		take_last_label(&name);
	}
	return is_region(take_last_label(&name));
}

/* Returns the best row of a list. The suffix itself matches only rows of the mode page: in the mode
   nxdomain a customer's name is always below the suffix. */
static const struct takeover *
best_row(const struct takeover *rows, size_t n, struct str name, bool server)
{
	const struct takeover *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t below;

		if ((rows[i].mode == TAKEOVER_NS) != server ||
		    !below_suffix(name, rows[i].suffix, &below) ||
		    (below == 0 && rows[i].mode == TAKEOVER_NXDOMAIN) ||
		    !service_has_shape(&rows[i], name, below))
			continue;
		if (best == NULL || rows[i].suffix.n > best->suffix.n ||
		    (rows[i].suffix.n == best->suffix.n && best->labels_below == 0 &&
			rows[i].labels_below != 0))
			best = &rows[i];
	}
	return best;
}

/* Returns a row of tbl/takeover.h with this suffix, of any shape, or NULL. */
static const struct takeover *
own_row(struct str suffix)
{
	for (size_t i = 0; i < COUNT(own); i++)
		if (str_eq(own[i].suffix, suffix))
			return &own[i];
	return NULL;
}

const struct takeover *
takeover_of(const struct takeovers *imported, struct str name, bool server)
{
	const struct takeover *mine = best_row(own, COUNT(own), name, server), *other;

	other = best_row(imported->rows, imported->n, name, server);
	if (other == NULL || own_row(other->suffix) != NULL)
		return mine;
	return mine != NULL && mine->suffix.n >= other->suffix.n ? mine : other;
}

/* ---- pages ---- */

/* Whether the host is the suffix of the provider or a name below it. */
static bool
is_providers(const struct takeover *t, struct str hostname)
{
	size_t below;

	return t->suffix.n > 0 && below_suffix(hostname, t->suffix, &below);
}

/* Adds the providers of a list whose text is in the body. An import may use another name for a
   provider that tbl/takeover.h lists with the same suffix. */
static void
add_providers(
    struct arena *a, struct strs *out, struct takeovers list, struct str body, struct str hostname)
{
	for (size_t i = 0; i < list.n; i++) {
		const struct takeover *t = &list.rows[i], *mine = own_row(t->suffix);

		if (t->page.n >= PAGE_TEXT_LEAST &&
		    memmem(body.p, body.n, t->page.p, t->page.n) != NULL &&
		    !is_providers(t, hostname))
			arena_add_once(
			    a, out, mine == NULL ? t->provider : mine->provider, PROVIDERS_MOST);
	}
}

struct strs
takeover_pages(
    struct arena *a, const struct takeovers *imported, struct str body, struct str hostname)
{
	struct strs out = { NULL, 0 };

	if (body.n > BODY_MOST)
		body.n = BODY_MOST;
	add_providers(a, &out, (struct takeovers){ own, COUNT(own) }, body, hostname);
	add_providers(a, &out, *imported, body, hostname);
	return out;
}
