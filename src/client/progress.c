/* SPDX-License-Identifier: ISC */
/* A line on stderr that shows how far a long job is. */
#include "config.h"

#include "client/progress.h"

enum { DRAW_US = 100000, BAR = 20 };
static const double MEGA = 1e6;

void
progress_begin(struct progress *p, struct client *c, const char *what, const char *unit)
{
	*p = (struct progress){ .c = c, .what = what, .unit = unit, .from = -1 };
}

/* "12.3 of 27.1 MB  3.2 MB/s", or "1200 of 4500 records  300 records/s". */
static void
print_amounts(const struct progress *p, int64_t done, char *out, size_t room)
{
	bool bytes = strcmp(p->unit, "MB") == 0;
	double scale = bytes ? MEGA : 1, seconds = (double)(mono_us() - p->from_us) / 1e6;
	double rate = seconds > 0 ? (double)(done - p->from) / seconds / scale : 0;
	int digits = bytes ? 1 : 0, n;

	n = snprintf(out, room, "%.*f", digits, (double)done / scale);
	if (p->total > 0)
		n += snprintf(
		    out + n, room - (size_t)n, " of %.*f", digits, (double)p->total / scale);
	snprintf(out + n, room - (size_t)n, " %s  %.*f %s/s", p->unit, digits, rate, p->unit);
}

void
progress_draw(struct progress *p, int64_t done)
{
	char amounts[160];
	struct buf b = { .p = NULL }, fitted = { .p = NULL };

	if (p->from < 0) {
		p->from = done;
		p->from_us = mono_us();
	}
	if (!p->c->screen.err || !mono_due(&p->drawn_us, DRAW_US))
		return;
	print_amounts(p, done, amounts, sizeof(amounts));
	text_show(&b, &p->c->screen, str_of(p->what));
	if (p->total > 0) {
		int filled = (int)(done * BAR / p->total);

		buf_printf(&b, "  [%.*s%*s] %3d%%", filled, "####################", BAR - filled,
		    "", (int)(done * 100 / p->total));
	}
	buf_printf(&b, "  %s", amounts);
	text_fit(&fitted, &p->c->screen, buf_done(&b), p->c->screen.columns_err - 1, false);
	fprintf(stderr, "\r%.*s", (int)fitted.n, fitted.p);
	fflush(stderr);
	p->c->progress_drawn = true;
	buf_free(&b);
	buf_free(&fitted);
}

void
progress_clear(const struct client *c)
{
	if (c->progress_drawn)
		fputs("\r\033[K", stderr);
}

void
progress_end(struct progress *p)
{
	progress_clear(p->c);
	p->c->progress_drawn = false;
}
