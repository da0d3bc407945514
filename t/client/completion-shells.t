#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""bash, zsh and fish load the output of surface completion as the package installs it, and complete what a person
types. In each shell a function stands for surface: it runs surface when the shell asks for words, and otherwise writes
the words that it was called with. The words of these lines come from tables, so there is no API."""
import os, sys

TOP = os.path.dirname(os.path.abspath(__file__)) + "/../.."
sys.path.insert(0, TOP + "/t/helper")
sys.dont_write_bytecode = True
from shells import BUILD, complete  # noqa: E402

POSIX = """
    surface() { if [ "$1 $2" = "completion words" ]; then "$SURFACE" "$@"; else local IFS='|'; echo "$*" >>"$DIR/out"; fi; }
"""
SHELLS = {
    "bash": ("surface", ["bash", "--norc", "--noprofile", "-i"], 'source "$DIR/surface"' + POSIX),
    "zsh": ("_surface", ["zsh", "-f", "-i"], """
        fpath=("$DIR" $fpath)
        autoload -Uz compinit; compinit -u -d "$DIR/dump"
    """ + POSIX),
    "zsh with source": ("_surface", ["zsh", "-f", "-i"], """
        autoload -Uz compinit; compinit -u -d "$DIR/dump"
        source "$DIR/_surface"
    """ + POSIX),
    "fish": ("surface.fish", ["fish", "--private", "-i"], """
        set -p fish_complete_path "$DIR"
        function surface; if test "$argv[1..2]" = "completion words"; "$SURFACE" $argv; else; string join '|' -- $argv >>"$DIR/out"; end; end
    """),
}

LINES = (
    ("va", "validate", "a command"),
    ("session sto", "session|stop", "a command of a command"),
    ("search ho", "search|hosts", "a dataset"),
    ("search hosts --lim", "search|hosts|--limit", "an option"),
    ("search hosts --limit 5 --al", "search|hosts|--limit|5|--all", "an option behind a value"),
    ("completion fi", "completion|fish", "a shell"),
    ("export hosts -o sca", "export|hosts|-o|scan.ndjson", "the name of a file"),
)

complete("surface", SHELLS, LINES, {"SURFACE": BUILD + "/surface"})
