/* SPDX-License-Identifier: ISC */
/* Reads /proc (proc.h). */
#include "config.h"

#include "cli/proc.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICKS = 2 };

bool
proc_read(const char *path, char *text, size_t room)
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

/* The start of a process in ticks since boot; 0: its parent is not this one. */
static int64_t
child_start(const char *pid, int parent)
{
	enum { PARENT = 4, START = 22 };
	char path[64], text[1024];
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (!proc_read(path, text, sizeof(text)) || (name_end = strrchr(text, ')')) == NULL ||
	    stat_number(name_end, PARENT) != parent)
		return 0;
	return stat_number(name_end, START);
}

static struct ts
ticks_to_time(int64_t ticks)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (struct ts){ ts_now().us - boot.tv_sec * 1000000 - boot.tv_nsec / 1000 +
			    ticks * 1000000 / sysconf(_SC_CLK_TCK) };
}

struct ts
proc_oldest_child(int master, bool (*wanted)(const char *pid))
{
	DIR *dir = opendir("/proc");
	int64_t oldest = 0;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		int64_t start =
		    e->d_name[0] >= '1' && e->d_name[0] <= '9' ? child_start(e->d_name, master) : 0;

		if (start > 0 && (oldest == 0 || start < oldest) &&
		    (wanted == NULL || wanted(e->d_name)))
			oldest = start;
	}
	if (dir != NULL)
		closedir(dir);
	return oldest == 0 ? TS_NULL : ticks_to_time(oldest);
}

bool
proc_changed_since(const char *path, struct ts start)
{
	int64_t tick = 1000000 / sysconf(_SC_CLK_TCK);
	struct stat st;

	if (ts_is_null(start) || stat(path, &st) != 0)
		return false;
	return (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000 >
	       start.us + TICKS * tick;
}
