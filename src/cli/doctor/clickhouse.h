/* SPDX-License-Identifier: ISC */
/* The datasets that ClickHouse answers. */
#ifndef CLI_DOCTOR_CLICKHOUSE_H
#define CLI_DOCTOR_CLICKHOUSE_H

#include "cli/doctor/doctor.h"
#include "record/dataset.h"

/* Checks the layout of a dataset. False: the index answers the dataset. */
bool doctor_clickhouse(struct doctor *d, enum dataset dataset);

#endif
