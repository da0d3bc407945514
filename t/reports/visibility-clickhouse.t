#!/bin/sh
# SPDX-License-Identifier: ISC
# t/reports/visibility.t with ClickHouse: its answers show no report of another account (C-131).
SHARDS=2 exec t/reports/visibility.t "$@"
