#!/bin/sh
# SPDX-License-Identifier: ISC
# surfaced-detect reaches PostgreSQL through a Unix socket and nothing else (C-123).
. t/lib.sh
. t/helper/detect.sh

unit=debian/systemd/surfaced-detect.service
for line in RestrictAddressFamilies=AF_UNIX IPAddressDeny=any PrivateNetwork=yes NoNewPrivileges=yes CapabilityBoundingSet= \
	ProtectSystem=strict; do
	ok "the unit has $line (C-123)" grep -qx "$line" "$unit"
done
is "$(grep -c '^ReadWritePaths=\|^IPAddressAllow=\|^ListenStream' "$unit")" 0 "the unit may write nowhere and listens on nothing (C-123)"
is "$(ldd "$BUILD/surfaced-detect" | grep -c 'libcurl\|libevent')" 0 "the program has no library that speaks HTTP (C-123)"

world_namespaces || skip_all "namespaces are forbidden here"
pg_start
index_start
world_spawn surfaced-detect unshare -c -n "$BIN/surfaced-detect" -c "$W/etc/surfaced-detect.conf"
worker_is_there() { worker=$(pgrep -P "$(world_pid surfaced-detect)"); }
world_until 30 worker_is_there
rule=$(detect_rule hosts all 'services.port:22')
detect_host 192.0.2.7 2026-11-20T00:00:00Z '{"port":22,"transport":"tcp"}'
detect_idle
is "$(observed "$rule")" "192.0.2.7 active - 0" "the daemon works where the network has no interface (C-123)"
is "$(sed 1,2d "/proc/$worker/net/dev" | tr -d ' ' | cut -d: -f1)" lo "the network of the worker has no interface but lo"
is "$(find -L "/proc/$worker/fd" -type s 2>/dev/null | wc -l)" 1 "the worker has one socket, which is of PostgreSQL (C-123)"
