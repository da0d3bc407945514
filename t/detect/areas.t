#!/bin/sh
# SPDX-License-Identifier: ISC
# Rules of the shipped catalogue on hosts of a project: what they find of AI programs and exposed services, and what settings of
# rules and of the detector rules make of it (C-194 to C-201).
. t/lib.sh
. t/helper/detect.sh
pg_start
index_start
ctl rules load src/detect/rules >/dev/null
detect_start

# found ADDRESS [PROJECT]: the findings of a host: title, severity, status.
found()
{
	sql "SELECT string_agg(title || ' ' || severity || ' ' || status, ', ' ORDER BY title) FROM finding
		WHERE project_uuid = '${2:-$P}' AND finding_key LIKE 'rule/%/$1/%'"
}
page() { printf '{"port":%s,"transport":"tcp","http":{"status_code":%s,"capabilities":[%s]%s}}' "$1" "$2" "$3" "${4-}"; }
for n in 1 2 3 4 5 6 7 8 9 10; do
	detect_asset address "192.0.2.$n"
done
detect_asset host www.example.org

# ---- C-194, C-195, C-196 ----

detect_host 192.0.2.1 2026-11-20T00:00:00Z "$(page 443 401 '"api/ollama","auth/basic"')"
detect_host 192.0.2.2 2026-11-20T00:00:00Z "$(page 11434 200 '"api/ollama","auth/none"')"
detect_host 192.0.2.3 2026-11-20T00:00:00Z "$(page 8000 401 '"api/openai","api/vllm","auth/login"')"
detect_host 192.0.2.4 2026-11-20T00:00:00Z "$(page 8000 401 '"api/openai","auth/login"')"
detect_host 192.0.2.5 2026-11-20T00:00:00Z "$(page 80 200 '' ',"title":"Jupyter for beginners - a blog","body":"We install Ollama is running"')"
detect_idle
is "$(found 192.0.2.1) $(sql "SELECT evidence ->> 'auth' FROM finding WHERE finding_key LIKE '%/192.0.2.1/%'")" \
	"Ollama at 192.0.2.1:443 info open required" "an Ollama behind a login gives a finding of presence with auth required (C-194)"
is "$(found 192.0.2.2)" "Ollama at 192.0.2.2:11434 info open, Ollama at 192.0.2.2:11434 answers without a login high open" \
	"an open Ollama gives two findings, the second high (C-194)"
is "$(found 192.0.2.3)" "vLLM at 192.0.2.3:8000 info open" "vLLM gives one finding of presence (C-195)"
is "$(found 192.0.2.4)" "OpenAI-compatible API at 192.0.2.4:8000 info open" "an unknown program with that API gives the generic one (C-195)"
is "$(found 192.0.2.5)" "" "a page that mentions products gives no finding (C-196)"
detect_host 192.0.2.9 2026-11-20T00:00:00Z "$(page 8888 200 '' ',"title":"JupyterLab","server":"TornadoServer/6.4"')"
detect_host 192.0.2.10 2026-11-20T00:00:00Z "$(page 8080 200 '"auth/none"' ',"title":"code-server"')"
detect_idle
is "$(found 192.0.2.9)" "Jupyter at 192.0.2.9:8888 info open, Jupyter at 192.0.2.9:8888 answers without a login critical open" \
	"a page that a login would hide gives two findings"
is "$(found 192.0.2.10)" "code-server at 192.0.2.10:8080 info open, code-server at 192.0.2.10:8080 answers without a login critical open" \
	"a product that only its title shows has the finding that it answers without a login"
is "$(sql "SELECT string_agg(DISTINCT auth, ' ') FROM ai_surface WHERE ip IN ('192.0.2.9', '192.0.2.10')")" none \
	"both findings of such a service have auth none (C-199)"
detect_host 192.0.2.2 2026-11-22T00:00:00Z '{"port":22,"transport":"tcp"}'
detect_idle
is "$(found 192.0.2.2)" "Ollama at 192.0.2.2:11434 info resolved, Ollama at 192.0.2.2:11434 answers without a login high resolved" \
	"both findings clear when the port is closed and scanned again (C-194)"

# A rule that knows the program comes later, and goes again: the generic one makes room by its rank.
known=$(detect_rule services surface 'http.capabilities:"api/openai" port:8000' account_uuid=NULL "content_sha256=repeat('1', 64)" \
	"tags='{ai-inference,known}'" "produces='{\"area\":\"ai_surface\",\"exposure_kind\":\"ai/inference\",\"rank\":10,\"title\":\"Known\"}'")
detect_idle
is "$(found 192.0.2.4)" "Known high open, OpenAI-compatible API at 192.0.2.4:8000 info resolved" "a generic rule is silent where one of a higher rank finds the service"
detect_host 192.0.2.6 2026-11-20T00:00:00Z "$(page 8000 401 '"api/openai","auth/login"')"
detect_idle
is "$(found 192.0.2.6)" "Known high open" "a generic rule is silent on new data, too"
sql "UPDATE rule SET status = 'deprecated' WHERE uuid = '$known'"
detect_idle
speaks() { [ "$(sql "SELECT status FROM finding WHERE finding_key LIKE 'rule/%/192.0.2.4/%' AND title LIKE 'OpenAI-compatible API%'")" = open ]; }
ok "a generic rule speaks again when the other one has ended" world_until 30 speaks

# ---- C-197, C-198 ----

