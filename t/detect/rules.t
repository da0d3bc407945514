#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-detect from a rule and an import to observations: they appear, end and return (C-153), are found in data that
# were there before (C-154), and end as time goes by (C-155).
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
detect_start

# ---- new data ----

redis=$(detect_rule hosts all 'services.product:redis')
detect_idle
detect_host 192.0.2.7 2026-11-20T00:00:00Z '{"port":6379,"transport":"tcp","product":"Redis"}'
detect_host 192.0.2.8 2026-11-20T00:00:00Z '{"port":22,"transport":"tcp","product":"OpenSSH"}'
detect_idle
is "$(observed "$redis")" "192.0.2.7 active - 0" "a host that a rule finds is observed after its import (C-153)"
