#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""bash, zsh and fish load the output of surfacectl completion as the package installs it, and complete what a
person types. In each shell a function stands for surfacectl and writes the words that it was called with."""
import os, pty, select, subprocess, sys, tempfile, time

TOP = os.path.dirname(os.path.abspath(__file__)) + "/../.."
SURFACECTL = os.environ.get("TOP_BUILDDIR", TOP) + "/surfacectl"
DEADLINE_S = 60

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

count = failures = 0


def ok(good, title, note=""):
    global count, failures
    count += 1
    failures += not good
    print("%sok %d - %s" % ("" if good else "not ", count, title))
    if not good and note:
        print("# " + note.replace("\n", "\n# "))


def read_until(fd, text, seen=b""):
    """Reads what the terminal shows until it contains the text."""
    end = time.monotonic() + DEADLINE_S
    while text not in seen and time.monotonic() < end:
        if select.select([fd], [], [], 1)[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:
                break
    return seen


def type_lines(where, command, setup):
    """Starts the shell on a terminal and types; returns what the terminal showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(where)
        os.environ.update(DIR=where, HOME=where, XDG_CONFIG_HOME=where, XDG_DATA_HOME=where, TERM="dumb", LC_ALL="C")
        os.execvp(command[0], command)
    # The quotes keep the typed line from containing the text that the shell then prints.
    lines = [line.strip() for line in setup.strip().splitlines()] + ["echo load''ed"]
    os.write(fd, "".join(line + "\r" for line in lines).encode())
    seen = read_until(fd, b"loaded")
    for typed, _, _ in LINES:
        os.write(fd, ("surfacectl %s\t\recho do''ne-%d\r" % (typed, len(typed))).encode())
        seen += read_until(fd, b"done-%d" % len(typed))
    os.write(fd, b"exit\r")
    read_until(fd, b"never printed")
    os.close(fd)
    os.waitpid(pid, 0)
    return seen.decode(errors="replace")


for shell, (name, command, setup) in SHELLS.items():
    with tempfile.TemporaryDirectory() as where:
        with open(where + "/" + name, "wb") as out:
            subprocess.run([SURFACECTL, "completion", command[0]], stdout=out, check=True)
        open(where + "/scan.ndjson", "w").close()
        seen = type_lines(where, command, setup)
        try:
            got = open(where + "/out").read().splitlines()
        except OSError:
            got = []
    got += [""] * (len(LINES) - len(got))
    for (typed, wanted, what), words in zip(LINES, got):
        ok(words == wanted, "the completion of %s adds %s" % (shell, what), "typed: %s\ngot: %s" % (typed, words))
    errors = [line for line in seen.splitlines() if "surfacectl" in line and ("line " in line or "error" in line)]
    ok(not errors, "%s loads its completion without an error" % shell, "\n".join(errors[:5]))
print("1..%d" % count)
sys.exit(failures > 0)
