/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/tap.h"

#include <CUnit/TestRun.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The log of the code under test goes to a file beside the program: it is read when a test failed. */
static void
log_beside(void)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s.log", program_invocation_name);
	if (freopen(name, "w", stderr) == NULL)
		printf("# %s cannot be written: %s\n", name, strerror(errno));
}

int
tap_main(CU_TestInfo *tests)
{
	CU_SuiteInfo suites[] = { { "unit", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
	unsigned n = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_beside();
	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
		printf("Bail out! CUnit: %s\n", CU_get_error_msg());
		return 1;
	}
	while (tests[n].pName != NULL)
		n++;
	printf("1..%u\n", n);
	for (unsigned i = 0; i < n; i++) {
		CU_pSuite suite = CU_get_suite("unit");

		CU_run_test(suite, CU_get_test(suite, tests[i].pName));
		printf("%sok %u - %s\n", CU_get_number_of_failures() > 0 ? "not " : "", i + 1,
		    tests[i].pName);
		failed += CU_get_number_of_failures() > 0;
		for (CU_pFailureRecord f = CU_get_failure_list(); f != NULL; f = f->pNext)
			printf("# %s:%u: %s\n", f->strFileName, f->uiLineNumber, f->strCondition);
	}
	CU_cleanup_registry();
	return failed > 0;
}
