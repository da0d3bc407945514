# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# surfaced-index with a database and an index of its own and no other daemon, for t/search/index.t and t/search/records.t.
# Sourced after t/lib.sh. dir: the configuration, the log and the index; pid: the daemon to stop at exit, or empty.

# index_world SEGMENTS: starts PostgreSQL and writes the configuration.
index_world()
{
	db_start
	top=$BUILD dir=$W/tmp pid=
	trap '[ -z "$pid" ] || kill "$pid"; lib_exit' EXIT
	cat >"$dir/conf" <<-END
		database = host=$W/db dbname=surfaced user=surfaced_index
		index_directory = $dir/index
		index_poll = 100
		index_segments = $1
	END
}

# once [OPTION...]: one pass of surfaced-index.
once()
{
	timeout 300 "$top/surfaced-index" --once "$@" -c "$dir/conf" 2>>"$dir/log"
}

# index_hits DATASET QUERY: prints the number of hits.
index_hits()
{
	"$top/t/bench/engine" -d "$dir/index" -D "$1" -q "$2" 2>>"$dir/asked"
}

# index_soon DATASET N QUERY: waits until the query has N hits.
index_soon()
{
	timeout 300 sh -c "until [ \"\$($top/t/bench/engine -d $dir/index -D $1 -q '$3' 2>>$dir/asked)\" = $2 ]; do :; done"
}
