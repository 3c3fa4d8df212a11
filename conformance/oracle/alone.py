#!/usr/bin/env python3
"""alone.py MINOR ADAPTER...: nothing outside its own folder is written or read by a whole kubelet that plays a few cases.

Its own are a fresh TMPDIR and the /var that is put in the place of the machine's (up to 1.29).  What a machine is made of it may
read: programs and libraries, /proc, /sys, a few files of /etc.  Exit 0: so it is, 1: not, with a line a path, 2: usage, 4: there is no
strace, or the cases were not played.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CASES = ["text-of-a-kill-that-fails", "restart-while-a-start-is-out", "vanished"]
READ = ("/proc", "/sys", "/usr", "/lib", "/bin", "/sbin", "/dev/null", "/dev/kmsg",
        "/etc/ld.so.", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/selinux", "/etc/mime.types", "/etc/apache",
        "/etc/httpd", "/etc/os-release", "/etc/machine-id",
        "/etc/userdb", "/run/userdb", "/run/host/userdb", "/run/systemd/userdb")  # of the C library, which looks for a user
WRITTEN = ("/dev/null", "/dev/kmsg", "/proc/self/")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|^(mkdir|unlink|rename|f?chmod|f?chown|lchown|symlink|link|mknod|truncate|utime|rmdir|creat)")
CALL = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)")
PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"')
HIDES = re.compile(r'mount\("[^"]*/var", "/var", [^,]*, MS_BIND, [^)]*\)\s+= 0')


def is_in(path, folders):
    return any(path == f or path.startswith(f if f.endswith((".", "/")) else f + "/") for f in folders)


def foreign_paths(lines, own):
    """What was written or read that is neither its own nor the machine's, one text each."""
    found, own = {}, list(own)
    for line in lines:
        if HIDES.search(line):
            own.append("/var")
        call = CALL.match(line)
        if not call or int(call[3]) < 0 or call[1] in ("mount", "readlink", "readlinkat", "execve", "chdir"):
            continue  # what is not there says nothing; a link is read as what it leads to
        if "O_PATH" in call[2] or "AT_EMPTY_PATH" in call[2]:
            continue  # a folder on the way to a file, which cannot be read so; what was opened before
        writes = WRITES.search(call[1]) or WRITES.search(call[2])
        for folder, name in PLACE.findall(call[2]):
            path = os.path.normpath(os.path.join(folder, name)) if name else folder
            if path == "/" and "stat" in call[1]:
                continue  # the C library asks whether the root is another one by now
            if path.startswith("/") and not is_in(path, own) and not is_in(path, WRITTEN if writes else READ):
                found["%s %s" % ("written:" if writes else "read:", path)] = None
    return list(found)


def main(argv):
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not shutil.which("strace"):
        print("alone: no strace here", file=sys.stderr)
        return 4
    with tempfile.TemporaryDirectory(prefix="alone-") as own, tempfile.NamedTemporaryFile("r", suffix=".strace") as trace:
        done = subprocess.run(["build/probetest", "run", "--quiet", "--k8s", argv[0], "--timeout", "60000", *CASES, "--", "strace", "-f", "-y", "-qq",
                               "-s", "4096", "-e", "trace=file", "-o", trace.name, *argv[1:]],
                              env={**os.environ, "TMPDIR": own}, capture_output=True, text=True)
        if done.returncode != 0:
            print("alone: %s" % ((done.stderr or done.stdout).strip() or "no case was played"), file=sys.stderr)
            return 4
        found = foreign_paths(trace, [own, os.path.realpath(own)] + [os.path.realpath(a) for a in argv[1:] if os.path.exists(a)])
    print("\n".join(found) or "alone: nothing outside its own folder")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
