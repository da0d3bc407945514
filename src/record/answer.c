/* SPDX-License-Identifier: ISC */
/* Names and answers of DNS records in one spelling. Tools disagree about final dots, case, quotes
   around character-strings, escapes, and digests in upper or lower case; the key of a record
   contains a hash of its answer, so each spelling would be a record of its own.

     text            "10 Mail.Example.ORG."
     tokens          10 | Mail.Example.ORG.        outside of quotes, blanks separate
     tbl/dns_names.h MX  "nd"                       a number and a name
     canonical       10 mail.example.org */
#include "config.h"

#include "address/idn.h"
#include "record/record_priv.h"

/* Takes the next byte of a text in presentation form. Three escapes occur, and zone files and tools
   mix them:
     \DDD   a byte in decimal (RFC 1035)          "\046" is a dot
     \c     the character c itself (RFC 1035)     "\."   is a dot
     \xHH   a byte in hexadecimal (massdns)       "\x2e" is a dot
   Only names use *escaped: an escaped dot is a byte of a label and does not end the label. */
static unsigned char
take_escaped_byte(struct str *s, bool *escaped)
{
	const char *p = s->p;
	size_t used = 1;
	int byte = (unsigned char)p[0];

	*escaped = p[0] == '\\' && s->n > 1;
	if (*escaped && s->n >= 4 && ascii_digit(p[1]) && ascii_digit(p[2]) && ascii_digit(p[3]) &&
	    (p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0') <= 255) {
		byte = (p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0');
		used = 4;
	} else if (*escaped && s->n >= 4 && p[1] == 'x' && ascii_hex(p[2]) >= 0 &&
		   ascii_hex(p[3]) >= 0) {
		byte = ascii_hex(p[2]) * 16 + ascii_hex(p[3]);
		used = 4;
	} else if (*escaped) {
		byte = (unsigned char)p[1];
		used = 2;
	}
	s->p += used;
	s->n -= used;
	return (unsigned char)byte;
}

/* ---- names ---- */

static void
print_name_byte(struct buf *b, unsigned char c)
{
	if (c <= ' ' || c >= 0x7f || c == '.' || c == '\\' || c == '"')
		buf_printf(b, "\\%03u", c);
	else
		buf_char(b, c >= 'A' && c <= 'Z' ? (char)(c + 32) : (char)c);
}

/* Writes a name in the one spelling that keys and answers use: lower case, no final dot, and \DDD
   for each byte that is not plain. The name is read byte by byte instead of split at its dots,
   because an escaped dot does not end a label:

     "WWW.Example.ORG."   ->  "www.example.org"
     "a\.b.example.org"   ->  "a\046b.example.org"      two dots divide three labels

   A label has 1 to 63 bytes, counted without their escapes; "." is the root and is not changed. */
bool
record_owner(struct arena *a, struct str *s)
{
	struct buf b = { .a = a };
	struct str rest = *s;
	size_t label = 0;

	if (str_is(*s, ".")) /* the root */
		return true;
	while (rest.n > 0) {
		bool escaped;
		unsigned char c = take_escaped_byte(&rest, &escaped);

		if (c != '.' || escaped) {
			print_name_byte(&b, c);
			if (++label > 63)
				return false;
			continue;
		}
		if (label == 0)
			return false;
		label = 0;
		if (rest.n > 0)
			buf_char(&b, '.');
	}
	*s = buf_done(&b);
	return b.n > 0 && b.n <= LIM_DNS_NAME;
}

/* ---- character-strings ---- */

static void
print_string(struct buf *b, struct str bytes)
{
	buf_char(b, '"');
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		if (c == '"' || c == '\\')
			buf_char(b, '\\');
		if (c < ' ' || c >= 0x7f)
			buf_printf(b, "\\%03u", c);
		else
			buf_char(b, (char)c);
	}
	buf_char(b, '"');
}

/* Prints bytes that are not divided into character-strings by quotes: in character-strings of at
   most 255 bytes, as servers send them. */
static void
print_bare_string(struct buf *b, struct str bytes)
{
	do {
		struct str part = { bytes.p, bytes.n < 255 ? bytes.n : 255 };

		if (b->n > 0)
			buf_char(b, ' ');
		print_string(b, part);
		bytes.p += part.n;
		bytes.n -= part.n;
	} while (bytes.n > 0);
}

/* ---- tokens ---- */

struct token {
	struct str text; /* without its quotes */
	bool quoted;
};

static void
skip_blanks(struct str *s)
{
	while (s->n > 0 && (s->p[0] == ' ' || s->p[0] == '\t')) {
		s->p++;
		s->n--;
	}
}

/* Takes a token; false: there is none, or a quote is not closed. */
static bool
take_token(struct str *s, struct token *t)
{
	size_t n = 0;

	skip_blanks(s);
	if (s->n == 0)
		return false;
	t->quoted = s->p[0] == '"';
	s->p += t->quoted;
	s->n -= t->quoted;
	while (n < s->n && (t->quoted ? s->p[n] != '"' : s->p[n] != ' ' && s->p[n] != '\t'))
		n += s->p[n] == '\\' && n + 1 < s->n ? 2 : 1;
	if (t->quoted && n >= s->n)
		return false;
	t->text = (struct str){ s->p, n };
	s->p += n + t->quoted;
	s->n -= n + t->quoted;
	return true;
}

static struct str
unescape(struct arena *a, struct str s)
{
	struct buf b = { .a = a };
	bool escaped;

	while (s.n > 0)
		buf_char(&b, (char)take_escaped_byte(&s, &escaped));
	return buf_done(&b);
}

/* ---- the parts of an answer ---- */

struct answer {
	struct arena *a;
	struct str rest; /* not yet read */
	struct buf out;
	struct str ip, name; /* the last address and the last name in the answer */
};

static bool
print_number(struct answer *w, struct str s)
{
	int64_t v;

	if (!str_int64(s, &v) || v < 0 || v > UINT32_MAX)
		return false;
	buf_printf(&w->out, "%jd", (intmax_t)v);
	return true;
}

/* Bytes of a message are escaped in an answer, so letters beyond ASCII are of somebody who has shown
   the name as people write it. */
static bool
print_domain(struct answer *w, struct str s)
{
	if (!idn_to_ascii(w->a, &s))
		return false;
	if (!record_owner(w->a, &s))
		return false;
	w->name = s;
	buf_str(&w->out, s);
	return true;
}

static bool
print_address(struct answer *w, struct str s, bool v6)
{
	struct ipnet ip;
	bool colon = s.n > 0 && memchr(s.p, ':', s.n) != NULL;

	if (colon != v6 || !ipnet_parse_address(s, &ip))
		return false;
	w->ip = ipnet_text(w->a, &ip);
	buf_str(&w->out, w->ip);
	return true;
}

/* Prints the rest of the answer as one number in hexadecimal; tools divide long numbers by
   blanks. */
static bool
print_hex(struct answer *w, struct str first)
{
	struct token t = { first, false };
	size_t n = 0;

	do {
		for (size_t i = 0; i < t.text.n; i++, n++) {
			if (ascii_hex(t.text.p[i]) < 0)
				return false;
			buf_char(&w->out, "0123456789ABCDEF"[ascii_hex(t.text.p[i])]);
		}
	} while (take_token(&w->rest, &t));
	return n > 0 && n % 2 == 0;
}

static bool
print_part(struct answer *w, char part, struct token t)
{
	if (w->out.n > 0)
		buf_char(&w->out, ' ');
	switch (part) {
	case 'n':
		return print_number(w, t.text);
	case 'd':
		return print_domain(w, t.text);
	case 'a':
	case 'A':
		return print_address(w, t.text, part == 'A');
	case 'x':
		return print_hex(w, t.text);
	case 'w':
		buf_str(&w->out, arena_lower(w->a, t.text));
		return t.text.n > 0;
	default:
		print_string(&w->out, unescape(w->a, t.text));
		return true;
	}
}

/* Prints all tokens that are left as parts of one kind. */
static bool
print_rest(struct answer *w, char part)
{
	struct token t;

	while (take_token(&w->rest, &t))
		if (!print_part(w, part, t))
			return false;
	return true;
}

/* Reads the parts of tbl/dns_names.h one after the other. Two omissions of tools are accepted,
   because their files are useful:
     SOA   dnsx gives the two names and no numbers: an answer may end where only numbers would follow
     MX    dnsx gives the name without its preference: a single token is then the name
   Any other missing part, and any text after the last part, is a fault: an incomplete answer would
   become a record of its own beside the complete one. */
static bool
print_answer_parts(struct answer *w, const char *parts)
{
	struct token t;

	for (; *parts != '\0'; parts++) {
		if (*parts == '+') {
			if (!print_rest(w, parts[-1]))
				return false;
			break;
		}
		if (!take_token(&w->rest, &t))
			return w->name.p != NULL && strspn(parts, "n") == strlen(parts);
		/* dnsx leaves the preference of MX out */
		if (strcmp(parts, "nd") == 0 && t.text.n > 0 && w->out.n == 0 && w->rest.n == 0)
			parts++;
		if (!print_part(w, *parts, t))
			return false;
	}
	skip_blanks(&w->rest);
	return w->rest.n == 0 && w->out.n > 0;
}

/* ---- RFC 3597: \# length hexadecimal ---- */

/* Reads the bytes of "\# 4 0A000001"; STR_NULL: the text has another form. */
static struct str
read_unknown(struct arena *a, struct str text)
{
	struct answer w = { .a = a, .rest = text, .out = { .a = a } };
	struct token t;
	int64_t n;
	char *bytes;

	if (!take_token(&w.rest, &t) || !str_is(t.text, "\\#") || !take_token(&w.rest, &t) ||
	    !str_int64(t.text, &n))
		return STR_NULL;
	if (n > 0 && (!take_token(&w.rest, &t) || !print_hex(&w, t.text)))
		return STR_NULL;
	if (n < 0 || w.out.n != 2 * (size_t)n || w.rest.n > 0)
		return STR_NULL;
	bytes = arena_alloc(a, (size_t)n + 1);
	for (size_t i = 0; i < (size_t)n; i++)
		bytes[i] = (char)(ascii_hex(w.out.p[2 * i]) * 16 + ascii_hex(w.out.p[2 * i + 1]));
	return (struct str){ bytes, (size_t)n };
}

static void
print_unknown(struct buf *b, struct str bytes)
{
	buf_printf(b, "\\# %zu", bytes.n);
	for (size_t i = 0; i < bytes.n; i++)
		buf_printf(b, "%s%02X", i == 0 ? " " : "", (unsigned char)bytes.p[i]);
}

/* Prints addresses as addresses, because their form is certain, and everything else as bytes. */
static bool
print_bytes(struct answer *w, const char *parts, struct str bytes)
{
	struct ipnet ip = { .bits = 128, .a = { [10] = 0xff, [11] = 0xff } };
	size_t n = strcmp(parts, "a") == 0 ? 4 : strcmp(parts, "A") == 0 ? 16 : 0;
	char text[IPNET_LEN + 1];

	if (n == 0) {
		print_unknown(&w->out, bytes);
		return true;
	}
	if (bytes.n != n)
		return false;
	memcpy(ip.a + 16 - n, bytes.p, n);
	ipnet_print(&ip, text);
	return print_address(w, str_of(text), n == 16);
}

/* Prints an answer of a type without a description, with one blank between two tokens. */
static bool
print_tokens(struct answer *w)
{
	struct token t;

	while (take_token(&w->rest, &t)) {
		if (w->out.n > 0)
			buf_char(&w->out, ' ');
		if (t.quoted)
			print_string(&w->out, unescape(w->a, t.text));
		else
			buf_str(&w->out, t.text);
	}
	return w->rest.n == 0 && w->out.n > 0;
}

static const char *
parts_of(struct str type)
{
	static const struct {
		const char *name, *parts;
	} types[] = {
#define DNS_TYPE(number, name, answer) { name, answer },
#define DNS_RCODE(number, name)
#include "tbl/dns_names.h"
#undef DNS_TYPE
#undef DNS_RCODE
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (str_is(type, types[i].name))
			return types[i].parts;
	return "";
}

/* Brings an answer into its canonical form. The first case that fits is taken:
     \# 4 0A000001       RFC 3597: addresses are printed as addresses, other types as \# again
     TXT without quotes  the whole text is one value, cut into character-strings of 255 bytes
     a described type    part by part, as tbl/dns_names.h lists them
     any other type      tokens with one blank between two of them
   ip and name are the last address and name in the answer; the index has fields for them. */
const char *
record_answer(
    struct arena *a, struct str type, struct str *answer, struct str *ip, struct str *name)
{
	struct answer w = { .a = a, .rest = str_trim(*answer), .out = { .a = a } };
	const char *parts = parts_of(type);
	struct str bytes = read_unknown(a, w.rest);
	bool ok;

	if (bytes.p != NULL) {
		ok = print_bytes(&w, parts, bytes);
	} else if (strcmp(parts, "s+") == 0 && (w.rest.n == 0 || w.rest.p[0] != '"')) {
		print_bare_string(&w.out, *answer);
		ok = true;
	} else {
		ok = *parts == '\0' ? print_tokens(&w) : print_answer_parts(&w, parts);
	}
	if (!ok)
		return "is no answer of this record type";
	*answer = buf_done(&w.out);
	*ip = w.ip;
	*name = w.name;
	return answer->n > LIM_ANSWER ? "is too long" : NULL;
}
