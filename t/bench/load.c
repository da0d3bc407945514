/* SPDX-License-Identifier: ISC */
/* A load for t/bench/requests: CONNECTIONS processes send the same request over kept connections to a Unix socket for
   some milliseconds, with TLS if the last argument is "tls". Prints the requests a second; an answer whose status is
   not the wanted one is a failure. The handshakes are part of the time, one for each connection.
     t/bench/load SOCKET CONNECTIONS MILLISECONDS STATUS REQUEST-FILE [tls] */
#include "config.h"

#include <openssl/ssl.h> /* before base.h bans the word rand, which it uses for a parameter */

#include "base/base.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

struct peer {
	int fd;
	SSL *ssl; /* NULL: plain HTTP */
};

static SSL *
begin_tls(int fd)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	SSL *ssl = ctx == NULL ? NULL : SSL_new(ctx);

	if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 ||
	    SSL_set_tlsext_host_name(ssl, "localhost") != 1 || SSL_connect(ssl) != 1)
		panic("no TLS");
	SSL_CTX_free(ctx); /* ssl keeps its own reference */
	return ssl;
}

static struct peer
connect_to(const char *path, bool tls)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct peer p = { .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (p.fd < 0 || connect(p.fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
		panic("connect to %s failed", path);
	if (tls)
		p.ssl = begin_tls(p.fd);
	return p;
}

static ssize_t
send_bytes(struct peer *p, struct str s)
{
	return p->ssl == NULL ? write(p->fd, s.p, s.n) : SSL_write(p->ssl, s.p, (int)s.n);
}

static ssize_t
read_bytes(struct peer *p, char *to, size_t n)
{
	return p->ssl == NULL ? read(p->fd, to, n) : SSL_read(p->ssl, to, (int)n);
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
exchange(struct peer *p, struct str request, const char *status, char *buf)
{
	size_t n = 0, want = 0;

	if (send_bytes(p, request) != (ssize_t)request.n)
		panic("the request was not written");
	while (want == 0 || n < want) {
		ssize_t got = read_bytes(p, buf + n, ROOM - n);

		if (got <= 0)
			panic("the connection ended");
		n += (size_t)got;
		if (want == 0)
			want = answer_size(buf, n);
	}
	if (n < 12 || memcmp(buf + 9, status, 3) != 0)
		panic("an answer that is not %s: %.600s", status, buf);
}

struct load {
	const char *path, *status;
	struct str request;
	bool tls;
	int64_t until;
	_Atomic uint64_t *count;
};

static void
run(const struct load *l)
{
	char *buf = mem_zero(ROOM + 1);
	struct peer p = connect_to(l->path, l->tls);

	/* One request at least, since a loaded machine may start this process when the time is over. */
	do {
		exchange(&p, l->request, l->status, buf);
		atomic_fetch_add(l->count, 1);
	} while (mono_us() < l->until);
	SSL_free(p.ssl);
	close(p.fd);
	free(buf);
}

int
main(int argc, char **argv)
{
	static char request[65536];
	struct load l = { 0 };
	int64_t began;
	double rate;
	int status, bad = 0, in;
	ssize_t n;

	if (argc < 6 || argc > 7)
		panic("usage: load SOCKET CONNECTIONS MILLISECONDS STATUS REQUEST-FILE [tls]");
	in = open(argv[5], O_RDONLY | O_CLOEXEC);
	n = in < 0 ? -1 : read(in, request, sizeof(request));
	l.count =
	    mmap(NULL, sizeof(*l.count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n <= 0 || l.count == MAP_FAILED)
		panic("no request, or no memory");
	began = mono_us();
	l.path = argv[1];
	l.status = argv[4];
	l.request = (struct str){ request, (size_t)n };
	l.tls = argc > 6 && strcmp(argv[6], "tls") == 0;
	l.until = began + strtol(argv[3], NULL, 10) * 1000;
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		if (fork() == 0) {
			run(&l);
			_exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	rate = (double)atomic_load(l.count) * 1e6 / (double)(mono_us() - began);
	printf("%.*f\n", rate < 10 ? 2 : 0, rate);
	return bad != 0;
}
