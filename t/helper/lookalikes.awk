# SPDX-License-Identifier: ISC
# Sums what "t/bench/lookalike judge" prints: by kind and class, the share of names that are reported without imports (70
# points), and with the ranking of the first file (60 points, and 30 less for a ranked name).
FNR == NR {
	sub(/^[0-9]+,/, "")
	ranked[$0] = 1
	next
}
{
	bare = $5
	sum = bare
	for (i = 7; i <= NF; i++)
		if (sub(/^cut:/, "", $i))
			sum -= $i
	sum -= ($3 in ranked || $6 in ranked) ? 30 : 0
	for (n = split($1 " all|" $1 " " $4, keys, "|"); n > 0; n--) {
		all[keys[n]]++
		at70[keys[n]] += bare >= 70
		at60[keys[n]] += sum >= 60
	}
}
END {
	for (k in all) {
		split(k, w, " ")
		printf "%-10s %-14s %5d  alone: %5.1f %%  with a ranking: %5.1f %%\n", w[1], w[2], all[k], 100 * at70[k] / all[k],
			100 * at60[k] / all[k]
	}
}
