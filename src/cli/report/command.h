/* SPDX-License-Identifier: ISC */
/* The functions behind the rows of import_command (cli/import/command.c) that read sources of
   reports. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

#include "cli/cli.h"

/* Imports reports of other systems and texts; files of our own documents go to native. */
int import_report_files(
    struct cli *c, int argc, char **argv, int (*native)(struct cli *, int, char **));
void import_report_formats(void); /* prints a line for each */
int import_taxii(struct cli *c, int argc, char **argv);
int import_vocabulary(struct cli *c, int argc, char **argv);
int import_benign(struct cli *c, int argc, char **argv);

#endif
