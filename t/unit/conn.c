/* SPDX-License-Identifier: ISC */
/* stream/accept.c: a head that arrives in pieces leaves no copy of its ticket in memory, freed blocks included. The test
   searches the memory of its own process through /proc/self/mem. */
#include "config.h"

#include "daemon/conf.h"
#include "stream/stream.h"
#include "t/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 8, FIRST = 4000, REST = 6000, TICKET = 64, WINDOW = 65536 };

static struct proxy proxy;
static int clients[CLIENTS];
/* Shared, and therefore not searched: the piece that is sent, and the memory that is looked at. */
static char *shared;

static char
ticket_byte(int client, size_t at)
{
	return (char)('A' + (at * at + at * 7 + (size_t)client * 3) % 26);
}

static bool
is_ticket(int client, const char *p)
{
	for (size_t i = 0; i < TICKET; i++)
		if (p[i] != ticket_byte(client, i))
			return false;
	return true;
}

static int
count_in_region(int mem, int client, uintptr_t from, uintptr_t to)
{
	int found = 0;

	for (; from < to; from += WINDOW - TICKET + 1) {
		size_t n = to - from < WINDOW ? to - from : WINDOW;
		ssize_t got = pread(mem, shared, n, (off_t)from);

		for (ssize_t i = 0; i + TICKET <= got; i++)
			found += is_ticket(client, shared + i);
	}
	return found;
}

/* Counts the client's ticket in all private memory that this process can write. */
static int
count_tickets(int client)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), found = 0;
	uintptr_t from, to;
	char line[512], mode[5];

	if (maps == NULL || mem < 0)
		panic("/proc/self: %s", strerror(errno));
	while (fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, mode) == 3 &&
		    strcmp(mode, "rw-p") == 0 && to - from < (uintptr_t)1 << 28)
			found += count_in_region(mem, client, from, to);
	fclose(maps);
	close(mem);
	return found;
}

static void
send_piece(int client, size_t n, bool with_ticket)
{
	/* free() writes into the first 32 bytes of a block, so the ticket begins behind them. */
	static const char start[] = "GET / HTTP/1.1\r\nX-Surfaced-Id: 1234567890\r\nX-Ticket: ";

	memset(shared, 'x', n);
	if (with_ticket) {
		memcpy(shared, start, sizeof(start) - 1);
		for (size_t i = 0; i < TICKET; i++)
			shared[sizeof(start) - 1 + i] = ticket_byte(client, i);
	}
	CU_ASSERT_EQUAL(send(clients[client], shared, n, 0), (ssize_t)n);
	event_base_loop(proxy.base, EVLOOP_NONBLOCK);
}

static int
listen_at(const char *path, struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	at->sun_family = AF_UNIX;
	snprintf(at->sun_path, sizeof(at->sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)at, sizeof(*at)) != 0 || listen(fd, CLIENTS) != 0)
		panic("%s: %s", path, strerror(errno));
	return fd;
}

/* The first pieces of all clients lie side by side in memory, so no buffer can grow where it is. */
static void
a_long_head_leaves_no_ticket(void)
{
	char dir[] = "/tmp/surfaced-conn.XXXXXX", path[64];
	struct sockaddr_un at = { 0 };
	int listener;

	if (mkdtemp(dir) == NULL)
		panic("mkdtemp: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/sock", dir);
	listener = listen_at(path, &at);
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		CU_ASSERT_EQUAL_FATAL(connect(clients[i], (struct sockaddr *)&at, sizeof(at)), 0);
		conn_accept(&proxy, listener);
		send_piece(i, FIRST, true);
	}
	for (int i = 0; i < CLIENTS; i++) {
		send_piece(i, REST, false);
		send_piece(i, FIRST, false);
		CU_ASSERT_EQUAL(count_tickets(i), 1); /* in the head of its connection */
	}
	for (int i = 0; i < CLIENTS; i++) {
		close(clients[i]);
		event_base_loop(proxy.base, EVLOOP_NONBLOCK);
		CU_ASSERT_EQUAL(count_tickets(i), 0);
	}
	CU_ASSERT_EQUAL(proxy.conns, 0);
	close(listener);
	unlink(path);
	rmdir(dir);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "a request head of several pieces leaves no copy of its ticket in memory",
		    a_long_head_leaves_no_ticket },
		CU_TEST_INFO_NULL,
	};
	char err[256];
	int rc;

	if (!conf_load("surfaced-stream", NULL, err, sizeof(err)))
		panic("%s", err);
	shared = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		panic("mmap: %s", strerror(errno));
	for (int state = 0; state < CONN_STATES; state++)
		TAILQ_INIT(&proxy.lists[state]);
	proxy.base = event_base_new();
	proxy.arena = arena_new(WINDOW);
	rc = tap_main(tests);
	arena_free(proxy.arena);
	event_base_free(proxy.base);
	return rc;
}
