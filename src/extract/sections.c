/* SPDX-License-Identifier: ISC */
/* Follows the headings of a text: Markdown, AsciiDoc, underlined titles, lines in bold, and labels
 * of plain text. A heading without a word of tbl/section_words.h has the zone of the heading above
 * it:
 *
 *     # Turla: a new backdoor           PROSE
 *     ## Indicators of compromise       INDICATORS
 *     ### Files                         INDICATORS, from its parent
 *     ### Victims                       OFF
 *     ## Conclusion                     PROSE
 *
 * A title counts only when it has a word of ZONE_INDICATORS: then the whole document is one
 * section. */
#include "config.h"

#include "extract/extract_priv.h"
#include "extract/lists.h"

#include <strings.h>

enum { LEVEL_PLAIN = 6, LEVEL_BOLD = 7, LEVEL_LABEL = 8, LONGEST_HEADING = 120 };

static const struct section_word {
	enum zone zone;
	const char *words;
} words[] = {
#define SECTION(zone, words) { ZONE_##zone, words },
#include "tbl/section_words.h"
#undef SECTION
};

/* "Targets", "Targeted networks" and "Known victims" are about them; "Foo targets banks in Bar" is
   about Foo. */
static bool
is_about(struct str text, const char *word)
{
	size_t n = strcspn(word, "*");
	const char *blank;

	while (text.n > 0 && !ascii_letter(text.p[0])) {
		text.p++;
		text.n--;
	}
	while (text.n > 0 && !ascii_letter(text.p[text.n - 1]))
		text.n--;
	if (text.n >= n && strncasecmp(text.p, word, n) == 0)
		return true;
	blank = memrchr(text.p, ' ', text.n);
	if (blank != NULL)
		text = (struct str){ blank + 1, (size_t)(text.p + text.n - blank) - 1 };
	return text_has_word(text, word);
}

static enum zone
classify(struct str text, enum zone parent)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!text_has_word(text, words[i].words))
			continue;
		if (words[i].zone == ZONE_VICTIMS && !is_about(text, words[i].words))
			continue;
		if (words[i].zone == ZONE_WEAK && (parent != ZONE_PROSE && parent != ZONE_PACKAGES))
			return parent;
		return words[i].zone;
	}
	return parent;
}

static struct str
strip(struct str s, const char *left, const char *right)
{
	while (s.n > 0 && strchr(left, s.p[0]) != NULL) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && strchr(right, s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

static bool
has_any(struct str text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (text_has_word(text, *list))
			return true;
	return false;
}

static size_t
count_words(struct str line)
{
	struct str word;
	size_t n = 0;

	while (str_word(&line, " \t", &word))
		n++;
	return n;
}

/* Whether the zone is about values that are no indicators. */
static bool
switches_off(enum zone zone)
{
	return zone == ZONE_OFF || zone == ZONE_PACKAGES || zone == ZONE_VICTIMS;
}

static bool
is_switched_off(const struct sections *s)
{
	return s->n > 0 && s->stack[s->n - 1].level == LEVEL_PLAIN &&
	       switches_off(s->stack[s->n - 1].zone);
}

static void
enter(struct run *r, unsigned level, struct str text)
{
	static const char *const files[] = { "file", "sample", "hash", "hashes", NULL };
	static const char *const network[] = { "domain", "network", "c2", "c&c", "host", "hostname",
		"server", "url", "fqdn", NULL };
	struct sections *s = &r->sections;
	bool off = level == LEVEL_PLAIN && is_switched_off(s);
	enum zone parent, zone;

	text = strip(text, " \t#=*_:", " \t#=*_:");
	if (text.n > LONGEST_HEADING)
		text = str_cut_bytes(text, LONGEST_HEADING);
	while (s->n > 0 && s->stack[s->n - 1].level >= level)
		s->n--;
	if (s->n == HEADINGS)
		s->n--;
	parent = s->n > 0 ? s->stack[s->n - 1].zone : ZONE_PROSE;
	zone = classify(text, off ? ZONE_PROSE : parent);
	if (!s->titled && level == 1 && zone != ZONE_INDICATORS && count_words(text) > 1)
		zone = ZONE_PROSE;
	s->titled = true;
	s->stack[s->n++] = (struct heading){ level, zone, arena_str(r->a, text),
		has_any(text, files), has_any(text, network) };
}

/* The level of a line "## Files" or "== Files"; 0: it is none. */
static unsigned
marked_level(struct str line, char mark)
{
	unsigned n = 0;

	while (n < line.n && line.p[n] == mark)
		n++;
	return n >= 1 && n <= 6 && n < line.n && line.p[n] == ' ' ? n : 0;
}

/* The level of a line "<h2>Files</h2>", whose text is set; 0: it is none. */
static unsigned
html_level(struct str line, struct str *text)
{
	const char *begin = line.n > 4 ? memchr(line.p, '>', line.n) : NULL;
	const char *end =
	    begin == NULL ? NULL : memmem(begin, (size_t)(line.p + line.n - begin), "</", 2);

	if (end == NULL || line.p[0] != '<' || (line.p[1] | ' ') != 'h' || line.p[2] < '1' ||
	    line.p[2] > '6' || (line.p[3] != '>' && line.p[3] != ' '))
		return 0;
	*text = (struct str){ begin + 1, (size_t)(end - begin) - 1 };
	return (unsigned)(line.p[2] - '0');
}

static bool
all_of(struct str line, char c, size_t least)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != c)
			return false;
	return line.n >= least;
}

