/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the datasets that are searched in ClickHouse. */
#ifndef CLI_DOCTOR_CLICKHOUSE_H
#define CLI_DOCTOR_CLICKHOUSE_H

#include "cli/doctor/doctor.h"
#include "record/dataset.h"

/* Checks the layout of a dataset. False: the dataset is searched in the index of this machine. */
bool doctor_clickhouse(struct doctor *d, enum dataset dataset);

#endif
