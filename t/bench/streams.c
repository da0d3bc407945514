/* SPDX-License-Identifier: ISC */
/* Both ends of t/bench/stream.
   streams echo raw|http|bytes SOCKET: what answers; raw: frames from the start, http: after an upgrade, bytes:
   no frames at all.
   streams load SOCKET IDLE BUSY SECONDS SIZE PAUSE-MS: opens IDLE + BUSY streams, one for each line "TARGET
   SUBPROTOCOL" of stdin (- : no upgrade, - : no subprotocol), prints "open"; each line more of stdin starts a
   run: BUSY streams send a message of SIZE, get it back, pause, and so on. Prints bytes each way, messages,
   and the round trip's p50 and p99 in us. */
#include "config.h"

#include "wire/ws.h"

#include <errno.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { STUCK_US = 10000000, ROOM = 1 << 17, EVENTS = 512, SAMPLES = 1 << 22 };

struct peer {
	int fd;
	bool open; /* frames from now on */
	struct ws_reader reader;
	char head[8192];
	size_t head_n;
	unsigned char *out;
	size_t at, end;           /* of out, unsent */
	uint64_t got;             /* of the message under way */
	int64_t sent, not_before; /* us */
};

static const struct ws_rules of_client = { .masked = true, .frame_max = INT64_MAX };
static const struct ws_rules of_server = { .frame_max = INT64_MAX };
static unsigned char room[ROOM];
static int epoll;

_Noreturn static void
die(const char *what)
{
	fprintf(stderr, "streams: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct sockaddr_un
address(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return a;
}

static struct peer *
watch(int fd, bool open, const struct ws_rules *rules)
{
	struct peer *p = calloc(1, sizeof(*p));
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = p };

	if (p == NULL || fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		die("watch");
	p->fd = fd;
	p->open = open;
	ws_start(&p->reader, rules);
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0)
		die("epoll_ctl");
	return p;
}

static void
flush(struct peer *p)
{
	while (p->at < p->end) {
		ssize_t n = send(p->fd, p->out + p->at, p->end - p->at, MSG_NOSIGNAL);

		if (n < 0)
			return;
		p->at += (size_t)n;
	}
	p->at = p->end = 0;
}

static void
put(struct peer *p, const void *bytes, size_t n)
{
	p->out = realloc(p->out, p->end + n);
	if (p->out == NULL)
		die("memory");
	memcpy(p->out + p->end, bytes, n);
	p->end += n;
}

/* ---- echo ---- */

static void
answer_upgrade(struct peer *p)
{
	static const char yes[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
				  "Connection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n";

	put(p, yes, sizeof(yes) - 1);
	p->open = true;
}

static void
echo_frames(struct peer *p, unsigned char *bytes, size_t n)
{
	unsigned char head[WS_HEAD_MAX];
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(&p->reader, bytes, n, &used);
		bytes += used;
		n -= used;
		if (e == WS_HEAD)
			put(p, head,
			    ws_head(head, WS_FIN | WS_BINARY, p->reader.frame.length, NULL));
		if (e == WS_PIECE) /* masked as they are: nobody looks */
			put(p, p->reader.piece, p->reader.piece_n);
	} while (e != WS_MORE && e != WS_BAD);
}

static void
echo_read(struct peer *p, const char *mode)
{
	ssize_t n = -1;

	while (p->end < ROOM && (n = read(p->fd, room, ROOM)) > 0) {
		if (strcmp(mode, "bytes") == 0)
			put(p, room, (size_t)n);
		else if (p->open)
			echo_frames(p, room, (size_t)n);
		else if (memmem(room, (size_t)n, "\r\n\r\n", 4) != NULL)
			answer_upgrade(p);
		flush(p);
	}
	if (p->end < ROOM && n == 0) {
		close(p->fd);
		free(p->out);
		free(p);
	}
}

static int
echo(const char *mode, const char *path)
{
	struct sockaddr_un a = address(path);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct epoll_event events[EVENTS], e = { .events = EPOLLIN };

	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(listener, 4096) != 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e) != 0)
		die(path);
	for (;;) {
		int n = epoll_wait(epoll, events, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			struct peer *p = events[i].data.ptr;

			if (p == NULL) {
				watch(accept(listener, NULL, NULL), strcmp(mode, "http") != 0,
				    &of_client);
				continue;
			}
			flush(p);
			echo_read(p, mode);
		}
	}
}

