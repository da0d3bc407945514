# SPDX-License-Identifier: ISC
"""Completion as a person uses it: bash, zsh and fish on a terminal load the code, and each line is typed with a
tabulator key behind it."""
import os, pty, select, subprocess, sys, tempfile, time

BUILD = os.environ.get("TOP_BUILDDIR", os.path.dirname(os.path.abspath(__file__)) + "/../..")
DEADLINE_S = 60
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


def type_lines(where, command, setup, program, lines_typed, more):
    """Starts the shell on a terminal and types; returns what the terminal showed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(where)
        os.environ.update(DIR=where, HOME=where, XDG_CONFIG_HOME=where, XDG_DATA_HOME=where, TERM="dumb", LC_ALL="C", **more)
        os.execvp(command[0], command)
    # The quotes keep the typed line from containing the text that the shell then prints.
    lines = [line.strip() for line in setup.strip().splitlines()] + ["echo load''ed"]
    os.write(fd, "".join(line + "\r" for line in lines).encode())
    seen = read_until(fd, b"loaded")
    for typed, _, _ in lines_typed:
        os.write(fd, ("%s %s\t\recho do''ne-%d\r" % (program, typed, len(typed))).encode())
        seen += read_until(fd, b"done-%d" % len(typed))
    os.write(fd, b"exit\r")
    read_until(fd, b"never printed")
    os.close(fd)
    os.waitpid(pid, 0)
    return seen.decode(errors="replace")


def complete(program, shells, lines, more=None):
    """Types every line into every shell: lines are what is typed before the tabulator key, the words that the command
    then gets, and what this shows. The shells have the file that the package installs, the shell's command, and the lines
    that load the file and define a function in the program's place, which writes its words to $DIR/out. more: further
    variables of the environment."""
    for shell, (name, command, setup) in shells.items():
        with tempfile.TemporaryDirectory() as where:
            with open(where + "/" + name, "wb") as out:
                subprocess.run([BUILD + "/" + program, "completion", command[0]], stdout=out, check=True)
            open(where + "/scan.ndjson", "w").close()
            seen = type_lines(where, command, setup, program, lines, more or {})
            try:
                got = open(where + "/out").read().splitlines()
            except OSError:
                got = []
        got += [""] * (len(lines) - len(got))
        for (typed, wanted, what), words in zip(lines, got):
            ok(words == wanted, "the completion of %s adds %s" % (shell, what), "typed: %s\ngot: %s" % (typed, words))
        errors = [line for line in seen.splitlines() if program in line and ("line " in line or "error" in line)]
        ok(not errors, "%s loads its completion without an error" % shell, "\n".join(errors[:5]))
    print("1..%d" % count)
    sys.exit(failures > 0)
