/* SPDX-License-Identifier: ISC */
/* Messages on stderr: "surface: ...", made harmless for a terminal. */
#include "config.h"

#include "client/progress.h"

static void print_message(const struct client *c, enum style style, const char *what,
    const char *fmt, va_list ap) PRINTF(4, 0);

static void
print_message(
    const struct client *c, enum style style, const char *what, const char *fmt, va_list ap)
{
	struct buf b = { .p = NULL }, raw = { .p = NULL };
	char text[8192];
	int n = vsnprintf(text, sizeof(text), fmt, ap);

	buf_add(&raw, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	progress_clear(c);
	style_err(&b, &c->screen, style);
	buf_printf(&b, "surface%s:", what);
	style_err(&b, &c->screen, PLAIN);
	buf_char(&b, ' ');
	text_show(&b, &c->screen, buf_done(&raw));
	buf_char(&b, '\n');
	fwrite(b.p, 1, b.n, stderr);
	buf_free(&raw);
	buf_free(&b);
}

int
fail(const struct client *c, enum surface_exit status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	print_message(c, RED, "", fmt, ap);
	va_end(ap);
	return (int)status;
}

void
note(const struct client *c, const char *fmt, ...)
{
	va_list ap;

	if (!c->screen.err)
		return;
	fflush(stdout);
	va_start(ap, fmt);
	print_message(c, DIM, "", fmt, ap);
	va_end(ap);
}

void
warn(const struct client *c, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	print_message(c, YELLOW, ": warning", fmt, ap);
	va_end(ap);
}
