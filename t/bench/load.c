/* SPDX-License-Identifier: ISC */
/* A load for t/bench/requests: CONNECTIONS processes send the same request over kept connections to a Unix socket for
   some milliseconds. Prints the requests a second; an answer whose status is not the wanted one is a failure.
     t/bench/load SOCKET CONNECTIONS MILLISECONDS STATUS REQUEST-FILE */
#include "config.h"

#include "base/base.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

static int
connect_to(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
		panic("connect to %s failed", path);
	return fd;
}

/* Bytes of the whole answer; 0: the head is not complete. */
static size_t
answer_size(const char *at, size_t n)
{
	const char *end = memmem(at, n, "\r\n\r\n", 4), *length;

	if (end == NULL)
		return 0;
	length = memmem(at, (size_t)(end - at), "Content-Length: ", 16);
	if (length == NULL)
		panic("an answer without Content-Length: %.200s", at);
	return (size_t)(end + 4 - at) + strtoul(length + 16, NULL, 10);
}

static void
exchange(int fd, struct str request, const char *status, char *buf)
{
	size_t n = 0, want = 0;

	if (write(fd, request.p, request.n) != (ssize_t)request.n)
		panic("the request was not written");
	while (want == 0 || n < want) {
		ssize_t got = read(fd, buf + n, ROOM - n);

		if (got <= 0)
			panic("the connection ended");
		n += (size_t)got;
		if (want == 0)
			want = answer_size(buf, n);
	}
	if (n < 12 || memcmp(buf + 9, status, 3) != 0)
		panic("an answer that is not %s: %.600s", status, buf);
}

static void
run(const char *path, struct str request, const char *status, int64_t until,
    _Atomic uint64_t *count)
{
	char *buf = mem_zero(ROOM + 1);
	int fd = connect_to(path);

	while (mono_us() < until) {
		exchange(fd, request, status, buf);
		atomic_fetch_add(count, 1);
	}
	close(fd);
	free(buf);
}

int
main(int argc, char **argv)
{
	static char request[65536];
	_Atomic uint64_t *count;
	int64_t began, ms;
	int status, bad = 0, in;
	ssize_t n;

	if (argc != 6)
		panic("usage: load SOCKET CONNECTIONS MILLISECONDS STATUS REQUEST-FILE");
	in = open(argv[5], O_RDONLY | O_CLOEXEC);
	n = in < 0 ? -1 : read(in, request, sizeof(request));
	count =
	    mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n <= 0 || count == MAP_FAILED)
		panic("no request, or no memory");
	ms = strtol(argv[3], NULL, 10);
	began = mono_us();
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		if (fork() == 0) {
			run(argv[1], (struct str){ request, (size_t)n }, argv[4], began + ms * 1000,
			    count);
			_exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	printf("%.0f\n", (double)atomic_load(count) * 1e6 / (double)(mono_us() - began));
	return bad != 0;
}