redis='{"port":6379,"transport":"tcp","product":"Redis","version":"7.2.4"}'
many() { seq 1000 "$1" | sed 's/.*/,{"port":&,"transport":"tcp"}/' | tr -d '\n'; }
severities() { sql "SELECT string_agg(DISTINCT severity || ' ' || (evidence ->> 'suspect'), ', ') FROM finding WHERE finding_key LIKE 'rule/%/$1/6379/tcp'"; }
detect_host 192.0.2.7 2026-11-20T00:00:00Z "$redis$(many 1048)"
detect_host 192.0.2.8 2026-11-20T00:00:00Z "$redis$(many 1049)"
detect_host 192.0.2.50 2026-11-20T00:00:00Z "$redis" ',"hostnames":["www.example.org"],"tags":["cdn"]'
detect_host 192.0.2.51 2026-11-20T00:00:00Z "$redis" ',"hostnames":["www.example.org"]'
detect_idle
like "$(severities 192.0.2.7)" '^(critical|high|medium) false' "the findings of a host with 50 services have their own severity (C-197)"
is "$(severities 192.0.2.8)" "info true" "findings of a host with 51 services have the severity info and are suspect (C-197)"
is "$(found 192.0.2.50)" "" "a CDN address that serves the project's name has no finding of its other ports (C-198)"
is "$(sql "SELECT DISTINCT evidence ->> 'matched_by' FROM finding WHERE finding_key LIKE 'rule/%/192.0.2.51/%'")" hostname \
	"an address that is no CDN's is found by its name (C-198)"

# ---- C-199, C-201 ----

other=$(sql "INSERT INTO project (account_uuid, name) VALUES ('$ACCOUNT', 'Other') RETURNING uuid")
detect_asset address 192.0.2.7 "$other"
detect_idle
both() { [ "$(found 192.0.2.7 "$other")" = "$(found 192.0.2.7)" ]; }
ok "two projects with one address have their own findings (C-199)" world_until 30 both
set_detector()
{
	sql "INSERT INTO detector_state (project_uuid, detector, enabled, min_severity, exclude) VALUES ('$P', 'rules', $1, '$2', \$q\$$3\$q\$)
		ON CONFLICT (project_uuid, detector) DO UPDATE SET enabled = $1, min_severity = '$2', exclude = \$q\$$3\$q\$"
}
lower() { sql "SELECT count(*) FROM finding WHERE project_uuid = '$P' AND detector = 'rules' AND status = 'open' AND severity IN ('info', 'low')"; }
before=$(found 192.0.2.7 "$other")
set_detector true medium ''
detect_idle
is "$(lower) $(found 192.0.2.7 "$other")" "0 $before" "a higher min_severity closes the lower findings of this project alone (C-199)"
was=$(found 192.0.2.8)
set_detector true info ''
detect_idle
isnt "$(lower)" 0 "a lower min_severity opens the findings again"
isnt "$(found 192.0.2.8)" "$was" "a finding that the settings hid is open again"
set_detector true info 'title:"Ollama at 192.0.2.1:443"'
detect_idle
is "$(found 192.0.2.1)" "Ollama at 192.0.2.1:443 info resolved" "an exclude of the detector closes what it finds"
set_detector false info ''
detect_host 192.0.2.1 2026-11-23T00:00:00Z "$(page 443 401 '"api/ollama","auth/basic"'),$(page 11434 200 '"api/ollama","auth/none"')"
detect_idle
is "$(found 192.0.2.1)" "Ollama at 192.0.2.1:443 info resolved" "a detector that is not enabled finds nothing"
set_detector true info ''
detect_idle
is "$(sql "SELECT count(*) FROM finding WHERE finding_key LIKE 'rule/%/192.0.2.1/%' AND status = 'open'")" 3 "the detector rules finds everything when it is enabled again"

open=$(sql "SELECT uuid FROM rule WHERE account_uuid IS NULL AND name = 'Ollama answers without a login'")
sql "INSERT INTO account (name) VALUES ('Stranger')"
stranger=$(sql "INSERT INTO project (account_uuid, name) SELECT uuid, 'Strange' FROM account WHERE name = 'Stranger' RETURNING uuid")
sql "INSERT INTO entitlement (account_uuid, name) SELECT uuid, 'esi' FROM account WHERE name = 'Stranger'"
detect_asset address 192.0.2.1 "$stranger"
sql "INSERT INTO rule_setting (account_uuid, rule_uuid, enabled, severity) VALUES ('$ACCOUNT', '$open', true, 'low')"
detect_idle
severity() { sql "SELECT severity FROM finding WHERE project_uuid = '$1' AND finding_key = 'rule/$open/192.0.2.1/11434/tcp'"; }
overridden() { [ "$(severity "$P") $(severity "$stranger")" = "low high" ]; }
ok "an account's severity is that of its findings, in no other account (C-201)" world_until 30 overridden

# A change of a setting while its rule is being evaluated: the work begins again when it is done.
world_kill surfaced-detect
sql "INSERT INTO detect_work (kind, subject_uuid, phase, since) VALUES ('rule', '$open', 3, pg_current_snapshot())"
sql "UPDATE rule_setting SET severity = 'medium' WHERE rule_uuid = '$open' AND account_uuid = '$ACCOUNT'"
is "$(sql "SELECT phase || ' ' || again FROM detect_work WHERE subject_uuid = '$open'")" "3 true" "work in progress is finished, and is marked to begin again"
detect_start
detect_idle
is "$(severity "$P") $(sql "SELECT count(*) FROM detect_work WHERE subject_uuid = '$open'")" "medium 0" "work that begins again applies the later setting"
