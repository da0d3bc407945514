/* SPDX-License-Identifier: ISC */
/* A worker of the daemon skeleton that fails on demand, as no real worker does. The answer has the parameters of
   the request as lines, then its body.
     /die    dies before it answers     /stuck  never answers     /slow  answers when R/go is there
     /half   dies after its headers     /quit   answers and ends */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* All but the streams', as surfaced. */
static bool
is_ours(const struct pool *p)
{
	return strcmp(p->name, POOL_STREAM) != 0;
}

static bool
read_pools(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	return pools_read(conf.upstreams, is_ours, out, n, err, room);
}

static bool
asked(const FCGX_Request *rq, const char *what)
{
	const char *uri = FCGX_GetParam("REQUEST_URI", rq->envp);

	return uri != NULL && strstr(uri, what) != NULL;
}

static void
answer(const struct pool *pool, FCGX_Request *rq)
{
	const char *id = FCGX_GetParam("REQUEST_ID", rq->envp);
	char room[16384];
	int n;

	FCGX_FPrintF(rq->out,
	    "Status: 200 OK\r\nContent-Type: text/plain\r\nX-Request-Id: %s\r\n\r\n",
	    id == NULL ? "-" : id);
	if (asked(rq, "/half")) {
		FCGX_FFlush(rq->out);
		_exit(3);
	}
	FCGX_FPrintF(rq->out, "pool=%s\npid=%d\n", pool->name, (int)getpid());
	for (char **e = rq->envp; *e != NULL; e++)
		FCGX_FPrintF(rq->out, "%s\n", *e);
	FCGX_FPrintF(rq->out, "\n");
	while ((n = FCGX_GetStr(room, sizeof(room), rq->in)) > 0)
		FCGX_PutStr(room, n, rq->out);
}

static void
serve(const struct pool *pool, FCGX_Request *rq)
{
	struct timespec slow = { .tv_nsec = 20000000 };
	char go[128];

	if (asked(rq, "/die"))
		kill(getpid(), SIGKILL);
	while (asked(rq, "/stuck"))
		pause();
	snprintf(go, sizeof(go), "%s/go", conf.run_directory);
	while (asked(rq, "/slow") && access(go, F_OK) != 0)
		nanosleep(&slow, NULL);
	answer(pool, rq);
	FCGX_Finish_r(rq);
}

static void
work(const struct pool *pool, int listener)
{
	FCGX_Request rq;

	if (getenv("ECHO_FAIL") != NULL)
		_exit(9);
	FCGX_Init();
	FCGX_InitRequest(&rq, listener, FCGI_FAIL_ACCEPT_ON_INTR);
	for (int64_t n = 0; n < conf.worker_requests && daemon_wait(listener, -1); n++) {
		daemon_slot()->busy_since = mono_us();
		if (FCGX_Accept_r(&rq) >= 0) {
			bool last = asked(&rq, "/quit");

			serve(pool, &rq);
			daemon_slot()->served++;
			if (last)
				break;
		}
		daemon_slot()->busy_since = 0;
	}
	FCGX_Free(&rq, 1);
}

int
main(int argc, char **argv)
{
	static const struct daemon echo = { .name = "surfaced", .pools = read_pools, .work = work };

	return daemon_main(argc, argv, &echo);
}
