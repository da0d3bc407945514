#!/bin/sh
# SPDX-License-Identifier: ISC
# An import from a pipe takes constant memory, whatever the size and the order of its records: eight times the input may not
# take half as much memory again. The records are short, and of 2,500 networks: of hosts that come again and again with another
# port, of hosts that come again as they were, and of hosts that come once, from one network after the other.
. t/lib.sh
db_start

cat >"$W/measure" <<'PYTHON'
import resource, subprocess, sys
order, mib, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
def line(i):
    net, n = i % 2500, i // 2500
    if order == "ports":
        return '{"ip":"10.%d.%d.7","services":[{"port":%d}]}\n' % (net // 250, net % 250, 1 + n % 20)
    if order == "again":
        return '{"ip":"10.%d.%d.7","tags":["a%d"]}\n' % (net // 250, net % 250, n % 3)
    return '{"ip":"%d.%d.%d.%d","services":[{"port":443}]}\n' % (11 + n // 62500, net // 250 * 25 + n // 250 % 25, net % 250, n % 250)
p = subprocess.Popen(command, stdin=subprocess.PIPE)
i, left = 0, mib << 20
while left > 0:
    block = "".join(line(k) for k in range(i, i + 20000)).encode()
    i += 20000
    left -= len(block)
    p.stdin.write(block)
p.stdin.close()
if p.wait() != 0:
    sys.exit("the import failed")
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PYTHON
# peak ORDER MIB: the memory that an import of so much input has taken at most, in MiB.
peak()
{
	sql "TRUNCATE record CASCADE" >/dev/null
	/usr/bin/python3 "$W/measure" "$1" "$2" "$BIN/surfacectl" --database "host=$W/db dbname=surfaced user=surfaced_admin" import hosts --quiet - 2>"$W/err"
}
for order in ports again once; do
	small=$(peak $order 4) large=$(peak $order 32)
	diag "$order: $small MiB for 4 MiB of input, $large MiB for 32"
	ok "the memory of an import does not grow with its input ($order) (C-911)" test "$large" -le $((small * 3 / 2))
done
