#!/bin/sh
# SPDX-License-Identifier: ISC
# nginx serves the viewer's files with headers that restrict them, and no other file below their path.
. t/lib.sh
world
web_start ''
key=none
site=${BASE_URL%/api/v1}/viewer

for file in "" $(cd nginx/html/viewer && ls); do
	api GET "$site/$file"
	is "$STATUS" 200 "the viewer's file /viewer/$file is served"
	case $file in
	*.js) type='text/javascript; charset=utf-8' ;;
	*.css) type='text/css; charset=utf-8' ;;
	*.svg) type=image/svg+xml ;;
	*) type='text/html; charset=utf-8' ;;
	esac
	is "$(header Content-Type)" "$type" "the media type of /viewer/$file is $type"
	like "$(header Content-Security-Policy)" "^default-src 'none'; script-src 'self'; style-src 'self';.* connect-src 'self'; .*frame-ancestors 'none'" \
		"the content security policy of /viewer/$file allows its own origin"
	unlike "$(header Content-Security-Policy)" 'unsafe|\*|https?:' \
		"the content security policy of /viewer/$file has no exception"
	is "$(header X-Content-Type-Options) $(header Referrer-Policy) $(header Cache-Control)" "nosniff no-referrer no-cache" \
		"the other headers of /viewer/$file restrict it"
	etag=$(header ETag)
	api GET "$site/$file" -H "If-None-Match: $etag"
	is "$STATUS" 304 "the unchanged /viewer/$file gets 304"
done
api GET "$site"
is "$STATUS $(header Location)" "308 /viewer/" "the viewer's path without a slash is redirected"
for path in none.js viewer.js/ ../http.conf ..%2fhttp.conf %2e%2e/%2e%2e/etc/passwd .; do
	api GET "$site/$path"
	case $STATUS in
	400 | 404) pass "the path $path below the viewer is refused" ;;
	*) [ "$path" = . ] && [ "$STATUS" = 200 ] && pass \
		"the path $path serves the viewer's directory" || fail \
		"the path $path below the viewer is refused ($STATUS)" ;;
	esac
done
api POST "$site/viewer.js" '{}'
isnt "$STATUS" 200 "a POST to a file of the viewer is refused"

# The policy would block inline scripts and styles: the page has none.
is "$(grep -nE '<script[^>]*>[^<]|<style|[[:space:]]style=|[[:space:]]on[a-z]+=|javascript:' nginx/html/viewer/index.html)" "" \
	"the page has no inline script, style or handler"
is "$(grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function' nginx/html/viewer)" "" \
	"the viewer's scripts never turn text into markup or code"
is "$(grep -rnoE 'https?://[a-z][^/"'"'"' ]*' nginx/html/viewer | grep -vE 'www\.w3\.org')" "" \
	"the viewer's files refer to no other site"
