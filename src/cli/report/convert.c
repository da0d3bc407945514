/* SPDX-License-Identifier: ISC */
/* HTML and PDF as text. Both are languages for hostile documents, so their parsers run in a process
 * that can do nothing but read its input and write its output:
 *
 *   surfacectl --pipe--> bwrap --> surfaced-text html          libgumbo
 *       ^                      or  pdftotext -raw -bbox - -    poppler
 *       +------pipe------------------+
 *
 * The sandbox has no network, no process but its own, no user, and of the file system only
 * libraries and the program. Its memory and its processor time are limited by rlimits, its time and
 * its output by surfacectl, which kills it. A document that breaks a limit is one bad record. */
#include "config.h"

#include "cli/report/convert.h"
#include "cli/report/pdf_text.h"
#include "cli/report/sandbox.h"

#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEBIBYTE ((size_t)1 << 20)
#define PDFTOTEXT "/usr/bin/pdftotext"

/* pdftotext writes the place of each word, too: this many bytes for one of text. */
enum { PLACES = 16 };

static const char too_large[] = "its text is larger than text_output";

struct child {
	pid_t pid;
	int in, out;     /* the pipes; -1: closed */
	struct str rest; /* of the input */
	struct buf text;
	int64_t deadline;
	size_t most;       /* bytes of its output */
	const char *fault; /* NULL: none */
};

/* ---- the child's side ---- */

static void
limit_child(void)
{
	const rlim_t memory = (rlim_t)conf.text_memory * MEBIBYTE,
		     seconds = (rlim_t)conf.text_seconds;
	const struct {
		int resource;
		struct rlimit limit;
	} limits[] = {
		{ RLIMIT_AS, { memory, memory } }, { RLIMIT_CPU, { seconds, seconds + 1 } },
		{ RLIMIT_CORE, { 0, 0 } }, { RLIMIT_FSIZE, { 0, 0 } }, /* pipes are no files */
	};

	for (size_t i = 0; i < COUNT(limits); i++)
		if (setrlimit((__rlimit_resource_t)limits[i].resource, &limits[i].limit) != 0)
			_exit(127);
}

static const char *
html_program(void)
{
	return conf.text_program[0] != '\0' ? conf.text_program : PKGLIBEXECDIR "/surfaced-text";
}

/* Never returns. */
static void
exec_child(bool pdf, int filter)
{
	static const char *const pdf_words[] = { "-q", "-enc", "UTF-8", "-raw", "-bbox", "-", "-",
		NULL };
	static const char *const html_words[] = { NULL };

	sandbox_exec(pdf ? PDFTOTEXT : html_program(), pdf ? pdf_words : html_words, filter);
	_exit(127);
}

static bool
start_child(struct child *c, bool pdf, int filter)
{
	int in[2], out[2] = { -1, -1 }, null;

	if (pipe2(in, O_CLOEXEC) != 0)
		return false;
	if (pipe2(out, O_CLOEXEC) != 0) {
		close(in[0]);
		close(in[1]);
		return false;
	}
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (null < 0 || dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
		    dup2(null, STDERR_FILENO) < 0)
			_exit(127);
		limit_child();
		exec_child(pdf, filter);
	}
	close(in[0]);
	close(out[1]);
	c->in = in[1];
	c->out = out[0];
	return c->pid > 0 && fcntl(c->in, F_SETFL, O_NONBLOCK) == 0;
}

/* ---- the parent's side ---- */

static void
send_some(struct child *c)
{
	ssize_t n = write(c->in, c->rest.p, c->rest.n);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->rest = (struct str){ c->rest.p + n, c->rest.n - (size_t)n };
	if (n <= 0 || c->rest.n == 0) { /* the child may end before it has read everything */
		close(c->in);
		c->in = -1;
	}
}

static void
receive_some(struct child *c)
{
	char part[65536];
	ssize_t n = read(c->out, part, sizeof(part));

	if (n < 0 && errno == EINTR)
		return;
	if (n > 0)
		buf_add(&c->text, part, (size_t)n);
	if (c->text.n > c->most)
		c->fault = too_large;
	if (n <= 0) {
		close(c->out);
		c->out = -1;
	}
}

static void
exchange(struct child *c)
{
	while (c->out >= 0 && c->fault == NULL) {
		struct pollfd fds[] = { { c->out, POLLIN, 0 }, { c->in, POLLOUT, 0 } };
		int64_t left = c->deadline - mono_us();

		if (left <= 0) {
			c->fault = "its conversion takes longer than text_seconds";
			return;
		}
		if (poll(fds, COUNT(fds), (int)(left / 1000) + 1) < 0 && errno != EINTR)
			panic("poll: %s", strerror(errno));
		if (fds[1].revents != 0 && c->in >= 0)
			send_some(c);
		if (fds[0].revents != 0)
			receive_some(c);
	}
}

/* --die-with-parent ends the sandbox with bwrap. */
static void
end_child(struct child *c)
{
	int status = 0;

	if (c->fault != NULL)
		kill(c->pid, SIGKILL);
	fd_close(c->in);
	fd_close(c->out);
	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			panic("waitpid: %s", strerror(errno));
	if (c->fault == NULL && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		c->fault = WIFEXITED(status) && WEXITSTATUS(status) == 127
			       ? "its converter cannot be executed; bubblewrap is needed"
			       : "it cannot be converted to text";
}

static void
convert(struct report_reading *r, bool pdf)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct child c = { .in = -1,
		.out = -1,
		.rest = r->text,
		.text = { .a = r->a },
		.most = (size_t)conf.text_output * MEBIBYTE * (pdf ? PLACES : 1),
		.deadline = mono_us() + conf.text_seconds * SECOND_US };
	struct str text;
	int filter = sandbox_filter();

	if (pdf && access(PDFTOTEXT, X_OK) != 0)
		c.fault = PDFTOTEXT " is needed; install poppler-utils";
	else if (!pdf && access(html_program(), X_OK) != 0)
		c.fault = "the program of text_program cannot be executed";
	else if (filter < 0 || !start_child(&c, pdf, filter))
		c.fault = "its converter cannot be started";
	else {
		exchange(&c);
		end_child(&c);
	}
	fd_close(filter);
	signal(SIGPIPE, before);
	text = buf_done(&c.text);
	if (pdf && c.fault == NULL)
		text = pdf_text(r->a, text);
	if (text.n > (size_t)conf.text_output * MEBIBYTE && c.fault == NULL)
		c.fault = too_large;
	if (c.fault != NULL)
		r->fault = str_of(c.fault);
	else
		report_read_prose(r, pdf ? "pdf" : "html", text);
}

void
report_read_html(struct report_reading *r)
{
	convert(r, false);
}

void
report_read_pdf(struct report_reading *r)
{
	convert(r, true);
}
