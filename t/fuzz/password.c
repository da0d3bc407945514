/* SPDX-License-Identifier: ISC */
/* Passwords: any text may be judged, and a stored text that is read has the form that is written. */
#include "config.h"

#include "access/password.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

static struct passwords *
open_passwords(void)
{
	int fd = memfd_create("passwords", MFD_CLOEXEC);
	char path[64], err[256];
	struct passwords *p;

	assert(fd >= 0 && write(fd, "apassword\n", 10) == 10);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	p = passwords_open(&(const struct password_rules){ 64, 1, 15, path }, err, sizeof(err));
	assert(p != NULL);
	close(fd);
	return p;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct passwords *p;
	struct str input = { (const char *)data, size };
	struct password_stored stored;
	struct field_error why;
	struct arena *a;

	if (p == NULL)
		p = open_passwords();
	if (password_parse(input, &stored))
		assert(size >= 90 && stored.memory >= 8 && stored.passes >= 1);
	if (size > 4096 || str_utf8_bad(input) != size)
		return 0;
	a = arena_new(1 << 20);
	if (password_fault(p, a, password_compose(a, input), STR("a@example.com"), &why))
		assert(why.code.n > 0 && why.message.n > 0);
	arena_free(a);
	return 0;
}