/* ---- load ---- */

struct load {
	struct peer **peers;
	size_t idle, busy, open;
	size_t size;
	int64_t pause, until;
	unsigned char *message;
	size_t message_n;
	uint64_t bytes;
	uint32_t *samples;
	size_t nsamples;
};

/* A path, or 127.0.0.1:PORT. */
static int
reach(const char *where)
{
	const char *colon = strchr(where, ':');
	struct sockaddr_un a = address(where);
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(colon == NULL ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
	bool ok;

	if (colon == NULL) {
		ok = connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	} else {
		in.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
		ok = connect(fd, (struct sockaddr *)&in, sizeof(in)) == 0;
	}
	if (!ok)
		die(where);
	return fd;
}

static struct peer *
dial(const char *path, char *line)
{
	int fd = reach(path);
	const char *target = strtok_r(line, " \n", &line),
		   *subprotocol = strtok_r(line, " \n", &line);
	char text[2048];
	struct peer *p;
	int n;

	p = watch(fd, target[0] == '-', &of_server);
	if (p->open)
		return p;
	n = snprintf(text, sizeof(text),
	    "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: "
	    "websocket\r\n"
	    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	    "%s%s%s\r\n",
	    target, subprotocol[0] == '-' ? "" : "Sec-WebSocket-Protocol: ",
	    subprotocol[0] == '-' ? "" : subprotocol, subprotocol[0] == '-' ? "" : "\r\n");
	put(p, text, (size_t)n);
	flush(p);
	return p;
}

static void
say(struct load *l, struct peer *p, int64_t now)
{
	p->got = 0;
	p->sent = now;
	p->not_before = 0;
	put(p, l->message, l->message_n);
	flush(p);
}

static void
said(struct load *l, struct peer *p)
{
	int64_t now = mono_us();

	if (l->nsamples < SAMPLES)
		l->samples[l->nsamples++] = (uint32_t)(now - p->sent);
	if (now >= l->until) {
		p->sent = 0;
		return;
	}
	if (l->pause == 0)
		say(l, p, now);
	else
		p->not_before = p->sent + l->pause > now ? p->sent + l->pause : now;
}

static void
load_frames(struct load *l, struct peer *p, unsigned char *bytes, size_t n)
{
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(&p->reader, bytes, n, &used);
		bytes += used;
		n -= used;
		if (e == WS_PIECE && p->reader.frame.opcode < WS_CLOSE) {
			p->got += p->reader.piece_n;
			l->bytes += p->reader.piece_n;
		}
		if (e == WS_END && p->reader.frame.opcode == WS_PING) {
			unsigned char pong[WS_CONTROL_FRAME];
			struct str text = { (const char *)p->reader.control,
				(size_t)p->reader.frame.length };

			put(p, pong,
			    ws_control(
				pong, WS_FIN | WS_PONG, text, (const unsigned char *)"abcd"));
			flush(p);
		}
		if (e == WS_END && p->sent != 0 && p->not_before == 0 && p->got >= l->size)
			said(l, p);
	} while (e != WS_MORE && e != WS_BAD);
	if (e == WS_BAD)
		die(p->reader.why);
}

