#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""bash, zsh and fish load the output of surfacectl completion as the package installs it, and complete what a
person types. In each shell a function stands for surfacectl and writes the words that it was called with."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../helper")
sys.dont_write_bytecode = True
from shells import complete  # noqa: E402

# The file that the package installs, the shell's command, and the lines that load the file and define the function.
SHELLS = {
    "bash": ("surfacectl", ["bash", "--norc", "--noprofile", "-i"], """
        source "$DIR/surfacectl"
        surfacectl() { local IFS='|'; echo "$*" >>"$DIR/out"; }
    """),
    "zsh": ("_surfacectl", ["zsh", "-f", "-i"], """
        fpath=("$DIR" $fpath)
        autoload -Uz compinit; compinit -u -d "$DIR/dump"
        surfacectl() { print -r -- "${(j:|:)@}" >>"$DIR/out" }
    """),
    "zsh with source": ("_surfacectl", ["zsh", "-f", "-i"], """
        autoload -Uz compinit; compinit -u -d "$DIR/dump"
        source "$DIR/_surfacectl"
        surfacectl() { print -r -- "${(j:|:)@}" >>"$DIR/out" }
    """),
    "fish": ("surfacectl.fish", ["fish", "--private", "-i"], """
        set -p fish_complete_path "$DIR"
        function surfacectl; string join '|' -- $argv >>"$DIR/out"; end
    """),
}

# What is typed before the tabulator key, the words that the command then gets, and what this shows.
LINES = (
    ("ke", "keys", "a command"),
    ("keys rot", "keys|rotate", "a command of a command"),
    ("keys create --sc", "keys|create|--scope", "an option"),
    ("keys create --account Example --sc", "keys|create|--account|Example|--scope", "an option behind a value"),
    ("--json keys rot", "--json|keys|rotate", "a command behind a global option"),
    ("--ver", "--version", "a global option"),
    ("import hosts sca", "import|hosts|scan.ndjson", "the name of a file"),
)

complete("surfacectl", SHELLS, LINES)
