/* SPDX-License-Identifier: ISC */
/* Finds in /proc when nginx loaded its configuration: a reload starts new workers, so the oldest
   worker that still accepts requests started with the present configuration. */
#include "config.h"

#include "cli/nginx_priv.h"
#include "cli/proc.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static int
read_pid(struct arena *a, struct str file)
{
	char text[32] = "";
	int64_t pid = 0;

	if (!proc_read(
		file.p == NULL ? "/run/nginx.pid" : arena_str(a, file).p, text, sizeof(text)) ||
	    !str_int64(str_trim(str_of(text)), &pid))
		return 0;
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? (int)pid : 0;
}

static bool
serves(const char *pid)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	return proc_read(path, text, sizeof(text)) && strstr(text, "worker process") != NULL &&
	       strstr(text, "shutting down") == NULL;
}

/* The start of the oldest worker: a worker that replaced a crashed one started after the
   configuration was loaded.

     reload at 12:00      workers of 12:00, and old ones with the title "worker process is shutting down"
     crash at 13:00       one worker of 13:00, the others of 12:00
     answer               12:00

   nginx has no interface for this question. A file that was edited and not yet loaded is
   found; a reload that failed is found as well, since its workers never started. */
static struct ts
find_loaded(int master)
{
	return proc_oldest_child(master, serves);
}

bool
nginx_missed(const struct nginx *n, const char *path)
{
	return proc_changed_since(path, n->loaded);
}

/* Checks every file that nginx read, and the certificates, which are renewed independently. */
static void
find_stale(struct arena *a, struct nginx *n, struct str text)
{
	static const char mark[] = FILE_MARK;
	const char *at, *end;

	while (
	    n->stale.p == NULL && (at = memmem(text.p, text.n, mark, sizeof(mark) - 1)) != NULL) {
		struct str path;

		text.n -= (size_t)(at - text.p) + sizeof(mark) - 1;
		text.p = at + sizeof(mark) - 1;
		end = memchr(text.p, '\n', text.n);
		if (end == NULL || end == text.p)
			break;
		path = arena_str(a, (struct str){ text.p, (size_t)(end - text.p) - 1 });
		if (nginx_missed(n, path.p))
			n->stale = path;
	}
	for (size_t i = 0; i < n->ncerts && n->stale.p == NULL; i++)
		if (nginx_missed(n, arena_str(a, n->certs[i]).p))
			n->stale = n->certs[i];
}

void
nginx_look_at_process(struct arena *a, struct nginx *n, struct str text)
{
	n->master = read_pid(a, n->pid_file);
	n->state = n->master > 0 ? NGINX_RUNS : NGINX_STOPPED;
	if (n->master > 0)
		n->loaded = find_loaded(n->master);
	find_stale(a, n, text);
}
