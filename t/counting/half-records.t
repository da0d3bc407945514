#!/bin/sh
# SPDX-License-Identifier: ISC
# Half a FastCGI record on a worker's socket: nginx never sends one, and a peer that does holds a worker for seconds.
. t/lib.sh
# shellcheck disable=SC2034 # read by world_weights
WORLD_WORKERS=1
pg_start
api_start
web_start

# hold HEX: a peer sends these bytes to the one worker of the pool and no more; prints the seconds until a request
# of a client has its answer.
hold()
{
	python3 - "$W/run/api.sock" "$1" "$W/held" <<-'PY' &
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		s.sendall(bytes.fromhex(sys.argv[2]))
		open(sys.argv[3], 'w').close()
		while s.recv(4096):
		    pass
	PY
	world_until 10 test -e "$W/held"
	_from=$(date +%s)
	api GET /usage
	_seconds=$(($(date +%s) - _from))
	rm "$W/held"
	kill $! 2>/dev/null
	is "$STATUS" 200 "$2: another request is answered"
	ok "$2: the worker is free again within 20 s" test "$_seconds" -lt 20
}
master=$(world_pid surfaced)
before=$(pgrep -P "$master" | sort)
begin=0101000100080000
role=0001000000000000
hold 010100 "half the head of a record"
hold "$begin$role" "a request without parameters"
hold "$begin${role}0104000100ff0000" "the head of a parameter record without its content"
is "$(pgrep -P "$master" | sort)" "$before" "no worker was killed for half a record"
