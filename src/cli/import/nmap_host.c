/* SPDX-License-Identifier: ISC */
/* The host that nmap.c reads: copies of its texts, whose size has a bound, its present service, and
   guesses of its system. The handlers of elements (nmap.c) and of scripts (nmap_scripts.c) fill the
   host with these functions. */
#include "config.h"

#include "cli/import/nmap_host.h"

enum { SERVICE_BYTES = 1024 };

uint64_t
nmap_line(const struct nmap *x)
{
	return x->lines + XML_GetCurrentLineNumber64(x->xml);
}

const char *
nmap_attribute(const char **atts, const char *name)
{
	for (; *atts != NULL; atts += 2)
		if (strcmp(atts[0], name) == 0)
			return atts[1];
	return NULL;
}

int64_t
nmap_number(const char *z)
{
	int64_t v;

	return z != NULL && str_int64(str_of(z), &v) && v >= 0 && v <= TS_NEWEST_US / 1000000 ? v
											      : 0;
}

bool
nmap_use(struct nmap *x, size_t n)
{
	x->used += n;
	if (x->used > HOST_BYTES)
		x->too_big = true;
	return !x->too_big;
}

struct str
nmap_copy(struct nmap *x, struct str s)
{
	return s.n > 0 && nmap_use(x, s.n + 16) ? arena_str(x->rs->a, s) : STR_NULL;
}

struct str
nmap_copy_attribute(struct nmap *x, const char **atts, const char *name)
{
	return nmap_copy(x, str_of(nmap_attribute(atts, name)));
}

void
nmap_add_text(struct nmap *x, struct record_object *o, const char *list, struct str s)
{
	s = nmap_copy(x, s);
	if (s.p != NULL && record_texts(o, list, &(const struct str *){ NULL }) < LIM_LIST)
		record_add(x->rs->a, o, list, s);
}

void
nmap_set_text(struct nmap *x, struct record_object *o, const char *name, struct str s)
{
	record_set_text(x->rs->a, o, name, nmap_copy(x, s));
}

struct record_object *
nmap_service(struct nmap *x)
{
	if (x->port == 0)
		return x->service;
	x->service = record_nested(x->rs->a, &x->host);
	x->used += SERVICE_BYTES;
	record_set_int(x->rs->a, x->service, "port", x->port);
	record_set_text(x->rs->a, x->service, "transport", x->transport);
	x->port = 0;
	return x->service;
}

void
nmap_guess_os(struct nmap *x, struct str guess)
{
	struct str os = record_text(x->host.root, "os");

	if (guess.n > 0 && (os.p == NULL || str_is(os, "Unix")))
		nmap_set_text(x, x->host.root, "os", guess);
}

void
nmap_too_big(struct nmap *x)
{
	records_bad(x->rs, x->line, "the host is larger than %d bytes", HOST_BYTES);
}
