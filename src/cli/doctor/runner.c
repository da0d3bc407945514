/* SPDX-License-Identifier: ISC */
/* Can this host start browsers? Checks the state that the dispatcher writes to its row, and runs
   the runner's host check. The check starts like a session: the service manager starts it through
   its socket, with the restrictions of the unit, because a check without them would prove nothing.
   Without a service manager doctor starts it as the runners' user. */
#include "config.h"

#include "cli/doctor/doctor.h"
#include "cli/process.h"
#include "daemon/conf.h"
#include "daemon/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { STALE_US = 30000000, ANSWER_S = 75, ANSWER_MAX = 65536 };

/* Adds a finding for a line "missing REQUIREMENT: ADVICE", or for any other failure. */
static void
add_missing(struct doctor *d, const char *check, const char *before, struct str text)
{
	const char *colon =
	    str_starts(text, STR("missing ")) ? memmem(text.p, text.n, ": ", 2) : NULL;
	struct str what = { text.p, colon == NULL ? text.n : (size_t)(colon - text.p) };
	const char *advice = "mend it: it looks again by itself";

	if (colon != NULL)
		advice = PRINTED(d, "%.*s", (int)(text.n - what.n - 2), colon + 2);
	doctor_report(d, HEALTH_FAILED, check, DO_WITH(AS_SAID, advice), "%s%.*s", before,
	    (int)what.n, what.p);
}

/* ---- the dispatcher's row in the database ---- */

struct known {
	struct str fault;
	struct ts heartbeat_at;
	int64_t slots;
};

static const struct field known_out[] = {
	FIELD(struct known, fault, NULLABLE),
	FIELD(struct known, heartbeat_at, 0),
	FIELD(struct known, slots, 0),
	FIELD_END,
};

STMT(read_host, known_out, "SELECT fault, heartbeat_at, slots FROM browser_host WHERE name = $1");

/* Adds findings from the row; true: the row is recent. */
static bool
add_host_findings(struct doctor *d, enum db_rc rc, const struct known *k)
{
	if (rc == DB_NONE)
		doctor_report(d, HEALTH_FAILED, "host", DO_WITH(START, "surfaced-dispatch"),
		    "the database does not know this host");
	else if (ts_now().us - k->heartbeat_at.us > STALE_US)
		doctor_report(d, HEALTH_FAILED, "host", DO_WITH(RESTART, "surfaced-dispatch"),
		    "has not been heard of for half a minute");
	else if (k->fault.p != NULL)
		add_missing(d, "host", "takes no sessions: ", k->fault);
	else
		doctor_report(d, HEALTH_OK, "host", NO_ADVICE, "takes %" PRId64 " sessions at once",
		    k->slots);
	return rc == DB_OK && ts_now().us - k->heartbeat_at.us <= STALE_US;
}

/* The state that this host's dispatcher writes to its row of browser_host is better evidence than
   any check from here: it is the dispatcher that decides whether sessions are taken. The row counts
   when its heartbeat is at most STALE_US old. host_name() depends on the configuration of the
   dispatcher, which may differ from that of surfacectl; conf is exchanged for the call, as the
   functions of a daemon read the global one. */
bool
doctor_dispatcher(struct doctor *d)
{
	struct conf own = conf;
	struct known k = { 0 };
	struct str name;
	enum db_rc rc;

	conf = *doctor_conf(d, PROGRAM_DISPATCH); /* the socket's name depends on run_directory */
	name = host_name();
	conf = own;
	rc = db_one(d->c->db, &read_host, &k, P(name));
	if (rc == DB_OK || rc == DB_NONE)
		return add_host_findings(d, rc, &k);
	doctor_report(d, HEALTH_FAILED, "database", DO(ASK_DOCTOR), "%s", db_message(d->c->db));
	return false;
}

/* ---- the runner's host check ---- */

struct answer {
	bool good;
	struct str said;
};

static const struct field answer_in[] = {
	FIELD(struct answer, good, REQUIRED),
	TEXT(struct answer, said, REQUIRED, 0, ANSWER_MAX),
	FIELD_END,
};

