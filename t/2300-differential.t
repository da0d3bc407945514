#!/bin/sh
# SPDX-License-Identifier: ISC
# The index is exact: random queries of the grammar, six facets each, against plain SQL over the stored
# documents (C-041 to C-049). The same with a million hosts: t/bench/differential.
cd "$(dirname "$0")/.." || exit 1

dir=$(mktemp -d /tmp/t.XXXXXX)
trap 't/instance stop "$dir"; rm -rf "$dir"' EXIT
t/instance start "$dir" --hosts 3000 2>"$dir/start.err" || {
	cat "$dir/start.err" >&2
	exit 1
}
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 t/helper/differential.py "$dir" --queries 400 --seed "${SEED:-1}"
