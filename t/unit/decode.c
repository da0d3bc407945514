/* SPDX-License-Identifier: ISC */
#include "config.h"
#include "json/json.h"
#include "t/unit/tap.h"
int
main(void)
{
	return 0;
}
