/* SPDX-License-Identifier: ISC */
/* The terminal: its width and colours, and how text becomes harmless and fits. */
#include "config.h"

#include "base/char.h"
#include "client/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { USUAL_COLUMNS = 80, FEWEST_COLUMNS = 20, MOST_COLUMNS = 10000 };

/* The width of the terminal of a descriptor; SIZE_MAX if it is none and COLUMNS is not set. */
static size_t
find_columns(int fd, bool terminal)
{
	const char *given = getenv("COLUMNS");
	struct winsize size;
	int64_t n;

	if (given != NULL && str_int64(str_of(given), &n) && n >= FEWEST_COLUMNS &&
	    n <= MOST_COLUMNS)
		return (size_t)n;
	if (!terminal && given == NULL)
		return SIZE_MAX;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= FEWEST_COLUMNS)
		return size.ws_col;
	return USUAL_COLUMNS;
}

/* NO_COLOR with any value switches colours off (https://no-color.org). */
static bool
wants_colour(bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return terminal && (no == NULL || no[0] == '\0') &&
	       (term == NULL || strcmp(term, "dumb") != 0);
}

void
screen_find(struct screen *s, bool wide)
{
	setlocale(LC_CTYPE, "");
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	s->out = isatty(STDOUT_FILENO);
	s->err = isatty(STDERR_FILENO);
	s->colour_out = wants_colour(s->out);
	s->colour_err = wants_colour(s->err);
	s->columns = wide ? SIZE_MAX : find_columns(STDOUT_FILENO, s->out);
	s->columns_err = find_columns(STDERR_FILENO, s->err);
}

static void
escape(struct buf *b, uint32_t c)
{
	static const char letters[] = "\n\r\t", names[] = "nrt";
	const char *at = c < 0x20 && c != 0 ? strchr(letters, (int)c) : NULL;

	if (at != NULL)
		buf_printf(b, "\\%c", names[at - letters]);
	else if (c < 0x100)
		buf_printf(b, "\\x%02x", (unsigned)c);
	else
		buf_printf(b, "\\u%04x", (unsigned)c);
}

void
text_show(struct buf *b, const struct screen *s, struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	if (str_utf8_bad(text) < text.n) { /* a word of the command line; answers are UTF-8 */
		for (; p < end; p++)
			if ((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f)
				buf_char(b, *p);
			else
				escape(b, (unsigned char)*p);
		return;
	}
	while (p < end) {
		const char *from = p;
		uint32_t c = char_next(&p);

		if (char_is_harmful(c) || (c >= 0x80 && !s->utf8))
			escape(b, c);
		else
			buf_add(b, from, (size_t)(p - from));
	}
}

static size_t
char_width(uint32_t c)
{
	int n;

	if (c < 0x7f)
		return 1;
	n = wcwidth((wchar_t)c);
	return n < 0 ? 1 : (size_t)n;
}

size_t
text_width(struct str shown)
{
	const char *p = shown.p, *end = shown.p + shown.n;
	size_t n = 0;

	while (p < end)
		n += char_width(char_next(&p));
	return n;
}

/* The beginning of the text that takes at most `width` columns. */
static struct str
cut_to_width(struct str shown, size_t width, size_t *taken)
{
	const char *p = shown.p, *end = shown.p + shown.n, *good = p;
	size_t n = 0;

	while (p < end) {
		n += char_width(char_next(&p));
		if (n > width)
			break;
		*taken = n;
		good = p;
	}
	return (struct str){ shown.p, (size_t)(good - shown.p) };
}

static void
blanks(struct buf *b, size_t n)
{
	while (n-- > 0)
		buf_char(b, ' ');
}

void
text_fit(struct buf *b, const struct screen *s, struct str shown, size_t width, bool right)
{
	struct str dots = s->utf8 ? STR("…") : STR("...");
	size_t have = text_width(shown), taken = 0;

	if (have > width) {
		size_t room = width > text_width(dots) ? width - text_width(dots) : 0;

		buf_str(b, cut_to_width(shown, room, &taken));
		buf_str(b, dots);
		blanks(b, room - taken);
		return;
	}
	if (right)
		blanks(b, width - have);
	buf_str(b, shown);
	if (!right)
		blanks(b, width - have);
}

/* The beginning of the text for one line: up to the last blank that fits, if it is not near the
   beginning. */
static struct str
first_line(struct str text, size_t width)
{
	size_t taken = 0;
	struct str line = cut_to_width(text, width, &taken);

	if (line.n == text.n)
		return line;
	for (size_t n = line.n; n > line.n / 2; n--)
		if (line.p[n - 1] == ' ')
			return (struct str){ line.p, n };
	return line;
}

void
text_wrap(struct buf *b, const struct screen *s, struct str shown, const struct wrap *wrap)
{
	for (size_t lines = 1;; lines++) {
		struct str line = first_line(shown, wrap->width);

		if (line.n == 0 || line.n == shown.n || lines == wrap->most) {
			if (text_width(shown) <= wrap->width)
				buf_str(b, shown);
			else
				text_fit(b, s, shown, wrap->width, false);
			return;
		}
		buf_str(b, line);
		shown = (struct str){ shown.p + line.n, shown.n - line.n };
		buf_char(b, '\n');
		blanks(b, wrap->indent);
	}
}

static void
style_add(struct buf *b, bool colour, enum style style)
{
	static const char *const codes[] = { [PLAIN] = "0",
		[BOLD] = "1",
		[DIM] = "2",
		[RED] = "1;31",
		[YELLOW] = "33",
		[GREEN] = "32",
		[CYAN] = "36" };

	if (colour)
		buf_printf(b, "\033[%sm", codes[style]);
}

void
style_out(struct buf *b, const struct screen *s, enum style style)
{
	style_add(b, s->colour_out, style);
}

void
style_err(struct buf *b, const struct screen *s, enum style style)
{
	style_add(b, s->colour_err, style);
}
