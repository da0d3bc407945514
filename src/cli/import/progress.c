/* SPDX-License-Identifier: ISC */
/* The line of progress of surfacectl import; progress.h shows it. */
#include "config.h"

#include "cli/import/progress.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_US = 500000, /* a shorter import has no line */
	REDRAW_US = 200000,
	COLUMNS = 80,   /* when the width of the terminal is unknown */
	BAR_LEAST = 10, /* a shorter bar shows nothing */
	BAR_MOST = 40,
};

void
progress_begin(struct progress *p, bool wanted, int fd)
{
	struct stat st;

	*p = (struct progress){ .on = wanted && isatty(STDERR_FILENO), .began = mono_us() };
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		p->size = (uint64_t)st.st_size;
}

static size_t
terminal_columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return COLUMNS;
	return w.ws_col;
}

static void
print_duration(struct buf *b, double seconds)
{
	int64_t s = seconds < 360000 ? (int64_t)(seconds + 0.5) : 359999;

	if (s >= 3600)
		buf_printf(
		    b, "%jd:%02d:%02d", (intmax_t)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
	else
		buf_printf(b, "%jd:%02d", (intmax_t)(s / 60), (int)(s % 60));
}

static void
print_bar(struct buf *b, size_t cells, double share)
{
	size_t full = (size_t)(share * (double)cells);

	buf_char(b, '[');
	for (size_t i = 0; i < cells; i++)
		buf_char(b, i < full ? '=' : i == full ? '>' : ' ');
	buf_z(b, "] ");
}

static void
print_line(const struct progress *p, struct buf *b, uint64_t records, uint64_t bytes)
{
	double seconds = (double)(mono_us() - p->began) / 1e6;
	double share = p->size == 0 ? 0 : (double)bytes / (double)p->size;
	struct buf parts[4] = { { .n = 0 } }, text = { .n = 0 };
	size_t columns = terminal_columns();

	if (p->size > 0)
		buf_printf(&parts[0], "%3.0f %%  ", 100 * share);
	buf_printf(&parts[1], "%ju records", (uintmax_t)records);
	buf_printf(&parts[2], ", %.0f/s", seconds > 0 ? (double)records / seconds : 0);
	buf_z(&parts[3], ", ");
	if (p->size == 0 || share >= 1)
		print_duration(&parts[3], seconds);
	else
		print_duration(&parts[3], share > 0 ? seconds / share - seconds : 0);
	buf_z(&parts[3], p->size == 0 || share >= 1 ? "" : " left");
	for (size_t i = 0; i < COUNT(parts); i++) /* a part that does not fit is left out */
		if (text.n + parts[i].n < columns)
			buf_str(&text, buf_done(&parts[i]));
	if (p->size > 0 && text.n + BAR_LEAST + 4 <= columns) {
		size_t room = columns - text.n - 4;

		print_bar(b, room < BAR_MOST ? room : BAR_MOST, share < 1 ? share : 1);
	}
	buf_str(b, buf_done(&text));
	for (size_t i = 0; i < COUNT(parts); i++)
		buf_free(&parts[i]);
	buf_free(&text);
}

static void
draw_line(struct progress *p, uint64_t records, uint64_t bytes)
{
	struct buf b = { .n = 0 };

	print_line(p, &b, records, bytes);
	fprintf(stderr, "\r%.*s\033[K", (int)b.n, b.p);
	fflush(stderr);
	buf_free(&b);
	p->shown = true;
}

void
progress_draw(struct progress *p, uint64_t records, uint64_t bytes)
{
	int64_t now = mono_us();

	if (!p->on || now - p->began < FIRST_US || now - p->drawn < REDRAW_US)
		return;
	p->drawn = now;
	draw_line(p, records, bytes);
}

void
progress_hide(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void
progress_end(struct progress *p, uint64_t records, uint64_t bytes)
{
	if (!p->on || p->drawn == 0)
		return;
	draw_line(p, records, bytes);
	fputc('\n', stderr);
}
