/* SPDX-License-Identifier: ISC */
/* Hexadecimal values that have the length of a hash but are no file: "RC4 key: <value>". */
#include "config.h"

#include "extract/extract_priv.h"

/* These decide left of the value, in its sentence or cell. */
static const char *const before[] = { "key", "token", "signature", "nonce", "seed", "commit",
	"serial", "fingerprint", "imphash", "import hash", "ja3", "ja3s", "ja4", "iv", "salt",
	"rich header", "build", "build id", "bot id", "campaign id", "mutex", "authentihash",
	"vhash", "telfhash", "password", "thumbprint", "cert", "cookie", "session", "sessionid",
	"session id", "phpsessid", "jsessionid", "sid", "csrf", "xsrf", NULL };
/* These decide anywhere on the line: no file has one. */
static const char *const anywhere[] = { "thumbprint", "imphash", "serial number", "ja3", "ja3s",
	NULL };

static bool
has_one_of(struct str text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (text_has_word(text, *words))
			return true;
	return false;
}

/* Where the sentence, the cell or the previous hash ends that stands left of the value. */
static size_t
clause_begin(const struct run *r, const struct find *f)
{
	const char *p = r->text.p;
	size_t from = f->at, digits = 0;

	while (from > r->place.from && f->at - from < NEAR) {
		char c = p[from - 1];

		if (c == '|' || c == ';' || (c == '.' && p[from] == ' '))
			break;
		digits = ascii_hex(c) >= 0 ? digits + 1 : 0;
		if (digits == 32)
			break;
		from--;
	}
	return from;
}

bool
secret_hash(const struct run *r, const struct find *f)
{
	const char *p = r->text.p;
	size_t from = clause_begin(r, f), end = f->end;
	struct str line = { p + r->place.from,
		r->place.to - r->place.from < 4 * NEAR ? r->place.to - r->place.from : 4 * NEAR };

	if (has_one_of((struct str){ p + from, f->at - from }, before))
		return true;
	while (end < r->place.to && end - f->end < 40 && strchr(".,;|", p[end]) == NULL)
		end++;
	if (text_has_word((struct str){ p + f->end, end - f->end }, "is") &&
	    has_one_of((struct str){ p + f->end, end - f->end }, before))
		return true;
	return !r->place.row && has_one_of(line, anywhere);
}