static void
load_head(struct load *l, struct peer *p, size_t n)
{
	const char *end;
	size_t used;

	memcpy(p->head + p->head_n, room, n);
	p->head_n += n;
	end = memmem(p->head, p->head_n, "\r\n\r\n", 4);
	if (end == NULL)
		return;
	if (strncmp(p->head + 9, "101", 3) != 0) {
		fprintf(stderr, "streams: %.*s\n", (int)p->head_n, p->head);
		exit(1);
	}
	p->open = true;
	l->open++;
	used = (size_t)(end + 4 - p->head);
	if (used < p->head_n)
		load_frames(l, p, (unsigned char *)p->head + used, p->head_n - used);
}

static void
load_turn(struct load *l, int wait)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(epoll, events, EVENTS, wait);

	for (int i = 0; i < n; i++) {
		struct peer *p = events[i].data.ptr;
		ssize_t got;

		flush(p);
		while ((got = read(p->fd, room, p->open ? ROOM : 4096)) > 0)
			if (p->open)
				load_frames(l, p, room, (size_t)got);
			else
				load_head(l, p, (size_t)got);
		if (got == 0) {
			errno = ECONNRESET;
			die("a stream has ended");
		}
	}
}

static int
by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
run(struct load *l, int64_t us)
{
	struct peer **busy = l->peers + l->idle;
	bool under_way = true;
	int64_t stuck = mono_us() + us + STUCK_US;

	l->bytes = l->nsamples = 0;
	l->until = mono_us() + us;
	for (size_t i = 0; i < l->busy; i++)
		say(l, busy[i], mono_us());
	while (under_way && mono_us() < stuck) {
		int64_t now;

		load_turn(l, l->pause == 0 ? 100 : 1);
		now = mono_us();
		under_way = false;
		for (size_t i = 0; i < l->busy; i++) {
			struct peer *p = busy[i];

			if (p->not_before != 0 && now >= p->not_before) {
				if (now < l->until)
					say(l, p, now);
				else
					p->sent = p->not_before = 0;
			}
			under_way = under_way || p->sent != 0;
		}
	}
	qsort(l->samples, l->nsamples, sizeof(uint32_t), by_size);
	printf("%" PRIu64 " %zu %u %u\n", l->bytes, l->nsamples,
	    l->nsamples == 0 ? 0 : l->samples[l->nsamples / 2],
	    l->nsamples == 0 ? 0 : l->samples[l->nsamples * 99 / 100]);
}

static int
load(char **argv)
{
	struct load l = { .idle = strtoul(argv[1], NULL, 10),
		.busy = strtoul(argv[2], NULL, 10),
		.size = strtoul(argv[4], NULL, 10),
		.pause = strtol(argv[5], NULL, 10) * 1000 };
	int64_t us = strtol(argv[3], NULL, 10) * 1000000;
	char line[2048];

	l.peers = calloc(l.idle + l.busy, sizeof(struct peer *));
	l.samples = calloc(SAMPLES, sizeof(uint32_t));
	l.message = calloc(1, l.size + WS_HEAD_MAX);
	if (l.peers == NULL || l.samples == NULL || l.message == NULL)
		die("memory");
	l.message_n =
	    l.size + ws_head(l.message, WS_FIN | WS_BINARY, l.size, (const unsigned char *)"abcd");
	for (size_t i = 0; i < l.idle + l.busy && fgets(line, sizeof(line), stdin); i++) {
		l.peers[i] = dial(argv[0], line);
		if (l.peers[i]->open)
			l.open++;
		while (l.open + 32 < i) /* no storm */
			load_turn(&l, 100);
	}
	while (l.open < l.idle + l.busy)
		load_turn(&l, 100);
	puts("open");
	while (fgets(line, sizeof(line), stdin) != NULL)
		run(&l, us);
	free(l.peers);
	free(l.samples);
	free(l.message);
	return 0;
}

int
main(int argc, char **argv)
{
	struct rlimit r;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	epoll = epoll_create1(0);
	if (argc == 4 && strcmp(argv[1], "echo") == 0)
		return echo(argv[2], argv[3]);
	if (argc == 8 && strcmp(argv[1], "load") == 0)
		return load(argv + 2);
	return 2;
}
