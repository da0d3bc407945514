#!/bin/sh
# SPDX-License-Identifier: ISC
# The catalogue of detection rules: each passes its own samples, and none fires on what only looks like its product.
# C-193, C-195, C-196.
. t/lib.sh
world
D=$W/tmp RULES=src/detect/rules

"$BIN/surfacectl" --json rules check --catalogue "$RULES" >"$D/out" 2>"$D/err"
is "$?" 0 "every rule passes its samples, and has both kinds, a reference, and more than a port (C-193)"
is "$(cat "$D/err")" "" "no rule of the catalogue is refused (C-193)"
files=$(find "$RULES" -name '*.yml' | wc -l)
is "$(jq .check.rules "$D/out")" "$files" "each file of the catalogue has one rule"
ok "the catalogue has at least 70 rules" [ "$files" -ge 70 ]
is "$(sed -n 's,^.*\(src/detect/rules/[^ ]*\.yml\).*,\1,p' "$RULES/Makefile.inc" | sort)" "$(find "$RULES" -name '*.yml' | sort)" \
	"make install knows every file of the catalogue"
is "$(cat "$RULES"/*/*.yml | sed -n 's/^title: //p' | sort | uniq -d)" "" "no two rules of the catalogue have one name"
is "$(grep -L '^  scope: surface' "$RULES"/*/*.yml)" "" "every rule of the catalogue looks at inventories alone"

# A rule about the absence of a login has its own file, and asks for a proof. In the AI surface nobody writes one: it is derived.
is "$(grep -l '^tags:.*no-login' "$RULES"/*/*.yml | grep -v -- '-open\.yml$')" "" "rules about a missing login are files of their own"
is "$(grep -L '^level: informational' "$RULES"/ai/*.yml)" "" "presence alone is information in the AI surface"
is "$(grep -l 'no-login' "$RULES"/ai/*.yml)" "" "no rule of the AI surface about a missing login is written by hand"
is "$(jq .check.derived "$D/out")" "$(find "$RULES/ai" -name '*.yml' | wc -l)" "each rule of the AI surface has one for a missing login (C-831)"
is "$(sed -n 's/.*area: ai_surface, exposure_kind: \([^,]*\),.*/\1/p' "$RULES"/ai/*.yml | sort -u | tr '\n' ' ')" \
	"ai/agent ai/gateway ai/image ai/inference ai/mcp ai/notebook ai/training ai/vector " "every category of the AI surface has rules"
is "$(sed -n 's/.*area: service, exposure_kind: \([^,]*\),.*/\1/p' "$RULES"/*/*.yml | sort -u | tr '\n' ' ')" \
	"admin_panel database industrial orchestration remote_admin storage tls " "every kind of exposure that data show has rules"

