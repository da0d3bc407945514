/* SPDX-License-Identifier: ISC */
/* Finds the candidates of a line. A run is the longest text of the characters that names have; each
 * candidate begins at the beginning of a run, and the scan goes on behind it, so no byte is read
 * more than a few times. */
#include "config.h"

#include "address/netaddr.h"
#include "base/limits.h"
#include "extract/extract_priv.h"

static bool
in_run(char c)
{
	return ascii_alnum(c) || c == '.' || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* Characters beyond ASCII that are no letter: quotes, dashes, bullets, arrows (U+2000 to U+2BFF),
   U+3000 to U+303F, and U+00A0 to U+00BF. */
static size_t
foreign_sign(const struct run *r, size_t at)
{
	const unsigned char *p = (const unsigned char *)r->text.p + at;

	if (p[0] == 0xc2)
		return 2;
	if (p[0] == 0xe2 || (p[0] == 0xe3 && at + 1 < r->text.n && p[1] == 0x80) ||
	    (p[0] == 0xef && at + 1 < r->text.n && p[1] >= 0xbc))
		return 3;
	return 0;
}

static size_t
run_end(const struct run *r, size_t at)
{
	while (at < r->place.to && in_run(r->text.p[at]) && foreign_sign(r, at) == 0)
		at++;
	return at;
}

static bool
is_fanged(const struct run *r, size_t at, size_t end)
{
	return memchr(r->text.fang + at, 1, end - at) != NULL;
}

static bool
is_stop(const struct run *r, size_t at)
{
	char c = r->text.p[at];

	return c == '|' || c == '\t' || c == ',' || c == ';' ||
	       (c == ' ' && at > 0 && r->text.p[at - 1] == ' ');
}

/* Whether the text left of a value is nothing, the mark of a list, or a label. */
static bool
left_is_bare(const struct run *r, size_t at)
{
	size_t i = at, begun, letters = 0;
	char last;

	while (i > r->place.from && at - i < NEAR && !is_stop(r, i - 1))
		i--;
	if (at - i >= NEAR)
		return false;
	begun = i;
	for (last = ' '; i < at; i++) {
		char c = r->text.p[i];

		letters += ascii_alnum(c);
		if (strchr(" *`+\"'[(<", c) == NULL)
			last = c;
	}
	if (letters == 0 || last == ':' || last == '=' || last == '>')
		return at - begun <= 60;
	return (last == '.' || last == ')') && letters <= 3;
}

static bool
right_is_bare(const struct run *r, size_t end)
{
	size_t i = end;

	while (i < r->place.to && i - end < 12 &&
	       strchr("*`+\"')]>/.:0123456789", r->text.p[i]) != NULL)
		i++;
	if (i == r->place.to || is_stop(r, i))
		return true;
	while (i < r->place.to && i - end < NEAR && r->text.p[i] == ' ')
		i++;
	return i == r->place.to || is_stop(r, i) || strchr("(-[#", r->text.p[i]) != NULL ||
	       (unsigned char)r->text.p[i] >= 0x80;
}

/* In the target or the text of a link of Markdown or AsciiDoc, or the source of an image. */
static bool
in_link(const struct run *r, const struct find *f)
{
	const char *p = r->text.p;
	size_t i = f->end;

	if (f->at > r->place.from + 1 && p[f->at - 1] == '(' && p[f->at - 2] == ']')
		return true;
	if (f->at > r->place.from && (p[f->at - 1] == '"' || p[f->at - 1] == '\'') &&
	    f->at > r->place.from + 5 &&
	    (memcmp(p + f->at - 6, "href=", 5) == 0 || memcmp(p + f->at - 5, "src=", 4) == 0))
		return true;
	if (f->type == FIND_URL && i < r->place.to && p[i] == '[')
		return true;
	while (i < r->place.to && i - f->end < NEAR && p[i] != ']' && p[i] != '[')
		i++;
	return i + 1 < r->place.to && p[i] == ']' && p[i + 1] == '(';
}

static void
emit_find(struct run *r, struct find *f)
{
	if (f->value.p != NULL && f->value.n <= LIM_INDICATOR) {
		f->defanged = is_fanged(r, f->at, f->end);
		r->steps += 64;
		if (found_counted(r, f)) {
			arena_reset(r->scratch);
			return;
		}
		f->link = in_link(r, f) && !f->defanged;
		f->alone = left_is_bare(r, f->at) && right_is_bare(r, f->end);
		f->doubtful =
		    f->type == FIND_DOMAIN &&
		    name_is_doubtful(r, f, (struct str){ r->text.p + f->at, f->end - f->at });
		sections_words(r);
		found_add(r, f);
	}
	arena_reset(r->scratch);
}

/* ---- addresses ---- */

static bool
after_version(const struct run *r, size_t at)
{
	static const char *const words[] = { "version", "versions", "build", "v", "ver", "release",
		"ver.", "v." };
	size_t end = at, from;

	while (end > r->place.from && strchr(" :=", r->text.p[end - 1]) != NULL && at - end < 4)
		end--;
	for (from = end; from > r->place.from && end - from < 10 &&
			 (ascii_letter(r->text.p[from - 1]) || r->text.p[from - 1] == '.');)
		from--;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_is_nocase((struct str){ r->text.p + from, end - from }, words[i]))
			return true;
	return false;
}

