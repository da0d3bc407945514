/* SPDX-License-Identifier: ISC */
/* Prefixes with their origin, as RouteViews' files list them (pfx2as): the prefix, its length and
   an AS, separated by tabs. The first of several ASes is used: "1_2" are two origins, "1,2" is an
   AS set.

   Prefixes are sorted by address, and a prefix comes before the longer prefixes inside it. Each
   prefix has the index of the smallest prefix around it, so a search is one bisection and a few
   steps outwards:

     10.0.0.0/8        up: none
       10.1.0.0/16     up: 10.0.0.0/8
         10.1.2.0/24   up: 10.1.0.0/16
       10.9.0.0/16     up: 10.0.0.0/8

     10.1.9.1: the last prefix that does not begin after it is 10.1.2.0/24, which does not contain
     it; 10.1.0.0/16 does */
#include "config.h"

#include "enrich/enrich_priv.h"

#include <errno.h>
#include <zlib.h>

enum { LINE = 256 };

/* Takes the digits at the beginning of *s; false: there are none, or the number is above max. */
static bool
take_decimal(struct str *s, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	size_t n = 0;

	for (; n < s->n && ascii_digit(s->p[n]); n++) {
		v = v * 10 + (uint64_t)(s->p[n] - '0');
		if (v > max)
			return false;
	}
	s->p += n;
	s->n -= n;
	*out = v;
	return n > 0;
}

static bool
parse_line(struct str line, struct prefix *out)
{
	const char *tab = memchr(line.p, '\t', line.n);
	struct ipnet net;
	uint64_t bits, asn;
	bool v6;

	if (tab == NULL || !ipnet_parse((struct str){ line.p, (size_t)(tab - line.p) }, &net) ||
	    net.bits != 128)
		return false;
	v6 = !ip_is_v4(net.a);
	line.n -= (size_t)(tab + 1 - line.p);
	line.p = tab + 1;
	if (!take_decimal(&line, v6 ? 128 : 32, &bits) || line.n == 0 || line.p[0] != '\t')
		return false;
	line.p++;
	line.n--;
	if (!take_decimal(&line, UINT32_MAX, &asn) ||
	    (line.n > 0 && strchr("_,\r", line.p[0]) == NULL))
		return false;
	net.bits = (uint8_t)(v6 ? bits : bits + 96);
	ipnet_clear_host_bits(&net);
	*out = (struct prefix){ .bits = net.bits, .asn = (uint32_t)asn };
	memcpy(out->from, net.a, sizeof(out->from));
	return true;
}

static void
add_prefix(struct prefixes *all, const struct prefix *p)
{
	if (all->n == all->room) {
		all->room = all->room * 2 + 1024;
		all->p = mem_grow(all->p, all->room * sizeof(*all->p));
	}
	all->p[all->n++] = *p;
}

bool
prefixes_read(struct prefixes *all, const char *path, size_t *bad, char fault[ENRICH_FAULT])
{
	gzFile f = gzopen(path, "rbe");
	char line[LINE];
	struct prefix p;
	int why = 0;

	*bad = 0;
	if (f == NULL) {
		snprintf(fault, ENRICH_FAULT, "%s: %s", path, strerror(errno));
		return false;
	}
	while (gzgets(f, line, sizeof(line)) != NULL) {
		struct str s = str_of(line);

		if (str_ends(s, STR("\n")))
			s.n--;
		if (s.n == 0 || s.p[0] == '#')
			continue;
		if (parse_line(s, &p))
			add_prefix(all, &p);
		else
			++*bad;
	}
	gzerror(f, &why);
	gzclose(f);
	if (why != Z_OK && why != Z_STREAM_END) {
		snprintf(fault, ENRICH_FAULT, "%s: is damaged or truncated", path);
		return false;
	}
	return true;
}

static bool
is_inside(const struct prefix *p, const unsigned char ip[16])
{
	struct ipnet net = { .bits = p->bits };

	memcpy(net.a, p->from, sizeof(net.a));
	return ipnet_contains(&net, ip);
}

static int
by_address(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;
	int d = memcmp(x->from, y->from, sizeof(x->from));

	return d != 0 ? d : x->bits - y->bits;
}

void
prefixes_finish(struct prefixes *all)
{
	if (all->n > 0)
		qsort(all->p, all->n, sizeof(*all->p), by_address);
	for (size_t i = 1; i < all->n; i++) {
		uint32_t up = (uint32_t)i;

		while (up != 0 && !is_inside(&all->p[up - 1], all->p[i].from))
			up = all->p[up - 1].up;
		all->p[i].up = up;
	}
}

const struct prefix *
prefixes_find(const struct prefixes *all, const unsigned char ip[16])
{
	size_t lo = 0, hi = all->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(all->p[mid].from, ip, 16) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo != 0 && !is_inside(&all->p[lo - 1], ip))
		lo = all->p[lo - 1].up;
	return lo == 0 ? NULL : &all->p[lo - 1];
}