/* Connects to the service manager's socket; -1 with errno. */
static int
connect_manager(const char *path)
{
	const struct timeval most = { .tv_sec = ANSWER_S };
	int fd = fd_connect(path, SOCK_SEQPACKET);

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

/* Asks a runner for its host check. The socket keeps the boundaries of messages (SOCK_SEQPACKET),
   and each connection starts one runner:

     doctor -> "check"                            runner -> "checked {"good":true,"said":"ok ...\nok ...\n"}"

   The check starts a browser, so the answer may take many seconds; ANSWER_S bounds the wait. No
   answer, or an answer in another form, leaves *out as it was: not good. */
static void
run_check_by_manager(struct doctor *d, int fd, struct answer *out)
{
	static const char word[] = "check", name[] = "checked ";
	char *room = arena_alloc(d->c->arena, ANSWER_MAX);
	struct decoded how = { 0 };
	struct str text = { room, 0 };
	ssize_t n = send(fd, word, sizeof(word) - 1, MSG_NOSIGNAL);

	if (n > 0)
		n = recv(fd, room, ANSWER_MAX, 0);
	text.n = n > 0 ? (size_t)n : 0;
	close(fd);
	if (!str_starts(text, str_of(name)))
		return;
	text = (struct str){ text.p + sizeof(name) - 1, text.n - sizeof(name) + 1 };
	if (json_decode(d->c->arena, text, answer_in, ts_now(), out, &how) != JSON_OK)
		*out = (struct answer){ 0 };
}

/* Becomes the runners' user, since a browser never runs as root. */
static int
exec_host_check(const void *arg, int out)
{
	const struct conf *k = arg;
	const char *user = k->runner_user[0] != '\0' ? k->runner_user : k->user;

	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    (geteuid() == 0 && user[0] != '\0' && !process_become(user)))
		return PROCESS_ABSENT;
	execl(k->runner, k->runner, "-t", "-c", k->runner_conf, (char *)NULL);
	dprintf(out, "missing runner: %s: %s\n", k->runner, strerror(errno));
	return PROCESS_ABSENT;
}

static void
run_host_check(struct doctor *d, struct answer *out)
{
	struct buf b = { .a = d->c->arena };

	out->good =
	    process_call(exec_host_check, doctor_conf(d, PROGRAM_DISPATCH), &b, ANSWER_MAX) == 0;
	out->said = buf_done(&b);
}

/* Adds a finding for each line "ok REQUIREMENT" or "missing REQUIREMENT: ADVICE". */
static void
add_check_lines(struct doctor *d, struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		if (str_starts(line, STR("ok ")))
			doctor_report(d, HEALTH_OK, "browser", NO_ADVICE, "%.*s", (int)line.n - 3,
			    line.p + 3);
		else if (str_starts(line, STR("missing ")))
			add_missing(d, "browser", "", line);
	}
}

void
doctor_runner(struct doctor *d)
{
	const struct conf *k = doctor_conf(d, PROGRAM_DISPATCH);
	const char *path = PRINTED(d, "%s/runner.sock", k->run_directory);
	struct answer answer = { 0 };
	int fd = connect_manager(path);

	if (fd < 0 && errno != ENOENT) {
		doctor_report(d, errno == EACCES ? HEALTH_WARNING : HEALTH_FAILED, "runner",
		    errno == EACCES ? DO(AS_ROOT) : DO_WITH(RESTART, "surfaced-runner.socket"),
		    "%s: %s", path, strerror(errno));
		return;
	}
	if (fd >= 0)
		run_check_by_manager(d, fd, &answer);
	else
		run_host_check(d, &answer);
	add_check_lines(d, answer.said);
	if (answer.good)
		doctor_report(d, HEALTH_OK, "runner", NO_ADVICE, "%s: its dry run is good",
		    fd >= 0 ? path : k->runner);
	else
		doctor_report(d, HEALTH_FAILED, "runner",
		    fd >= 0 ? DO(READ_RUNNER) : DO_WITH(RUN_RUNNER, k->runner, k->runner_conf),
		    "%s: its dry run fails", fd >= 0 ? path : k->runner);
	if (!answer.good)
		doctor_cause(d, "browser", NULL);
}
