/* SPDX-License-Identifier: ISC */
#ifndef T_UNIT_TAP_H
#define T_UNIT_TAP_H

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>

/* Runs a table of CUnit tests and prints TAP: the whole main() of a unit test. */
int tap_main(CU_TestInfo *tests);

#endif
