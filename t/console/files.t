#!/bin/sh
# SPDX-License-Identifier: ISC
# nginx serves the files of the console and of what it shares with the viewer, with a policy that lets them speak to this
# server alone, and nothing else below their paths. They stay small.
. t/lib.sh
world
web_start ''
key=none
site=${BASE_URL%/api/v1}

type_of()
{
	case $1 in
	*.js) echo 'text/javascript; charset=utf-8' ;;
	*.css) echo 'text/css; charset=utf-8' ;;
	*.svg) echo image/svg+xml ;;
	*) echo 'text/html; charset=utf-8' ;;
	esac
}

for file in console/ $(cd nginx/html && find common console -type f | sort); do
	api GET "$site/$file"
	is "$STATUS $(header Content-Type)" "200 $(type_of "$file")" "/$file is served with its media type (C-340)"
	policy=$(header Content-Security-Policy)
	like "$policy" "^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\$" \
		"the policy of /$file allows this server alone and no markup from text (C-340)"
	is "$(header X-Content-Type-Options) $(header X-Frame-Options) $(header Referrer-Policy) $(header Cache-Control)" "nosniff DENY no-referrer no-cache" \
		"the other headers of /$file restrict it"
	etag=$(header ETag)
	api GET "$site/$file" -H "If-None-Match: $etag"
	is "$STATUS" 304 "the unchanged /$file gets 304 (C-340)"
done
for path in / /console; do
	api GET "$site$path"
	is "$STATUS $(header Location)" "308 /console/" "the path $path leads to the console"
done
for path in console/none.js console/console.js/ common/ common/../console.conf common/..%2f..%2fetc%2fpasswd console/%2e%2e/%2e%2e/etc/passwd html/console/console.js; do
	api GET "$site/$path"
	like "$STATUS" '^40[034]$' "the path /$path is refused (C-340)"
	unlike "$BODY" 'root:|location' "the answer to /$path has no file in it"
done
api POST "$site/console/console.js" '{}'
isnt "$STATUS" 200 "a POST to a file of the console is refused"

# What the policy would block, and what it cannot: the tree has none.
tree='nginx/html/console nginx/html/common'
is "$(grep -nE '<script[^>]*>[^<]|<style|[[:space:]]style=|[[:space:]]on[a-z]+=|javascript:' nginx/html/console/index.html)" "" \
	"the page of the console has no inline script, style or handler"
# shellcheck disable=SC2086 # two folders
is "$(grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|createContextualFragment|setAttribute\("style|cssText' $tree)" "" \
	"no script of the console turns text into markup, code or a style attribute"
# shellcheck disable=SC2086 # two folders
is "$(grep -rnoE 'https?://[a-z0-9-]+\.[a-z][^/"'"'"' ]*' $tree | grep -vE 'www\.w3\.org')" "" "the files of the console refer to no other site"
# shellcheck disable=SC2086 # two folders
is "$(grep -rlE '\bfetch\(|XMLHttpRequest|new WebSocket|sendBeacon|EventSource' $tree)" "nginx/html/common/api.js" "common/api.js is the only user of fetch"

# Each scope has words of its own in the form of a key, and each page its module.
for scope in $(sed -n 's/^SCOPE([A-Z_]*,[[:space:]]*"\([a-z.]*\)".*/\1/p' src/tbl/scopes.h); do
	ok "the scope $scope has words in the console" grep -q "\"$scope\":" nginx/html/console/scopes.js
done

# ---- budgets, in bytes: of each module, of what is read before the first page, and of what each page adds ----

bytes()
{
	cat "$@" | wc -c
}
# Of each file by itself, as nginx sends it.
zipped()
{
	for _f in "$@"; do gzip -9 -c "$_f"; done | wc -c
}
within()
{
	[ "$1" -le "$2" ] && pass "$3: $1 of $2 bytes" || fail "$3: $1 of $2 bytes"
}
scripts=$(find nginx/html/common nginx/html/console -name '*.js')
styles=$(find nginx/html/common nginx/html/console -name '*.css')
for file in $scripts; do
	within "$(bytes "$file")" 16000 "the module ${file#nginx/html/} is small"
done
# shellcheck disable=SC2086 # lists of files
within "$(bytes $styles)" 56000 "all style sheets together are small"
# shellcheck disable=SC2086 # a list of files
within "$(bytes $scripts)" 480000 "all modules together have a bound"
# shellcheck disable=SC2086 # a list of files
within "$(zipped $scripts)" 195000 "all modules together have a bound when compressed (C-340)"

# imports FILE: the modules that a module needs before it runs.
imports()
{
	sed -n 's/^\(import \|}\).* from "\(.*\)";$/\2/p; s/^} from "\(.*\)";$/\1/p; s/^import "\(.*\)";$/\1/p' "$1" | sort -u
}
# closure FILE...: these and everything they import, each once.
closure()
{
	_seen=''
	while [ $# -gt 0 ]; do
		_file=$(realpath --relative-to=. "$1")
		shift
		case " $_seen " in *" $_file "*) continue ;; esac
		_seen="$_seen $_file"
		for _i in $(imports "$_file"); do set -- "$@" "$(dirname "$_file")/$_i"; done
	done
	echo "$_seen"
}
# What every page needs, what somebody needs who is not signed in (C-355), and what each page adds.
shell=$(closure nginx/html/console/console.js)
page='nginx/html/console/index.html nginx/html/common/icon.svg nginx/html/common/theme.js'
sheets=$(sed -n 's/.*rel="stylesheet" href="\([^"]*\)".*/nginx\/html\/console\/\1/p' nginx/html/console/index.html)
# shellcheck disable=SC2046,SC2086 # lists of files
within "$(zipped $page $sheets $(closure nginx/html/console/console.js nginx/html/console/sign-in.js))" 35000 \
	"the files of the sign-in page are small when compressed (C-355)"
# What is read before the first hits are painted; facets, completion, repair, recent queries and dialogs come after it or on demand.
# shellcheck disable=SC2046 # a list of files
set -- $page $sheets nginx/html/console/search.css $(closure nginx/html/console/console.js nginx/html/console/search.js)
is "$#" 20 "the first view of the search is read from twenty files"
within "$(zipped "$@")" 35000 "the files of the first view of the search are small when compressed (C-355)"
# routes: the module and the style sheets of each page.
routes()
{
	sed -n 's/.*styles: \[\([^]]*\)\].*import("\.\/\([a-z-]*\.js\)").*/\2 \1/p' nginx/html/console/routes.js | tr -d '",'
}
is "$(routes | wc -l)" "$(grep -c 'load: () => import' nginx/html/console/routes.js)" "each page names its style sheets"
while read -r module sheets; do
	added=''
	for file in $(closure "nginx/html/console/$module"); do
		case " $shell " in *" $file "*) ;; *) added="$added $file" ;; esac
	done
	for sheet in $sheets; do added="$added nginx/html/console/$sheet.css"; done
	# shellcheck disable=SC2086 # a list of files
	within "$(zipped $added)" 25000 "the files that $module needs beyond those of every page are small when compressed (C-340)"
done <<EOF
$(routes)
EOF
