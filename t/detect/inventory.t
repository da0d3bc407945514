#!/bin/sh
# SPDX-License-Identifier: ISC
# The detector inventory: what the datasets know below a seed becomes assets and services (C-225).
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start

dns() { printf '{"host":"%s","record_type":"%s","rcode":"NOERROR","answer":"%s","first_seen":"2026-11-01T00:00:00Z","last_seen":"2026-11-20T00:00:00Z"}\n' "$1" "$2" "$3"; }
put()
{
	import_records "$1" --format ndjson -
	[ "$STATUS" -eq 0 ] || diag "$ERR"
}
assets() { sql "SELECT kind || ' ' || name || ' ' || coalesce(discovery_channel, '-') || ' ' || to_char(last_seen_at AT TIME ZONE 'UTC', 'MM-DD') FROM asset WHERE project_uuid = '$P' ORDER BY kind, name"; }
services() { sql "SELECT service_key || ' ' || coalesce(product, '-') || ' ' || coalesce(discovery_channel, '-') FROM asset_service WHERE project_uuid = '$P' ORDER BY 1"; }
cert=$(printf 'ab%.0s' $(seq 32))

# Three names, two addresses, a certificate, and a name at a CDN: some are there before the seed, some come after it.
{
	dns www.example.com A 192.0.2.1
	dns shop.example.com CNAME cdn.example.net
	dns shop.example.com A 192.0.2.3
	dns www.example.org A 192.0.2.4
} | put dns
detect_host 192.0.2.1 2026-11-20T00:00:00Z "{\"port\":443,\"transport\":\"tcp\",\"product\":\"nginx\",\"tls\":{\"certificate\":{\"fingerprint_sha256\":\"$cert\"}}}"
detect_host 192.0.2.3 2026-11-20T00:00:00Z '{"port":443,"transport":"tcp","product":"cdn"}' ',"hostnames":["shop.example.com"],"tags":["cdn"]'
detect_host 192.0.2.4 2026-11-20T00:00:00Z '{"port":80,"transport":"tcp"}'
detect_start
sql "INSERT INTO asset (project_uuid, kind, name, metadata, first_seen_at, last_seen_at, discovery_channel)
	VALUES ('$P', 'domain', 'example.com', '{}', '2026-11-01', '2026-11-01', 'manual')"
detect_idle
is "$(assets)" "domain example.com manual 11-01" "a domain that is no seed adds nothing"
sql "UPDATE asset SET metadata = '{\"seed\": true}'"
detect_idle
is "$(assets)" "address 192.0.2.1 dataset 11-20
certificate $cert dataset 11-20
domain example.com manual 11-01
host shop.example.com dataset 11-20
host www.example.com dataset 11-20" "a seed gives the names, addresses and certificates below it, and nothing of a CDN (C-225)"
is "$(services)" "192.0.2.1:443/tcp nginx dataset" "a seed gives the services of its addresses (C-225)"

# An import has said something of an asset and of a service that come now.
sql "INSERT INTO asset (project_uuid, kind, name, metadata, first_seen_at, last_seen_at, discovery_channel)
	VALUES ('$P', 'address', '192.0.2.2', '{\"owner\":\"us\"}', '2026-11-10', '2026-11-10', 'scanner')"
sql "INSERT INTO asset_service (project_uuid, asset_uuid, service_key, protocol, ip, port, product, discovery_channel, first_seen_at,
		last_seen_at, last_observed_at)
	SELECT '$P', uuid, 'ours', 'tcp', '192.0.2.2', 25, 'Postfix', 'scanner', '2026-11-10', '2026-11-10', '2026-11-10'
	  FROM asset WHERE name = '192.0.2.2'"
dns mail.example.com A 192.0.2.2 | put dns
detect_idle
detect_host 192.0.2.2 2026-11-21T00:00:00Z '{"port":25,"transport":"tcp","product":"Exim"},{"port":587,"transport":"tcp"}' ',"hostnames":["mail.example.com"]'
detect_idle
is "$(assets | grep -E '192.0.2.2|mail')" "address 192.0.2.2 scanner 11-21
host mail.example.com dataset 11-21" "documents that come later are followed, and what an import said of an asset stays (C-225)"
is "$(sql "SELECT metadata FROM asset WHERE name = '192.0.2.2'")" '{"owner": "us"}' "the metadata of an import stay (C-225)"
is "$(services)" "192.0.2.1:443/tcp nginx dataset
192.0.2.2:587/tcp - dataset
ours Postfix scanner" "a service that an import named is not added again (C-225)"

# An index that lags while imports go on: the transaction that asked stays the same.
world_kill surfaced-index
dns a.example.com A 192.0.2.9 | put dns
sql "INSERT INTO asset (project_uuid, kind, name, metadata, first_seen_at, last_seen_at)
	VALUES ('$P', 'domain', 'example.edu', '{\"seed\": true}', '2026-11-01', '2026-11-01')"
waiting() { sql "SELECT subject FROM detector_work WHERE subject LIKE '+dns example.edu %'"; }
waits() { waiting | grep -q '[?]'; }
ok "the first page waits for the index" world_until 30 waits
asker=$(waiting)
again() { dns b.example.com A 192.0.2.9 | put dns; sql "UPDATE detector_work SET due_at = now() WHERE subject LIKE '+%'; NOTIFY detect_work" >/dev/null
	[ "$(sql "SELECT count(*) FROM detector_work WHERE subject LIKE '+dns example.edu %' AND due_at > now()")" = 1 ]; }
ok "a page that waits is looked at again" world_until 30 again
is "$(waiting)" "$asker" "a page that waits names the transaction that asked first, however many imports follow"
index_start
detect_idle

counts=$(sql "SELECT count(*), max(xmin::text::bigint) FROM asset")
sql "UPDATE record SET doc = doc"
detect_idle
is "$(sql "SELECT count(*), max(xmin::text::bigint) FROM asset")" "$counts" "documents that are written again unchanged write no asset (C-127)"
is "$(sql "SELECT count(*) FROM asset WHERE project_uuid <> '$P'")" 0 "no other project gets an asset"
