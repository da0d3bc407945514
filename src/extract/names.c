/* SPDX-License-Identifier: ISC */
/* Names: which are valid, and which of them look like a file, code or a package rather than a
   domain. */
#include "config.h"

#include "address/idn.h"
#include "address/start_url.h"
#include "extract/extract_priv.h"

static const struct {
	struct str name;
	bool country;
} file_tlds[] = {
#define FILE_TLD(name, country) { STR_INIT(name), country },
#include "tbl/file_tlds.h"
#undef FILE_TLD
};

static const struct str word_tlds[] = {
#define WORD_TLD(name) STR_INIT(name),
#include "tbl/word_tlds.h"
#undef WORD_TLD
};

static struct str
last_label(struct str name)
{
	const char *dot = memrchr(name.p, '.', name.n);

	return dot == NULL ? name : (struct str){ dot + 1, (size_t)(name.p + name.n - dot) - 1 };
}

static bool
labels_valid(struct str name)
{
	struct str rest = name;

	do {
		struct str label = str_until(&rest, '.');

		if (label.n == 0 || label.n > 63 || label.p[0] == '-' ||
		    label.p[label.n - 1] == '-')
			return false;
		for (size_t i = 0; i < label.n; i++)
			if (!ascii_alnum(label.p[i]) && label.p[i] != '-' && label.p[i] != '_')
				return false;
	} while (rest.p != NULL);
	return true;
}

/* Names may have "_" in any label but those of the registrable domain. */
static bool
underscores_valid(struct arena *scratch, struct str name)
{
	struct str registrable;

	if (memchr(name.p, '_', name.n) == NULL)
		return true;
	registrable = host_registrable(scratch, name);
	return registrable.p != NULL && memchr(registrable.p, '_', registrable.n) == NULL;
}

struct str
name_canonical(struct run *r, struct str raw)
{
	struct str name = arena_lower(r->scratch, raw), top;

	r->steps += raw.n;
	if (raw.n < 4 || raw.n > 4 * (size_t)LONGEST_NAME || memchr(raw.p, '.', raw.n) == NULL)
		return STR_NULL;
	top = last_label(name);
	if (idn_is_ascii(top) &&
	    (top.n < 2 || !ascii_letter(top.p[0]) || !host_delegated(r->scratch, top)))
		return STR_NULL;
	if (!idn_is_ascii(name) && r->conversions++ >= CONVERSIONS) {
		r->truncated = true;
		return STR_NULL;
	}
	if (!idn_to_ascii(r->scratch, &name) || name.n > (size_t)LONGEST_NAME ||
	    !labels_valid(name) || !host_delegated(r->scratch, name) || host_suffix_icann(name) ||
	    !underscores_valid(r->scratch, name))
		return STR_NULL;
	return name;
}

static size_t
count_labels(struct str name)
{
	size_t n = 1;

	for (size_t i = 0; i < name.n; i++)
		n += name.p[i] == '.';
	return n;
}

static bool
is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* WScript.Shell, hReq.open, Win32.Agent, ASP.Net: capitals within a label, or at the beginning of
   the last one. EVIL.COM and Evil.com are names. */
static bool
written_as_code(struct str raw)
{
	bool lower = false, within = false;
	struct str top = last_label(raw);

	for (size_t i = 0; i < raw.n; i++) {
		lower |= raw.p[i] >= 'a' && raw.p[i] <= 'z';
		within |= is_upper(raw.p[i]) && i > 0 && raw.p[i - 1] != '.' && raw.p[i - 1] != '-';
	}
	return lower && (within || is_upper(top.p[0]));
}