/* The prefix length behind an address: "/24". 0: there is none. */
static size_t
read_bits(const struct run *r, size_t at)
{
	size_t end = at + 1;

	if (at >= r->place.to || r->text.p[at] != '/')
		return 0;
	while (end < r->place.to && end < at + 4 && ascii_digit(r->text.p[end]))
		end++;
	if (end == at + 1 ||
	    (end < r->place.to && (ascii_alnum(r->text.p[end]) || r->text.p[end] == '/')))
		return 0;
	return end - at;
}

static bool
is_public(const struct ipnet *net)
{
	return ip_is_v4(net->a) ? netaddr_public4(net->a + 12) : netaddr_public6(net->a);
}

static bool
address(struct run *r, size_t at, size_t end, struct find *f)
{
	struct ipnet net, block;
	size_t bits = read_bits(r, end);

	r->steps += end - at;
	if (end - at > 45 || !ipnet_parse_address((struct str){ r->text.p + at, end - at }, &net))
		return false;
	*f = (struct find){ .type = ip_is_v4(net.a) ? FIND_IPV4 : FIND_IPV6, .at = at, .end = end };
	if (bits > 0 && ipnet_parse((struct str){ r->text.p + at, end - at + bits }, &block) &&
	    block.bits < 128) {
		f->end += bits;
		f->type = FIND_CIDR;
		net = block;
	}
	f->value = ipnet_text(r->scratch, &net);
	f->reserved = !is_public(&net);
	return true;
}

static size_t
ipv6_at(struct run *r, size_t at, struct find *f)
{
	size_t end = at, colons = 0;

	while (end < r->place.to && end - at < 48 &&
	       (ascii_hex(r->text.p[end]) >= 0 || strchr(":.", r->text.p[end]) != NULL))
		colons += r->text.p[end++] == ':';
	if (colons < 2 ||
	    (end < r->place.to && (ascii_alnum(r->text.p[end]) || r->text.p[end] == '_')))
		return at;
	while (end > at && (r->text.p[end - 1] == '.' ||
			       (r->text.p[end - 1] == ':' && r->text.p[end - 2] != ':')))
		end--;
	if (!address(r, at, end, f) || f->type == FIND_IPV4)
		return at;
	if (f->reserved && colons < 4 && !is_fanged(r, at, end))
		f->value = STR_NULL;
	return f->end;
}

/* Digits and dots at the beginning of a run: an address, perhaps with a port, or the first of a
   range. */
static size_t
ipv4_at(struct run *r, size_t at, struct find *f)
{
	size_t end = at, dots = 0;
	bool fanged;

	while (end < r->place.to && end - at < 17 &&
	       (ascii_digit(r->text.p[end]) || r->text.p[end] == '.'))
		dots += r->text.p[end++] == '.';
	if (end > at && r->text.p[end - 1] == '.') {
		end--;
		dots--;
	}
	if (dots != 3 ||
	    (end < r->place.to && (ascii_alnum(r->text.p[end]) || r->text.p[end] == '_')))
		return at;
	if (!address(r, at, end, f))
		return at;
	fanged = is_fanged(r, at, end);
	if (!fanged && after_version(r, at))
		f->value = STR_NULL;
	return f->end;
}

