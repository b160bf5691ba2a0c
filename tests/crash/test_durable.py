"""An append is on disk when it returns: the system's own record of calls says so."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

APPENDS = 5
CHILD = """
import os, sys
import lamina

memory = lamina.open(sys.argv[1], embedder="none", background=False)
session = memory.session("talk")
session.append("user", "the first one makes the files")
for turn in range(int(sys.argv[2])):
    os.write(1, b"BEFORE %d" % turn)
    session.append("user", f"turn {turn}")
    os.write(1, b"AFTER %d" % turn)
    os.write(1, b"BEFORE note %d" % turn)
    memory.add(f"note {turn}")
    os.write(1, b"AFTER note %d" % turn)
"""
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void said(const char *what, int fd) {
    char line[64];
    int size = snprintf(line, sizeof line, "%s(%d\\n", what, fd);
    ssize_t (*out)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    out(2, line, size);
}
int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    int result = real(fd);
    said("fsync", fd);
    return result;
}
int fdatasync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    int result = real(fd);
    said("fdatasync", fd);
    return result;
}
static ssize_t wrote(int fd, const void *data, size_t size) {
    if (fd == 1) {
        ssize_t (*out)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
        out(2, "write(1, \\"", 10); out(2, data, size); out(2, "\\"\\n", 2);
    } else said("pwrite64", fd);
    return 0;
}
ssize_t write(int fd, const void *data, size_t size) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    if (fd != 2) wrote(fd, data, size);
    return real(fd, data, size);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    wrote(fd, data, size);
    return real(fd, data, size, at);
}
"""
CALLS = "trace=write,pwrite64,pwritev,writev,fsync,fdatasync"


def traced_by_strace(store: Path, log: Path) -> list[str] | None:
    strace = shutil.which("strace")
    if strace is None:
        return None
    command = [strace, "-f", "-e", CALLS, "-o", str(log), sys.executable, "-c", CHILD]
    done = subprocess.run([*command, str(store), str(APPENDS)], capture_output=True, check=False)
    return log.read_text("utf-8", "replace").splitlines() if done.returncode == 0 else None


def traced_by_shim(store: Path, folder: Path) -> list[str] | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return None
    source, library = folder / "shim.c", folder / "shim.so"
    source.write_text(SHIM, "utf-8")
    build = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    if subprocess.run(build, check=False, capture_output=True).returncode:
        return None
    command = ["env", f"LD_PRELOAD={library}", sys.executable, "-c", CHILD]
    command += [str(store), str(APPENDS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stderr.splitlines()


def check(lines: list[str]) -> None:
    spans = 0
    writes, synced, inside = 0, False, False
    for line in lines:
        if "BEFORE" in line:
            writes, synced, inside = 0, False, True
        elif "AFTER" in line:
            assert inside
            assert writes > 0, "an append returned without a write"
            assert synced, "an append returned before its last write was synced"
            spans, inside = spans + 1, False
        elif inside and re.search(r"\bp?writev?(64)?\(", line):
            writes, synced = writes + 1, False
        elif inside and re.search(r"\bf(data)?sync\(", line):
            synced = True
    assert spans == 2 * APPENDS


def test_strace_shows_a_sync_between_each_append_and_its_return(tmp_path: Path) -> None:
    lines = traced_by_strace(tmp_path / "store", tmp_path / "log")
    if lines is None:
        pytest.skip("strace is not installed, or may not trace here")
    check(lines)


def test_a_counting_shim_shows_a_sync_between_each_append_and_its_return(tmp_path: Path) -> None:
    lines = traced_by_shim(tmp_path / "store", tmp_path)
    if lines is None:
        pytest.skip("no C compiler for the shim, or not on Linux")
    check(lines)