/* com.tencent.mm: the name begins with a top-level domain (C-901). */
static bool
written_as_package(const struct run *r, struct str raw)
{
	static const char *const first[] = { "com", "org", "net", "io", "ru", "de", "cn", "ir",
		"me", "app", "edu", "gov", "android", "androidx", "java", "javax", "kr", "jp", "br",
		"in", "uk", "fr", "it", "co" };
	struct str rest = raw, label = str_until(&rest, '.');

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		if (str_is_nocase(label, first[i]))
			return i < 3 ? count_labels(raw) >= 3 || r->place.zone == ZONE_PACKAGES
				     : r->place.zone == ZONE_PACKAGES ||
					   (count_labels(raw) >= 3 &&
					       !str_is_nocase(last_label(raw), "com") &&
					       !str_is_nocase(last_label(raw), "net") &&
					       !str_is_nocase(last_label(raw), "org"));
	return r->place.zone == ZONE_PACKAGES && count_labels(raw) >= 3;
}

/* A label before the last one is the extension of a file: invoice.pdf.zip. */
static bool
has_inner_extension(struct str raw)
{
	static const char *const inner[] = { "exe", "dll", "pdf", "doc", "docx", "xls", "xlsx",
		"tar", "min", "js", "php", "txt", "jpg", "png", "rar", "lnk", "vbs", "hta", "apk",
		"elf" };
	struct str rest = raw, label = str_until(&rest, '.');

	for (; rest.p != NULL; label = str_until(&rest, '.'))
		for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
			if (str_is_nocase(label, inner[i]))
				return true;
	return false;
}

/* Whether the line stands below "Indicators of compromise" or "Domains". */
static bool
lists_names(const struct run *r)
{
	return r->place.zone == ZONE_INDICATORS || (r->place.zone == ZONE_WEAK && r->place.network);
}

/* setup.py and evil.zip; in a list of indicators only where the line has a hash or is about files.
 */
static bool
written_as_file(const struct run *r, const struct find *f, struct str raw)
{
	bool listed = f->alone && lists_names(r);
	struct str top = last_label(raw);

	if (str_is_nocase(top, "com") && r->place.hash && r->place.files && !r->place.network)
		return count_labels(raw) == 2;
	for (size_t i = 0; i < sizeof(file_tlds) / sizeof(*file_tlds); i++) {
		if (!str_is_nocase(top, file_tlds[i].name.p))
			continue;
		if (has_inner_extension(raw))
			return true;
		if (count_labels(raw) > 2)
			return false;
		return !listed || r->place.hash || (r->place.files && !r->place.network) ||
		       (!file_tlds[i].country && !r->place.network);
	}
	return false;
}

static bool
fills_line(const struct run *r, const struct find *f)
{
	return f->end == r->place.to &&
	       strspn(r->text.p + r->place.from, " \t") >= f->at - r->place.from;
}

static bool
written_as_words(const struct run *r, const struct find *f, struct str raw)
{
	struct str top = last_label(raw);

	if (count_labels(raw) > 3 ||
	    (f->alone && lists_names(r) && (!r->place.code || fills_line(r, f))))
		return false;
	for (size_t i = 0; i < sizeof(word_tlds) / sizeof(*word_tlds); i++)
		if (str_is_nocase(top, word_tlds[i].p))
			return true;
	return false;
}

bool
name_is_doubtful(const struct run *r, const struct find *f, struct str raw)
{
	char left = f->at > r->place.from ? r->text.p[f->at - 1] : ' ';
	char right = f->end < r->place.to ? r->text.p[f->end] : ' ';

	if (f->defanged)
		return false;
	if (right == '(' && f->end + 1 < r->place.to &&
	    (r->text.p[f->end + 1] == ')' || r->place.code))
		return true; /* a call: Blowfish.new(key) */
	if (left == '\\' || left == '$' || left == '%' || left == '.' ||
	    (left == '/' && !(f->at > r->place.from + 1 && r->text.p[f->at - 2] == '/')))
		return true;
	return (written_as_code(raw) &&
		   !(f->alone && r->place.zone == ZONE_INDICATORS && r->place.network)) ||
	       written_as_package(r, raw) || written_as_file(r, f, raw) ||
	       written_as_words(r, f, raw);
}