/* ---- names of other kinds ---- */

static bool
digits_from(struct str s, size_t at, size_t least, size_t most)
{
	size_t n = at;

	while (n < s.n && ascii_digit(s.p[n]))
		n++;
	return n == s.n && n - at >= least && n - at <= most;
}

static bool
numbered(struct run *r, struct str run, struct find *f)
{
	struct str upper;

	if (run.n > 32 || run.n < 4)
		return false;
	upper = arena_upper(r->scratch, run);
	f->value = upper;
	if (str_starts(upper, STR("CVE-")) && run.n > 12 && upper.p[8] == '-' &&
	    digits_from((struct str){ upper.p, 8 }, 4, 4, 4)) {
		f->type = FIND_CVE;
		return digits_from(upper, 9, 4, 19);
	}
	if (run.p[0] == 'T' && run.n >= 5 && digits_from((struct str){ run.p, 5 }, 1, 4, 4)) {
		f->type = FIND_TECHNIQUE;
		return run.n == 5 || (run.n == 9 && run.p[5] == '.' && digits_from(run, 6, 3, 3));
	}
	if (run.p[0] == 'A' && run.p[1] == 'S' && digits_from(run, 2, 2, 10) && run.p[2] != '0') {
		int64_t number;

		f->type = FIND_ASN;
		return str_int64((struct str){ run.p + 2, run.n - 2 }, &number) &&
		       number <= 4294967295;
	}
	return false;
}

static bool
bitcoin(struct run *r, struct str run, struct find *f)
{
	if (!bitcoin_check(run))
		return false;
	f->type = FIND_BITCOIN;
	f->value = arena_str(r->scratch, run);
	return true;
}

/* ---- runs ---- */

static size_t
email_at(struct run *r, size_t at, size_t end, struct find *f)
{
	size_t from = end + 1, to = run_end(r, from);
	struct str local = { r->text.p + at, end - at }, name;

	while (to > from && strchr(".-_", r->text.p[to - 1]) != NULL)
		to--;
	*f = (struct find){ .type = FIND_EMAIL, .at = at, .end = to };
	if (local.n == 0 || local.n > 64 || to - from > (size_t)LONGEST_NAME ||
	    !ascii_alnum(local.p[0]) || str_is(local, "git") ||
	    text_has_word((struct str){ r->text.p + r->place.from,
			      at - r->place.from < NEAR ? at - r->place.from : 0 },
		"emailAddress"))
		return to;
	name = name_canonical(r, (struct str){ r->text.p + from, to - from });
	if (name.p == NULL || (to < r->place.to && r->text.p[to] == ':' && to + 1 < r->place.to &&
				  ascii_letter(r->text.p[to + 1])))
		return to;
	f->host = name;
	local = arena_lower(r->scratch, local);
	f->value =
	    arena_printf(r->scratch, "%.*s@%.*s", (int)local.n, local.p, (int)name.n, name.p);
	return to;
}

/* A defanged name at the beginning of a line that goes on from a hyphen at the end of the line
   above. */
static struct str
unbroken(struct run *r, size_t at, struct str run)
{
	const char *p = r->text.p;
	size_t end = r->place.from, from;

	for (size_t i = r->place.from; i < at; i++)
		if (p[i] != ' ' && p[i] != '\t')
			return run;
	if (end < 3 || p[end - 2] != '-' || !ascii_alnum(p[end - 3]) ||
	    !is_fanged(r, at, at + run.n))
		return run;
	for (from = --end; from > 0 && end - from < 64 && in_run(p[from - 1]); from--)
		;
	return arena_printf(r->scratch, "%.*s%.*s", (int)(end - from), p + from, (int)run.n, run.p);
}

