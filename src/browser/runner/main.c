/* SPDX-License-Identifier: ISC */
/* surfaced-runner: one browser session. The dispatcher starts it; it outlives the dispatcher. */
#include "config.h"

#include "browser/runner/ready.h"
#include "browser/runner/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTBOX_MAX = 32 * 1024 * 1024 };

struct options {
	const char *file; /* NULL: the default's place, if there is one */
	bool test, version;
	struct uuid session;
	int64_t epoch;
};

static int
usage(void)
{
	fprintf(stderr, "usage: surfaced-runner [-V] [-c file] -t\n"
			"       surfaced-runner [-c file] session epoch\n");
	return 2;
}

static bool
read_options(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "c:tV")) != -1)
		switch (c) {
		case 'c':
			o->file = optarg;
			break;
		case 't':
			o->test = true;
			break;
		case 'V':
			o->version = true;
			break;
		default: /* getopt has said what is wrong */
			return false;
		}
	if (o->test || o->version)
		return optind == argc;
	return argc - optind == 2 && uuid_parse(str_of(argv[optind]), &o->session) &&
	       str_int64(str_of(argv[optind + 1]), &o->epoch) && o->epoch >= 0;
}

/* What a service manager stops: the session fails, and its browser goes at once. */
static void
on_signal(evutil_socket_t number, short what, void *arg)
{
	(void)what;
	runner_fail(arg, "stopped by signal %d", (int)number);
}

static struct event *
watch_signal(struct runner *r, int number)
{
	struct event *e = evsignal_new(r->base, number, on_signal, r);

	if (e == NULL || event_add(e, NULL) != 0)
		panic("no event");
	return e;
}

static void
serve(const struct options *o)
{
	struct runner r = { .base = event_base_new(), .keep = arena_new(1024 * 1024) };
	struct event *term, *intr;
	char err[512] = "";

	if (r.base == NULL)
		panic("no event loop");
	r.job.session = o->session;
	r.job.epoch = o->epoch;
	TAILQ_INIT(&r.tabs);
	LIST_INIT(&r.children);
	r.outbox = outbox_new(OUTBOX_MAX);
	r.network = network_new(&r);
	r.shots = shots_new(&r);
	r.cast = screencast_new(&r);
	control_new(&r);
	term = watch_signal(&r, SIGTERM);
	intr = watch_signal(&r, SIGINT);
	if (!browser_may_run(err, sizeof(err)) ||
	    !browser_version(r.version, err, sizeof(err)))
		runner_fail(&r, "%s", err);
	event_base_dispatch(r.base);

	browser_stop(&r);
	event_free(term);
	event_free(intr);
	tabs_free(&r);
	screencast_free(r.cast);
	shots_free(r.shots);
	network_free(r.network);
	control_free(r.control);
	outbox_free(r.outbox);
	profile_free(r.profile);
	event_base_free(r.base);
	arena_free(r.keep);
}

/* So that no descriptor of ours becomes one of the first three. */
static void
hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO && fcntl(fd, F_SETFD, 0) == 0);
	if (fd >= 0)
		close(fd);
}

int
main(int argc, char **argv)
{
	static const char standard[] = SYSCONFDIR "/surfaced-runner.conf";
	struct options o = { 0 };
	char err[512];

	hold_standard_descriptors();
	umask(007);
	signal(SIGPIPE, SIG_IGN);
	if (!read_options(argc, argv, &o))
		return usage();
	if (o.version)
		return printf("surfaced-runner %s\n", PACKAGE_VERSION) < 0;
	if (o.file == NULL && access(standard, F_OK) == 0)
		o.file = standard;
	if (!conf_load(o.file, err, sizeof(err))) {
		log_event(LOGP_ERR, "config", "why=\"%s\"", err);
		return 1;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (o.test)
		return ready_check();
	serve(&o);
	return 0;
}
