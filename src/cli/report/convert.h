/* SPDX-License-Identifier: ISC */
/* HTML and PDF as text, by a child that can reach nothing. */
#ifndef CLI_REPORT_CONVERT_H
#define CLI_REPORT_CONVERT_H

#include "cli/report/reading.h"

report_reader report_read_html, report_read_pdf;

#endif
