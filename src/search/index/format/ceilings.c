/* SPDX-License-Identifier: ISC */
/* The ceilings of the format (ceilings.h). */
#include "config.h"

#include "search/index/format/ceilings.h"
#include "search/index/format/format.h"

static const struct ceilings of_format = {
	.documents = UINT32_MAX - INDEX_BLOCK,
	.file = (uint64_t)UINT32_MAX * POSTING_UNIT,
	.texts = UINT32_MAX,
	.more = UINT32_MAX,
};
static const struct ceilings *ceilings_used = &of_format;

const struct ceilings *
ceilings(void)
{
	return ceilings_used;
}

void
ceilings_use(const struct ceilings *c)
{
	ceilings_used = c == NULL ? &of_format : c;
}
