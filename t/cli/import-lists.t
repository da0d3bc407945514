#!/bin/sh
# SPDX-License-Identifier: ISC
# surfacectl import takeovers and import cloud-prefixes (C-894).
. t/lib.sh
pg_start

DATA=t/cli/data/lists
is "$(ctl import takeovers $DATA/fingerprints.json 2>"$W/err")" "6 services, 6 names, 4 refused, 1 services without names" "import takeovers reads a file of fingerprints"
is "$(cat "$W/err")" "$DATA/fingerprints.json: AWS/Elastic Beanstalk: cname \"52.16.160.97\" is no name of a provider
$DATA/fingerprints.json: Hosty: cname \"https://nonexistent-example.vercel.com/\" is no name of a provider
$DATA/fingerprints.json: Closed: cname \"co.uk\" is no name of a provider
$DATA/fingerprints.json: Closed: cname \"localhost\" is no name of a provider" "members that are no names are refused by name (C-894)"
rows() { sql "SELECT concat_ws(' ', suffix, provider, mode, claim, page) FROM takeover_imported ORDER BY suffix COLLATE \"C\""; }
is "$(rows)" "closed.example.net Closed nxdomain closed
edge.example.net Edge nxdomain disputed
hosty.example.net Hosty page open Nobody has built a site at this name.
names.example.net Names nxdomain open
sites.hosty.example.net Hosty page open Nobody has built a site at this name.
us-east-1.elasticbeanstalk.com AWS/Elastic Beanstalk nxdomain open" "the other members are taken, each once (C-894)"
before=$(rows)
is "$(ctl --json import takeovers - <$DATA/fingerprints.json 2>"$W/err")" '{"services":6,"names":6,"refused":4,"unnamed":1}' "standard input is read, too"
is "$(rows)" "$before" "the same file again has the same rows (C-894)"
# refused MESSAGE JSON TITLE
refused()
{
	printf '%s' "$2" >"$W/tmp/bad.json"
	ctl import takeovers "$W/tmp/bad.json" >"$W/out" 2>"$W/err"
	is "$? $(grep -c "$1" "$W/err") $(rows | wc -l)" "1 1 6" "$3"
}
refused 'is no JSON: byte' '[{' "a file that is no JSON is refused, and nothing changes"
refused 'is no list of services' '{"a":1}' "a file of another kind is refused"
refused 'service 2 has no "vulnerable"' '[{"service":"A","vulnerable":true},{"service":"B"}]' "a service without vulnerable is refused by its number"
refused 'service 1 has no "service"' '[{"vulnerable":true}]' "a service without a name is refused by its number"

# ---- cloud prefixes ----

is "$(ctl import cloud-prefixes $DATA/ip-ranges.json)" "AWS: 4 prefixes, 0 refused" "AWS's ranges are imported"
is "$(ctl --json import cloud-prefixes $DATA/cloud.json)" '{"provider":"Google Cloud","prefixes":2,"refused":0}' "Google's ranges are imported"
is "$(ctl import cloud-prefixes $DATA/service-tags.json 2>"$W/err") $(cat "$W/err")" \
	"Azure: 2 prefixes, 1 refused $DATA/service-tags.json: \"not-a-prefix\" is no prefix of addresses" "Azure's service tags are imported, and a bad prefix is refused by name"
is "$(sql "SELECT concat_ws(' ', provider, prefix, region, service, shared) FROM cloud_prefix ORDER BY provider COLLATE \"C\", prefix")" \
	"AWS 198.51.100.0/25 GLOBAL AMAZON f
AWS 198.51.100.0/26 GLOBAL CLOUDFRONT t
AWS 203.0.113.0/24 eu-west-1 EC2 f
AWS 2001:db8:a::/48 us-east-1 EC2 f
Azure 192.0.2.128/26 westeurope f
Azure 192.0.2.192/26 AzureFrontDoor t
Google Cloud 192.0.2.0/28 europe-west1 Google Cloud f
Google Cloud 2001:db8:b0::/44 europe-west1 Google Cloud f" "each prefix has its region and service, and those of a CDN are shared"
at() { sql "SELECT ip || ' ' || provider FROM dangling_addresses('$P', '{203.0.113.9,198.51.100.1,198.51.100.100,192.0.2.5,192.0.2.200,2001:db8:a::1,192.0.2.77}') ORDER BY 1"; }
is "$(at)" "192.0.2.5 Google Cloud
198.51.100.100 AWS
2001:db8:a::1 AWS
203.0.113.9 AWS" "an address of a CDN is no cloud address, nor is one beside all prefixes"
ctl import cloud-prefixes $DATA/ip-ranges.json >/dev/null
is "$(sql "SELECT count(*) FROM cloud_prefix")" 8 "a file again replaces the prefixes of its provider alone (C-894)"
printf '{"prefixes":[]}' >"$W/tmp/none.json"
ctl import cloud-prefixes "$W/tmp/none.json" >"$W/out" 2>"$W/err"
is "$? $(grep -c 'has no prefixes' "$W/err") $(sql "SELECT count(*) FROM cloud_prefix")" "1 1 8" "a file without prefixes is refused, and nothing changes"