/* The line behind `to`, stripped. */
static struct str
line_behind(const struct run *r, size_t to)
{
	const char *p = r->text.p + to + 1, *end;

	if (to + 1 >= r->text.n)
		return STR("");
	end = memchr(p, '\n', r->text.n - to - 1 < NEAR ? r->text.n - to - 1 : NEAR);
	return end == NULL ? STR("") : strip((struct str){ p, (size_t)(end - p) }, " \t", " \t");
}

/* A value that a heading of plain text has not: a dot within a word, or a long word. */
static bool
has_value(struct str line)
{
	size_t word = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (i > 0 && i + 1 < line.n && line.p[i] == '.' && ascii_alnum(line.p[i - 1]) &&
		    ascii_alnum(line.p[i + 1]))
			return true;
		word = line.p[i] == ' ' ? 0 : word + 1;
		if (word > 24)
			return true;
	}
	return false;
}

/* Two blanks within the line, as between the columns of a table: such a line is its first row, and
   its words are about columns. They may call the table one of indicators, and switch nothing
   off. */
static bool
has_columns(struct str line)
{
	line = strip(line, "0123456789.) ", ""); /* "5.  References" */
	return memmem(line.p, line.n, "  ", 2) != NULL || memchr(line.p, '\t', line.n) != NULL;
}

/* A heading of any kind ends what another heading of plain text has switched off: a short line that
   begins with a capital and has no sign of a sentence. */
static bool
ends_off(const struct run *r, struct str bare)
{
	const struct sections *s = &r->sections;

	return is_switched_off(s) && bare.p[0] >= 'A' && bare.p[0] <= 'Z' &&
	       memchr(bare.p, ':', bare.n) == NULL && memchr(bare.p, '/', bare.n) == NULL;
}

/* A line of plain text that is a heading: in bold, ended by a colon, or short, above it a blank
   line, and with a word of the table. 0: it is none. */
static unsigned
plain_level(const struct run *r, struct str line)
{
	struct str bare = strip(line, " \t*_", " \t*_");
	bool bold =
	    line.n > 4 &&
	    ((line.p[0] == '*' && line.p[1] == '*') || (line.p[0] == '_' && line.p[1] == '_')) &&
	    (line.p[line.n - 1] == '*' || line.p[line.n - 1] == '_' || str_ends(line, STR("**:")));
	enum zone zone;

	if (bare.n < 2 || bare.n > 80 || has_value(bare) || strchr("-|>+[<", bare.p[0]) != NULL ||
	    memchr(bare.p, '|', bare.n) != NULL || memchr(bare.p, ',', bare.n) != NULL)
		return 0;
	if (bold && line.p[0] == line.p[1])
		return LEVEL_BOLD;
	if (bare.p[bare.n - 1] == ':' && count_words(bare) <= 8)
		return LEVEL_LABEL;
	if (!r->sections.blank || count_words(bare) > 6 ||
	    strchr(".;!?", bare.p[bare.n - 1]) != NULL)
		return 0;
	zone = classify(bare, ZONE_PROSE);
	if (has_columns(bare))
		return zone != ZONE_PROSE && !switches_off(zone) ? LEVEL_PLAIN : 0;
	return zone != ZONE_PROSE || ends_off(r, bare) ? LEVEL_PLAIN : 0;
}

/* Another label ends the references or victims of the label above. */
static void
end_label(struct sections *s)
{
	while (s->n > 0 && s->stack[s->n - 1].level == LEVEL_LABEL &&
	       s->stack[s->n - 1].zone != ZONE_INDICATORS && s->stack[s->n - 1].zone != ZONE_WEAK)
		s->n--;
}

/* A label such as "C2:" that has no word keeps the zone, and stays the heading only until a blank
   line. */
static bool
is_heading(struct run *r, struct str line, size_t to)
{
	struct str below = line_behind(r, to);
	unsigned level = marked_level(line, '#');

	if (level == 0 && (level = marked_level(line, '=')) != 0)
		r->sections.asciidoc = true;
	if (level == 0)
		level = html_level(line, &line);
	if (level == 0 && !r->sections.asciidoc && line.n > 0 && line.n <= LONGEST_HEADING &&
	    !has_value(line) && strchr("|-*>=", line.p[0]) == NULL &&
	    (all_of(below, '=', 3) || all_of(below, '-', 3)))
		level = below.p[0] == '=' ? 1 : 2;
	if (level == 0)
		level = plain_level(r, line);
	if (level == LEVEL_LABEL && classify(line, ZONE_PROSE) == ZONE_PROSE) {
		end_label(&r->sections);
		return false;
	}
	if (level == 0)
		return false;
	enter(r, level, line);
	return level < LEVEL_PLAIN;
}

