/* SPDX-License-Identifier: ISC */
/* The sandbox of a converter. A document may have taken the converter over; then it controls the
 * converter's memory and nothing else. No wall relies on another one:
 *
 *   namespaces        no network, no other process, no file but libraries and the program
 *   user 65534        also when root imports; without capabilities, and with --disable-userns,
 *                     which forbids a further user namespace that would give it some
 *   RLIMIT_NPROC 0    no process and no thread. prlimit(1) sets it behind bwrap, because the
 *                     kernel counts the other processes of the user, too, until the user namespace
 *                     exists
 *   seccomp           the system calls below and no others, which also closes what has no
 *                     namespace: keyrings, vsock, io_uring, bpf, perf
 *
 * The limits of memory, time and output are in convert.c. */
#include "config.h"

#include <seccomp.h>

#include "cli/report/sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define INSIDE "/convert"

enum { WORDS = 16 };

/* All that libc, its loader, libgumbo, poppler, prlimit(1) and the init of bwrap call, on each
   architecture of Debian. A name that an architecture lacks has a negative number. */
static const char *const allowed[] = { "access", "arch_prctl", "brk", "clock_gettime",
	"clock_gettime64", "close", "dup", "dup2", "dup3", "execve", "exit", "exit_group",
	"faccessat", "faccessat2", "fcntl", "fcntl64", "fstat", "fstat64", "fstatat64", "futex",
	"futex_time64", "getcwd", "getdents", "getdents64", "getegid", "getegid32", "geteuid",
	"geteuid32", "getgid", "getgid32", "getpid", "getrandom", "getrlimit", "gettid",
	"gettimeofday", "getuid", "getuid32", "_llseek", "lseek", "lstat", "lstat64", "madvise",
	"mmap", "mmap2", "mprotect", "mremap", "munmap", "newfstatat", "open", "openat", "poll",
	"ppoll", "ppoll_time64", "pread64", "prlimit64", "read", "readlink", "readlinkat", "readv",
	"restart_syscall", "riscv_flush_icache", "riscv_hwprobe", "rseq", "rt_sigaction",
	"rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "set_robust_list", "set_thread_area",
	"set_tid_address", "set_tls", "sigaltstack", "sigreturn", "stat", "stat64", "statx",
	"sysinfo", "time", "ugetrlimit", "uname", "wait4", "waitpid", "write", "writev" };

static bool
add_rules(scmp_filter_ctx filter)
{
	/* stdio asks whether the output is a terminal; other requests reach drivers. */
	if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
		SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TCGETS)) != 0)
		return false;
	for (size_t i = 0; i < COUNT(allowed); i++) {
		int call = seccomp_syscall_resolve_name(allowed[i]);

		if (call >= 0 && seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0)
			return false;
	}
	return true;
}

int
sandbox_filter(void)
{
	/* A libc that is newer than the list takes the older call when the kernel seems to lack the
	   newer one. Calls of another architecture end the process. */
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int fd = memfd_create("converter-filter", MFD_CLOEXEC);
	bool good = filter != NULL && fd >= 0 && add_rules(filter) &&
		    seccomp_export_bpf(filter, fd) == 0 && lseek(fd, 0, SEEK_SET) == 0;

	seccomp_release(filter);
	if (good)
		return fd;
	fd_close(fd);
	return -1;
}

void
sandbox_exec(const char *program, const char *const *words, int filter)
{
	char number[16];
	const char *const sandbox[] = { "bwrap", "--unshare-all", "--unshare-user",
		"--disable-userns", "--uid", "65534", "--gid", "65534", "--seccomp", number,
		"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
		"--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind-try", "/usr/lib64", "/usr/lib64",
		"--ro-bind-try", "/usr/share/poppler", "/usr/share/poppler", "--symlink", "usr/lib",
		"/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind-try", "/etc/ld.so.cache",
		"/etc/ld.so.cache", "--ro-bind", "/usr/bin/prlimit", "/prlimit", "--ro-bind",
		program, INSIDE, "--remount-ro", "/", "--", "/prlimit", "--nproc=0:0", INSIDE };
	const char *argv[COUNT(sandbox) + WORDS + 1];
	size_t n = 0;

	snprintf(number, sizeof(number), "%d", filter);
	for (size_t i = 0; i < COUNT(sandbox); i++)
		argv[n++] = sandbox[i];
	for (size_t i = 0; words[i] != NULL && i < WORDS; i++)
		argv[n++] = words[i];
	argv[n] = NULL;
	if (fcntl(filter, F_SETFD, 0) == 0) /* bwrap closes it */
		execvp(argv[0], (char *const *)(uintptr_t)argv);
}
