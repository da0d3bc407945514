/* SPDX-License-Identifier: ISC */
/* Between the files of the meter alone. */
#ifndef CORE_METER_PRIV_H
#define CORE_METER_PRIV_H

#include "core/meter.h"

/* A worker's: the file as it stands; false when there is none. */
bool meter_file_open(struct meter_file *f) MUST_USE;
/* Another file has its name now. */
bool meter_file_replaced(const struct meter_file *f);
/* Until the news are not these, or us have passed. */
void meter_await(const struct meter_file *f, uint32_t news, int64_t us);

#endif
