/* SPDX-License-Identifier: ISC */
/* Finds in /proc when nginx loaded its configuration: a reload starts new workers, so the oldest
   worker that still accepts requests started with the present configuration. */
#include "config.h"

#include "cli/nginx_priv.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICKS = 2 };

static bool
read_small(const char *path, char *text, size_t room)
{
	FILE *in = fopen(path, "re");
	size_t n;

	if (in == NULL)
		return false;
	n = fread(text, 1, room - 1, in);
	text[n] = '\0';
	fclose(in);
	return n > 0;
}

static int
read_pid(struct arena *a, struct str file)
{
	char text[32] = "";
	int64_t pid = 0;

	if (!read_small(
		file.p == NULL ? "/run/nginx.pid" : arena_str(a, file).p, text, sizeof(text)) ||
	    !str_int64(str_trim(str_of(text)), &pid))
		return 0;
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? (int)pid : 0;
}

/* The field `wanted` of /proc/PID/stat, counted as in proc(5); text points to the end of field
   2. */
static int64_t
stat_number(const char *text, int wanted)
{
	const char *p = text;
	int64_t n = 0;

	for (int at = 2; at < wanted && p != NULL; at++)
		p = strchr(p + 1, ' ');
	if (p == NULL || !str_int64((struct str){ p + 1, strcspn(p + 1, " \n") }, &n))
		return 0;
	return n;
}

/* The start of a worker in ticks since boot; 0: pid is not a worker of this master, or is shutting
   down. */
static int64_t
worker_start(const char *pid, int master)
{
	enum { PARENT = 4, START = 22 };
	char path[64], text[1024];
	const char *name_end;
	int64_t start;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (!read_small(path, text, sizeof(text)) || (name_end = strrchr(text, ')')) == NULL ||
	    stat_number(name_end, PARENT) != master)
		return 0;
	start = stat_number(name_end, START);
	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	if (!read_small(path, text, sizeof(text)) || strstr(text, "worker process") == NULL ||
	    strstr(text, "shutting down") != NULL)
		return 0;
	return start;
}

static struct ts
ticks_to_time(int64_t ticks)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (struct ts){ ts_now().us - boot.tv_sec * 1000000 - boot.tv_nsec / 1000 +
			    ticks * 1000000 / sysconf(_SC_CLK_TCK) };
}

/* The start of the oldest worker: a worker that replaced a crashed one started after the
   configuration was loaded.

     reload at 12:00      workers of 12:00, and old ones with the title "worker process is shutting down"
     crash at 13:00       one worker of 13:00, the others of 12:00
     answer               12:00

   nginx has no interface for this question. Times of /proc are in ticks since boot, so nginx_missed
   allows two ticks before it calls a file newer. A file that was edited and not yet loaded is
   found; a reload that failed is found as well, since its workers never started. */
static struct ts
find_loaded(int master)
{
	DIR *dir = opendir("/proc");
	int64_t oldest = 0;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		int64_t start = e->d_name[0] >= '1' && e->d_name[0] <= '9'
				    ? worker_start(e->d_name, master)
				    : 0;

		if (start > 0 && (oldest == 0 || start < oldest))
			oldest = start;
	}
	if (dir != NULL)
		closedir(dir);
	return oldest == 0 ? TS_NULL : ticks_to_time(oldest);
}

bool
nginx_missed(const struct nginx *n, const char *path)
{
	int64_t tick = 1000000 / sysconf(_SC_CLK_TCK);
	struct stat st;

	if (ts_is_null(n->loaded) || stat(path, &st) != 0)
		return false;
	return (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 >
	       n->loaded.us + TICKS * tick;
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