/* A run without a colon, a slash or an "@": a number, a hash, an address or a name. */
static void
classify_run(struct run *r, size_t at, size_t end, struct find *f)
{
	struct str run;

	while (at < end && strchr(".-_", r->text.p[at]) != NULL)
		at++;
	while (end > at && strchr(".-_", r->text.p[end - 1]) != NULL)
		end--;
	run = (struct str){ r->text.p + at, end - at };
	*f = (struct find){ .at = at, .end = end };
	if (run.n < 4 || run.n > 4 * (size_t)LONGEST_NAME)
		return;
	r->steps += run.n;
	if (numbered(r, run, f) || bitcoin(r, run, f))
		return;
	f->value = STR_NULL;
	f->value = name_canonical(r, unbroken(r, at, run));
	f->type = FIND_DOMAIN;
	f->host = f->value;
}

/* Hexadecimal parts of a run, such as those of "<hash>.exe". */
static bool
hashes_of(struct run *r, size_t at, size_t end)
{
	bool any = false;

	for (size_t i = at; i < end;) {
		size_t from = i;
		struct find f = { 0 };

		while (i < end && ascii_hex(r->text.p[i]) >= 0)
			i++;
		if (i - from >= 8 &&
		    (i == end ||
			!(ascii_alnum(r->text.p[i]) || (unsigned char)r->text.p[i] >= 0x80)) &&
		    (from == at || !ascii_alnum(r->text.p[from - 1])) && hash_at(r, from, i, &f)) {
			emit_find(r, &f);
			any = true;
		}
		while (i < end && ascii_hex(r->text.p[i]) < 0)
			i++;
	}
	return any;
}

static size_t
scan_run(struct run *r, size_t at)
{
	struct find f = { 0 };
	size_t end = run_end(r, at), got;
	bool mail = end < r->place.to && (r->text.p[end] == '@' || r->text.p[end] == '+');

	r->steps += end - at;
	if (mail && r->text.p[end] == '+') {
		size_t tag = run_end(r, end + 1);

		mail = tag < r->place.to && tag > end + 1 && r->text.p[tag] == '@';
		end = mail ? tag : end;
	}
	if (mail && end + 1 < r->place.to && in_run(r->text.p[end + 1])) {
		got = email_at(r, at, end, &f);
		emit_find(r, &f);
		return got;
	}
	if (is_fanged(r, at, end)) {
		classify_run(r, at, end, &f);
		if (f.value.p != NULL) {
			emit_find(r, &f);
			return end;
		}
	}
	if (!hashes_of(r, at, end)) {
		classify_run(r, at, end, &f);
		emit_find(r, &f);
	}
	return end;
}

static size_t
candidate_at(struct run *r, size_t at)
{
	struct find f = { 0 };
	size_t end = at;
	char c = r->text.p[at], left = at > r->place.from ? r->text.p[at - 1] : ' ';
	bool bound = !in_run(left) || foreign_sign(r, at - 1) > 0 || left == '_' || left == '-';

	if (ascii_letter(c) && strchr("hHfFwW", c) != NULL)
		end = url_at(r, at, &f);
	if (end == at && bound && (ascii_hex(c) >= 0 || c == ':') && left != ':')
		end = ipv6_at(r, at, &f);
	if (end == at && bound && ascii_digit(c))
		end = ipv4_at(r, at, &f);
	if (end > at) {
		emit_find(r, &f);
		return end;
	}
	if (!in_run(c))
		return at + 1;
	arena_reset(r->scratch);
	return scan_run(r, at);
}

static void
look_for_hash(struct run *r)
{
	size_t n = 0;

	for (size_t i = r->place.from; i < r->place.to; i++) {
		n = ascii_hex(r->text.p[i]) >= 0 ? n + 1 : 0;
		if (n >= 32)
			r->place.hash = true;
	}
}

void
scan_line(struct run *r)
{
	size_t i = r->place.from;

	look_for_hash(r);
	while (i < r->place.to) {
		size_t skip = (unsigned char)r->text.p[i] >= 0x80 ? foreign_sign(r, i) : 0;
		size_t next = skip > 0 ? i + skip : candidate_at(r, i);

		r->steps += next - i;
		i = next;
	}
}
