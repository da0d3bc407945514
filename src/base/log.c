/* SPDX-License-Identifier: ISC */
/* The log. Every process of every daemon writes to the same stderr. */
#include "config.h"

#include "base/base.h"

#include <execinfo.h>
#include <stdlib.h>
#include <unistd.h>

static log_writer *other_writer;

void
log_use(log_writer *writer)
{
	other_writer = writer;
}

static void
write_stderr(const char *p, size_t n)
{
	for (ssize_t w = 0; n > 0; p += w, n -= (size_t)w) {
		w = write(STDERR_FILENO, p, n);
		if (w <= 0)
			break;
	}
}

/* Writes the line with one write(2), so that lines of different processes never mix: a pipe
 * keeps a write of up to 4096 bytes together, which is the size of the line. A longer one is
 * cut. The text may come from a client, so control characters become "?": no client can write a
 * line of its own into the log, or move the cursor of a terminal that shows it. */
PRINTF(3, 0)
static void
write_line(enum log_prio prio, const char *event, const char *fmt, va_list ap)
{
	enum { PREFIX = 3 }; /* "<6>" */
	char line[4096];
	size_t room = sizeof(line) - 1, n;
	int k = snprintf(line, room, "<%d>%s", (int)prio, event);

	n = (size_t)k < room ? (size_t)k : room - 1;
	if (fmt[0] != '\0') {
		line[n++] = ' ';
		k = vsnprintf(line + n, room - n, fmt, ap);
		n += (size_t)k < room - n ? (size_t)k : room - n - 1;
	}
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	if (other_writer != NULL && other_writer(prio, line + PREFIX, n - PREFIX))
		return;
	line[n++] = '\n';
	write_stderr(line, n);
}

void
log_event(enum log_prio prio, const char *event, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(prio, event, fmt, ap);
	va_end(ap);
}

struct log_text
log_text(struct str s)
{
	struct log_text out;
	size_t n = s.n < sizeof(out.z) ? s.n : sizeof(out.z) - 1;

	for (size_t i = 0; i < n; i++) {
		bool plain = s.p[i] >= 0x20 && s.p[i] < 0x7f && s.p[i] != '\\';

		out.z[i] = s.p[i] == '"' ? '\'' : plain ? s.p[i] : '?';
	}
	out.z[n] = '\0';
	return out;
}

void
panic(const char *fmt, ...)
{
	void *frames[32];
	va_list ap;

	va_start(ap, fmt);
	write_line(LOGP_ERR, "panic", fmt, ap);
	va_end(ap);
	backtrace_symbols_fd(frames, backtrace(frames, (int)COUNT(frames)), STDERR_FILENO);
	abort();
}