# Capabilities that no importer sets would never fire.
known=$(sed -nE 's/^RECOGNISE(_PAGE)?\(.*, "([^"]*)"\)$/\2/p' src/tbl/capabilities.h | tr ' ' '\n' | sort -u)
asked=$(sed -n '/^  query:/,/^  produces:/p' "$RULES"/*/*.yml | grep -oE '"(api|app)/[a-z0-9-]+"' | tr -d '"' | sort -u)
is "$(printf '%s\n' "$asked" | grep -vxF "$known")" "" "every capability that a rule asks for is one that imports set"
is "$(printf '%s\n' "$known" | grep -E '^(api|app)/' | grep -vxF "$asked")" "" "every program that imports recognise has a rule"

against() { "$BIN/surfacectl" --json rules check --against "$1" "$RULES" >"$D/out" 2>"$D/err"; }
looks=t/rules/data/look-alikes.ndjson
against "$looks"
is "$?" 0 "the look-alikes are read"
is "$(jq -c '.matches[] | [.line, .ip, .port, .title]' "$D/out")" "" \
	"pages about products, vendors' sites and other programs on their ports match no rule (C-196)"
ok "there are at least 40 look-alikes" [ "$(jq -s '[.[].services | length] | add' "$looks")" -ge 40 ]

# One program gives one finding of presence: the generic rule has rank 0 and excludes what is known (C-195).
against t/rules/data/products.ndjson
is "$?" 0 "the products are read"
rows=$(jq -r '.matches[] | [.line, .rank, .title] | @tsv' "$D/out" | sort -t "$(printf '\t')" -k 1,1n -k 3)
titles() { printf '%s\n' "$rows" | awk -F '\t' -v l="$1" '$1 == l { printf "%s%s", sep, $3; sep = "; " }'; }
is "$(titles 1)" "vLLM; vLLM answers without a login" "vLLM with the API of OpenAI gives the rules of vLLM alone (C-195)"
is "$(titles 2)" "OpenAI-compatible API; OpenAI-compatible API answers without a login" "an unknown program with the API of OpenAI gives the generic rules"
is "$(titles 3)" "KoboldCpp; KoboldCpp answers without a login" "KoboldCpp, which answers as Ollama, gives the rules of KoboldCpp alone"
is "$(titles 4)" "Ollama; Ollama answers without a login" "an open Ollama gives two rules (C-194)"
is "$(titles 5)" "Ollama" "the root page of Ollama, which needs no key, is no proof that there is none"
is "$(printf '%s\n' "$rows" | awk -F '\t' '$3 ~ /^OpenAI-compatible API/ { print $2 }' | sort -u)" 0 "the generic rules have rank 0 (C-195)"
is "$(titles 6)" "Flowise" "a title of Flowise with another end is recognised by its beginning"
is "$(titles 7)" "Open WebUI" "a name of an installation before the title of Open WebUI is recognised"
is "$(titles 8)" "Jenkins" "a page of Jenkins in another language is recognised by its end"
is "$(titles 9)" "Apache Airflow; Apache Airflow answers without a login" "the list of workflows is a page without a login"
is "$(titles 10)" "code-server; code-server answers without a login" "a product that only its title shows has the rule for a missing login"
is "$(titles 11)" "Ollama; Ollama answers without a login" "a product that only the hash of its page shows has the rule for a missing login"
is "$(titles 12)" "Jupyter; Jupyter answers without a login" "the page of JupyterLab by its own server is a page without a login"
is "$(titles 13)" "ComfyUI; ComfyUI answers without a login" "the page of ComfyUI by its own server is a page without a login"
is "$(titles 14)" "ComfyUI" "the title of ComfyUI by another server proves no missing login"
is "$(titles 15)" "MLflow; MLflow answers without a login" "the page of MLflow by its own server is a page without a login"

# What imports make of real answers (t/cli/import-scans.t) is what the rules ask for.
sed -n '/^{"ip":/p' t/cli/data/hosts/httpx-1.7-products.json.out >"$D/imported"
against "$D/imported"
is "$?" 0 "the import of answers of products is read"
jq -r '.matches[].ip' "$D/out" | sort -u >"$D/matched"
of() { jq -r --arg ip "$1" '[.matches[]|select(.ip == $ip).title]|sort|join("; ")' "$D/out"; }
is "$(of 198.51.100.148)" "TensorRT-LLM; TensorRT-LLM answers without a login" "TensorRT-LLM with the API of OpenAI gives its own rules alone (C-195)"
is "$(of 198.51.100.151)" "NVIDIA Dynamo; NVIDIA Dynamo answers without a login" "Dynamo is known by the form of its list of models (C-195)"
is "$(of 198.51.100.159)" "Apache Airflow" "the page of Airflow 3 is the same with and without a login"
is "$(of 198.51.100.164) $(of 198.51.100.165)" "MCP server MCP server" "an MCP server behind a login is one by its path, or by the URL of its metadata"
is "$(jq -r .ip "$D/imported" | grep -vxF -f "$D/matched" | tr '\n' ' ')" "198.51.100.113 198.51.100.143 198.51.100.166 " \
	"each imported answer of a product has a rule, and a page about two products, a refusal and a login of another program have none (C-196)"
