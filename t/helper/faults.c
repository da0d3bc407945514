/* SPDX-License-Identifier: ISC */
/* Preloaded into a worker: the nth call of a kind fails, counted from the moment a request is accepted.
   The file that FAULTS names is a struct control, which t/helper/faults.py sets and reads. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json_tokener.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
	NONE,
	MALLOC_FAILS,
	READ_FAILS,
	READ_ENDS,
	READ_INTERRUPTED,
	READ_SHORT, /* this call and all after it: a byte each */
	WRITE_FAILS,
	WRITE_INTERRUPTED,
	WRITE_SHORT, /* likewise */
	JSON_REFUSED,
};

struct control {
	_Atomic int32_t kind, left, fired;
};

/* While the file that STOP_CHILDREN names exists, a new child stops itself before it does anything: a
   test then has all the time it needs. */
pid_t
fork(void)
{
	const char *path = getenv("STOP_CHILDREN");
	pid_t pid = _Fork();

	if (pid == 0 && path != NULL && access(path, F_OK) == 0)
		raise(SIGSTOP);
	return pid;
}

/* glibc's own names, which need no lookup that allocates. NOLINTBEGIN(cert-dcl51-cpp) */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
/* NOLINTEND(cert-dcl51-cpp) */

static struct control *control;
static int serving;

static void
open_control(void)
{
	const char *path = getenv("FAULTS");
	int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
	void *p;

	if (fd < 0)
		return;
	p = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	control = p == MAP_FAILED ? NULL : p;
}

/* Whether this is the call. */
static int
now(enum kind kind)
{
	if (!serving || control == NULL || atomic_load(&control->kind) != (int32_t)kind)
		return 0;
	if (atomic_fetch_sub(&control->left, 1) != 1)
		return 0;
	atomic_store(&control->fired, 1);
	return 1;
}

/* Whether this is the call or one behind it. */
static int
from_now_on(enum kind kind)
{
	if (!serving || control == NULL || atomic_load(&control->kind) != (int32_t)kind)
		return 0;
	if (atomic_fetch_sub(&control->left, 1) > 1)
		return 0;
	atomic_store(&control->fired, 1);
	return 1;
}

static ssize_t
fails(int why)
{
	errno = why;
	return -1;
}

/* As the network does it: for good. */
static ssize_t
breaks(int fd, int why)
{
	shutdown(fd, SHUT_RDWR);
	return why == 0 ? 0 : fails(why);
}

/* ---- a worker accepts the connection of a new request ---- */

int
accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict n, int flags)
{
	int got;

	if (control == NULL)
		open_control();
	serving = 0;
	got = (int)syscall(SYS_accept4, fd, address.__sockaddr__, n, flags);
	serving = got >= 0;
	return got;
}

/* ---- memory ---- */

void *
malloc(size_t n)
{
	if (now(MALLOC_FAILS)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	if (now(MALLOC_FAILS)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	if (now(MALLOC_FAILS)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(p, n);
}

/* ---- json-c, which then gets another text ---- */

struct json_object *
json_tokener_parse_ex(struct json_tokener *t, const char *text, int n)
{
	struct json_object *(*parse)(struct json_tokener *, const char *, int);
	void *symbol = dlsym(RTLD_NEXT, "json_tokener_parse_ex");

	memcpy(&parse, &symbol, sizeof(parse));
	return now(JSON_REFUSED) ? parse(t, "{?", 2) : parse(t, text, n);
}

/* ---- descriptors: only sockets, which the network makes fail ---- */

static int
is_socket(int fd)
{
	int type;
	socklen_t n = sizeof(type);

	return serving && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0;
}

/* -2: go on, with *n bytes. */
static ssize_t
before_read(int fd, size_t *n)
{
	if (!is_socket(fd))
		return -2;
	if (now(READ_FAILS))
		return breaks(fd, ECONNRESET);
	if (now(READ_INTERRUPTED))
		return fails(EINTR);
	if (now(READ_ENDS))
		return breaks(fd, 0);
	if (from_now_on(READ_SHORT) && *n > 1)
		*n = 1;
	return -2;
}

static ssize_t
before_write(int fd, size_t *n)
{
	if (!is_socket(fd))
		return -2;
	if (now(WRITE_FAILS))
		return breaks(fd, EPIPE);
	if (now(WRITE_INTERRUPTED))
		return fails(EINTR);
	if (from_now_on(WRITE_SHORT) && *n > 1)
		*n = 1;
	return -2;
}

ssize_t
read(int fd, void *p, size_t n)
{
	ssize_t k = before_read(fd, &n);

	return k != -2 ? k : syscall(SYS_read, fd, p, n);
}

ssize_t
recv(int fd, void *p, size_t n, int flags)
{
	ssize_t k = before_read(fd, &n);

	return k != -2 ? k : syscall(SYS_recvfrom, fd, p, n, flags, NULL, NULL);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t k = before_write(fd, &n);

	return k != -2 ? k : syscall(SYS_write, fd, p, n);
}

/* As much as write would send: the first part that is not empty, cut like a write. */
ssize_t
writev(int fd, const struct iovec *parts, int count)
{
	size_t whole = 0, n;
	ssize_t k;

	for (int i = 0; i < count; i++)
		whole += parts[i].iov_len;
	n = whole;
	k = before_write(fd, &n);
	if (k != -2)
		return k;
	if (n == whole)
		return syscall(SYS_writev, fd, parts, count);
	while (parts->iov_len == 0)
		parts++;
	return syscall(SYS_write, fd, parts->iov_base, n);
}

ssize_t
send(int fd, const void *p, size_t n, int flags)
{
	ssize_t k = before_write(fd, &n);

	return k != -2 ? k : syscall(SYS_sendto, fd, p, n, flags, NULL, 0);
}

/* The machine's clock is synchronised as soon as the file that FAULTS_CLOCK names exists. */
int
adjtimex(struct timex *t)
{
	const char *path = getenv("FAULTS_CLOCK");
	bool synchronised = path == NULL || access(path, F_OK) == 0;

	memset(t, 0, sizeof(*t));
	t->status = synchronised ? 0 : STA_UNSYNC;
	return synchronised ? TIME_OK : TIME_ERROR;
}
