/* SPDX-License-Identifier: ISC */
/* pools_parse: what it accepts can be listened on, and every pool has a process. */
#include "config.h"

#include "daemon/daemon.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pool pools[POOLS_MAX];
	char err[128] = "";
	unsigned workers = 0;
	size_t n = 0;

	if (!pools_parse((struct str){ (const char *)data, size }, pools, &n, err, sizeof(err))) {
		assert(err[0] != '\0' && memchr(err, '\0', sizeof(err)) != NULL);
		return 0;
	}
	assert(n > 0 && n <= POOLS_MAX);
	for (size_t i = 0; i < n; i++) {
		assert(memchr(pools[i].name, '\0', sizeof(pools[i].name)) != NULL);
		assert(memchr(pools[i].path, '\0', sizeof(pools[i].path)) != NULL);
		assert(pools[i].name[0] != '\0' && pools[i].path[0] != '\0');
		assert(pools[i].workers > 0);
		workers += pools[i].workers;
		for (size_t k = 0; k < i; k++)
			assert(strcmp(pools[i].path, pools[k].path) != 0);
	}
	assert(workers <= WORKERS_MAX);
	return 0;
}
