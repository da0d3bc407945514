#!/bin/sh
# SPDX-License-Identifier: ISC
# Keys and members in the console: secrets that are shown once, names that would be markup, changes that ask for a fresh
# sign-in, a session that ends under a form.
[ -n "${MODULES-}" ] || { MODULES=$(t/helper/npm) && export MODULES || exit 1; }
. t/lib.sh
. t/helper/console/start.sh
console_world
ANN=$(invitation owner ann@example.com Ann)
HOSTILE=$(printf '<img src=x onerror=document.title=1> </script> \342\200\256evil')
export ANN HOSTILE
console_test manage.mjs
