#!/bin/sh
# SPDX-License-Identifier: ISC
# The nth allocation, read or write of a request fails, for each n: the client gets the answer, an envelope or a
# closed connection, and the workers recover.
. t/lib.sh

! nm -D "$BUILD/surfaced" 2>/dev/null | grep -q __asan || skip_all "the sanitizer has an allocator of its own"
[ -f "$BUILD/t/helper/faults.so" ] || skip_all "t/helper/faults.so is not built"
WORLD_SEARCH_WORKERS=8
LOG_EXPECTED='panic (json-c: )?(out of memory|HMAC failed)|json byte=1 why="json-c refuses'
pg_start
head -c 64 /dev/zero >"$W/run/control"
chmod 666 "$W/run/control"
install -m 755 "$BUILD/t/helper/faults.so" "$W/run/"
cat >"$W/run/faulty" <<-END
	#!/bin/sh
	LD_PRELOAD=$W/run/faults.so FAULTS=$W/run/control exec "$BIN/surfaced" "\$@"
END
chmod 755 "$W/run/faulty"
WORLD_PROGRAM=$W/run/faulty
world_meter_start
index_start
api_start
web_start ''
"$BUILD/t/helper/hostgen" --hosts 100 | ctl import hosts --quiet - || exit 1
hosts_wait 100
running=$(workers | wc -l)
export DIR="$W"
world_env
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/faults.py "$W" "$W/run/control" >"$W/faults.out" 2>&1
relay "$W/faults.out"
is "$(grep -cE '^ok ' "$W/faults.out")" 17 "every kind of fault was tried with every request that can have it"
ok "all workers run after the faults" world_until 10 workers_are "$running"
