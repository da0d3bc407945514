#!/bin/sh
# SPDX-License-Identifier: ISC
# nginx serves the viewer's files with headers that let them do nothing but their work, and nothing else there.
. t/lib.sh
world
web_start ''
key=none
site=${BASE_URL%/api/v1}/viewer

for file in "" $(cd nginx/html/viewer && ls); do
	api GET "$site/$file"
	is "$STATUS" 200 "/viewer/$file"
	case $file in
	*.js) type='text/javascript; charset=utf-8' ;;
	*.css) type='text/css; charset=utf-8' ;;
	*.svg) type=image/svg+xml ;;
	*) type='text/html; charset=utf-8' ;;
	esac
	is "$(header Content-Type)" "$type" "its type"
	like "$(header Content-Security-Policy)" "^default-src 'none'; script-src 'self'; style-src 'self';.* connect-src 'self'; .*frame-ancestors 'none'" "its policy"
	unlike "$(header Content-Security-Policy)" 'unsafe|\*|https?:' "without an exception"
	is "$(header X-Content-Type-Options) $(header Referrer-Policy) $(header Cache-Control)" "nosniff no-referrer no-cache" "its other headers"
	etag=$(header ETag)
	api GET "$site/$file" -H "If-None-Match: $etag"
	is "$STATUS" 304 "not sent again while it stands"
done
api GET "$site"
is "$STATUS $(header Location)" "308 $site/" "the name without a slash"
for path in none.js viewer.js/ ../http.conf ..%2fhttp.conf %2e%2e/%2e%2e/etc/passwd .; do
	api GET "$site/$path"
	case $STATUS in
	400 | 404) pass "nothing else: $path" ;;
	*) [ "$path" = . ] && [ "$STATUS" = 200 ] && pass "the folder itself: $path" || fail "nothing else: $path ($STATUS)" ;;
	esac
done
api POST "$site/viewer.js" '{}'
isnt "$STATUS" 200 "nor by another method"

# A policy without exceptions would break what is inline: there is none.
is "$(grep -nE '<script[^>]*>[^<]|<style|[[:space:]]style=|[[:space:]]on[a-z]+=|javascript:' nginx/html/viewer/index.html)" "" "no script, style or handler inline"
is "$(grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function' nginx/html/viewer)" "" "no text becomes markup or code"
is "$(grep -rnoE 'https?://[a-z][^/"'"'"' ]*' nginx/html/viewer | grep -vE 'www\.w3\.org')" "" "nothing comes from elsewhere"
