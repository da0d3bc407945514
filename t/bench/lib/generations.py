# SPDX-License-Identifier: ISC
"""Waits for the index of an instance: until it is searchable, and until surfaced-index has nothing left to merge.

surfaced-index writes each file under another name, renames it, publishes the generation by renaming the manifest, and then
removes the files that the manifest does not name. inotify reports each rename and each removal, so nothing here sleeps.
"""
import ctypes
import glob
import os
import select
import time

IN_MOVED_TO, IN_DELETE = 0x80, 0x200
# An index of so few segments is merged no further (IDLE_SEGMENTS in src/indexer/merger.c).
IDLE_SEGMENTS = 2
# A worker looks for a new generation when it gets a request, and at most every two milliseconds. The request that follows
# the rename of the manifest may still be answered from the generation before, so it is repeated without an event, too.
AGAIN = 1


class Index:
    def __init__(self, directory, dataset):
        self.directory, self.dataset = directory, dataset
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self.fd < 0 or libc.inotify_add_watch(
                self.fd, os.fsencode(directory), IN_MOVED_TO | IN_DELETE) < 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), directory)

    def segments(self):
        """The names of the files: those of the published segments, and those of a merge that is not yet published."""
        return sorted(glob.glob(os.path.join(self.directory, self.dataset + "-*.seg")))

    def until(self, condition, seconds, again=None):
        """Whether the condition becomes true in time. It is asked at the beginning and after each change of a file."""
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if select.select([self.fd], [], [], min(left, again or left))[0]:
                os.read(self.fd, 1 << 16)
        return True

    def wait_idle(self, seconds):
        """Until the merges of an idle index have ended. The caller has seen all documents, and adds none."""
        if not self.until(lambda: len(self.segments()) <= IDLE_SEGMENTS, seconds):
            raise RuntimeError("%s has %d segments of %s after %d s: surfaced-index does not merge them" % (
                self.directory, len(self.segments()), self.dataset, seconds))

    def close(self):
        os.close(self.fd)
