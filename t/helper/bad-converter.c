/* SPDX-License-Identifier: ISC */
/* Stands in for surfaced-text. The first word of its input selects the fault: never ends, writes 1 GiB,
   asks for all memory, dies, or tries what a converter does that a document has taken over; else it
   writes its input. */
#include "config.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One line for each attempt: its name, and "done" when the kernel allowed it. */
static void
report_attempt(const char *name, long result)
{
	printf("%s %s\n", name, result < 0 ? "refused" : "done");
}

static void
report_fork(const char *name, long pid)
{
	if (pid == 0)
		_exit(0);
	report_attempt(name, pid);
}

static void *
run_thread(void *nothing)
{
	return nothing;
}

static void
try_processes(void)
{
	struct rlimit most = { 1000, 1000 };
	pthread_t thread;

	getrlimit(RLIMIT_NPROC, &most);
	printf("processes %d %d\n", (int)most.rlim_cur, (int)most.rlim_max);
	report_fork("fork", fork());
	report_fork("bare-clone", syscall(SYS_clone, 17, 0, 0, 0, 0)); /* SIGCHLD */
	report_attempt("thread", pthread_create(&thread, NULL, run_thread, NULL) == 0 ? 0 : -1);
	report_attempt("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static void
try_kernel(void)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1
	};
	char ring[256] = "";

	report_attempt("user-namespace", unshare(CLONE_NEWUSER));
	report_attempt("network-namespace", unshare(CLONE_NEWNET));
	report_attempt("mount", mount("none", "/", "tmpfs", 0, NULL));
	report_attempt(
	    "add-key", syscall(SYS_add_key, "user", "a", "b", 1, KEY_SPEC_PROCESS_KEYRING));
	report_attempt(
	    "keyctl", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
	report_attempt("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)));
	report_attempt("io-uring", syscall(SYS_io_uring_setup, 4, ring));
	report_attempt("userfaultfd", syscall(SYS_userfaultfd, 1)); /* UFFD_USER_MODE_ONLY */
	report_attempt("device-request", ioctl(STDOUT_FILENO, FIONBIO, &(int){ 0 }));
}

static void
try_sockets(void)
{
	static const struct {
		const char *name;
		int family, type;
	} sockets[] = { { "inet", AF_INET, SOCK_STREAM }, { "raw", AF_INET, SOCK_RAW },
		{ "packet", AF_PACKET, SOCK_RAW }, { "netlink", AF_NETLINK, SOCK_RAW },
		{ "vsock", AF_VSOCK, SOCK_STREAM }, { "unix", AF_UNIX, SOCK_STREAM } };

	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		report_attempt(sockets[i].name, socket(sockets[i].family, sockets[i].type, 0));
}

static void
try_files(void)
{
	report_attempt("passwd", open("/etc/passwd", O_RDONLY));
	report_attempt("proc", open("/proc/self/status", O_RDONLY));
	report_attempt("write", open("/x", O_WRONLY | O_CREAT, 0600));
	report_attempt("library", open("/usr/lib/x", O_WRONLY | O_CREAT, 0600));
}

int
main(void)
{
	static char text[65536];
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);

	if (strstr(text, "ENDLESS") != NULL)
		for (;;)
			poll(NULL, 0, -1);
	if (strstr(text, "FLOOD") != NULL) {
		memset(text, 'x', sizeof(text));
		for (int i = 0; i < 16384; i++)
			if (fwrite(text, 1, sizeof(text), stdout) == 0)
				return 1;
	}
	if (strstr(text, "MEMORY") != NULL)
		for (;;) {
			char *p = malloc(1 << 20);

			if (p == NULL)
				return 1;
			memset(p, 1, 1 << 20);
		}
	if (strstr(text, "CRASH") != NULL)
		abort();
	if (strstr(text, "WALLS") != NULL) {
		printf("# Walls\n\nuser %d %d %d\n", (int)getuid(), (int)geteuid(), (int)getgid());
		try_processes();
		try_kernel();
		try_sockets();
		try_files();
		return 0;
	}
	fwrite(text, 1, n, stdout);
	return 0;
}