/* Whether the line opens or closes a block of code. */
static bool
is_fence(struct sections *s, struct str line)
{
	char c = '\0';

	if (str_starts(line, STR("```")) || str_starts(line, STR("~~~")))
		c = line.p[0];
	else if (s->asciidoc && line.n >= 4 && (all_of(line, '-', 4) || all_of(line, '.', 4)))
		c = line.p[0];
	if (c == '\0' || (s->fence != '\0' && s->fence != c))
		return false;
	s->fence = s->fence == '\0' ? c : '\0';
	return true;
}

/* Whether the line begins with a URL, and the line above ends in the midst of a sentence that has
   one of the words. */
static bool
goes_on(const struct run *r, const char *const *list, size_t n)
{
	const char *p = r->text.p;
	size_t at = r->place.from, end = at > 0 ? at - 1 : 0, from = end;

	while (at < r->place.to && strchr(" \t(<\"", p[at]) != NULL)
		at++;
	while (from > 0 && end - from < NEAR && p[from - 1] != '\n')
		from--;
	if (r->place.to - at < 8 || strncasecmp(p + at, "http", 4) != 0 || end == from ||
	    strchr(".:|", p[end - 1]) != NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		if (text_has_word((struct str){ p + from, end - from }, list[i]))
			return true;
	return false;
}

/* The words of the line that lower a confidence: read once, when the line has a candidate. */
void
sections_words(struct run *r)
{
	static const char *const references[] = { "available at", "see", "blog post", "blogpost",
		"published", "read more", "according to", "reported by", "documented",
		"described in", "more information", "the post", "our post", "our report",
		"the article", "our article", "our blog" };
	struct place *p = &r->place;
	struct str line = { r->text.p + p->from, p->to - p->from };

	if (p->words)
		return;
	p->words = true;
	for (size_t i = 0; i < sizeof(references) / sizeof(*references) && !p->reference; i++)
		p->reference = text_has_word(line, references[i]);
	p->cites =
	    list_refers(line) || goes_on(r, references, sizeof(references) / sizeof(*references));
	p->certificate = text_has_word(line, "certificate") || text_has_word(line, "cert");
}

/* A table of indicators goes on while its lines have cells; a CSV file may have lines without. */
static void
follow_table(struct sections *s, struct str line)
{
	char sep;

	if (list_header(line, &sep))
		s->table = sep;
	else if (s->table != '\0' && memchr(line.p, s->table, line.n) == NULL &&
		 (s->blank || s->table == '|'))
		s->table = '\0';
}

/* In the first row of a table: which cell is headed "Certificate". */
static void
follow_columns(struct sections *s, struct str line)
{
	bool row = memchr(line.p, '|', line.n) != NULL;

	if (row && !s->row) {
		s->certificate_cell = 0;
		for (size_t cell = 1; line.p != NULL && cell < 32; cell++)
			if (text_has_word(str_until(&line, '|'), "certificate"))
				s->certificate_cell = cell;
	}
	s->row = row;
}

/* The output of nslookup and dig goes on to the end of its block of code. */
static void
follow_look_up(struct sections *s, struct str line, bool code)
{
	static const char *const signs[] = { "nslookup", "non-authoritative", "dig", ";; answer",
		NULL };

	s->looked_up = code && (s->looked_up || has_any(line, signs));
}

bool
sections_line(struct run *r, size_t from, size_t to)
{
	struct sections *s = &r->sections;
	struct place *p = &r->place;
	struct str whole = { r->text.p + from, to - from }, line = strip(whole, " \t", " \t");
	bool deep = whole.n > 0 && (whole.p[0] == '\t' || str_starts(whole, STR("    ")));

	r->steps += whole.n;
	*p = (struct place){ .from = from, .to = to };
	if (is_fence(s, line))
		return false;
	if (s->fence == '\0' && line.n > 0 && !deep && is_heading(r, line, to)) {
		s->blank = true;
		s->table = '\0';
		return has_value(line);
	}
	follow_table(s, line);
	follow_columns(s, line);
	s->indented = deep && s->fence == '\0' && (s->blank || s->indented) &&
		      strchr("-*+|", line.n > 0 ? line.p[0] : ' ') == NULL;
	p->code = s->fence != '\0' || s->indented;
	follow_look_up(s, line, p->code);
	p->looked_up = s->looked_up;
	p->row = memchr(line.p, '|', line.n) != NULL;
	p->certificate_cell = p->row ? s->certificate_cell : 0;
	p->zone = s->list ? ZONE_INDICATORS : ZONE_PROSE;
	if (s->n > 0) {
		const struct heading *h = &s->stack[s->n - 1];

		if (h->zone != ZONE_PROSE)
			p->zone = h->zone;
		p->heading = h->text;
		p->files = h->files;
		p->network = h->network;
	}
	if (s->table != '\0' && (p->zone == ZONE_PROSE || p->zone == ZONE_WEAK))
		p->zone = ZONE_INDICATORS;
	if (line.n == 0 && s->n > 0 && s->stack[s->n - 1].level == LEVEL_LABEL && s->blank)
		s->n--;
	s->blank = line.n == 0;
	return line.n > 0;
}
