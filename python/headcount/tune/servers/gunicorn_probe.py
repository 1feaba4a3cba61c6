"""Programs that a Gunicorn's own Python runs: they ask Gunicorn how it reads its settings.

They run as the user of its workers, with the environment and in the folder of its first process,
so that the application finds what it needs and owns what it writes. The environment is read where
the process is, and never a command line that others could see.
"""

AS_IT = """\
import os, shutil, sys
pid, worker, folder, needed = sys.argv[1:5]
with open("/proc/%s/environ" % pid, "rb") as file:
    words = [word.split(b"=", 1) for word in file.read().split(b"\\0") if b"=" in word]
known = {name.decode(errors="surrogateescape"): value.decode(errors="surrogateescape")
         for name, value in words}
known["PYTHONDONTWRITEBYTECODE"] = "1"
known.pop("LISTEN_FDS", None), known.pop("NOTIFY_SOCKET", None)
def ids(one):
    with open("/proc/%s/status" % one) as file:
        lines = dict(line.split(":", 1) for line in file if ":" in line)
    return [[int(word) for word in lines[name].split()] for name in ("Uid", "Gid", "Groups")]
def fits(one):
    if one == pid:
        return True
    program = shutil.which(sys.argv[5], path=known.get("PATH")) or sys.argv[5]
    wanted = [(program, os.X_OK)] + [(needed, os.R_OK)] * os.path.exists(needed)
    return all(os.access(path, mode, effective_ids=True) for path, mode in wanted)
os.chdir(folder)
if os.geteuid() == 0:
    for one in (worker, pid):
        users, groups, others = ids(one)
        os.setgroups(others)
        os.setegid(groups[1])
        os.seteuid(users[1])
        is_it = fits(one)
        os.seteuid(0)
        if is_it:
            break
    os.setgid(groups[1])
    os.setuid(users[1])
os.execvpe(sys.argv[5], sys.argv[5:], known)
"""
"""Runs a command as Gunicorn would: PROCESS WORKER FOLDER FILE COMMAND...

FILE is its configuration. If the workers' user may not read it, or run the command, the user of
the first process is taken.
"""

_READ = """\
import json, sys
sys.argv[0] = "gunicorn"
from gunicorn.app.wsgiapp import WSGIApplication
app = WSGIApplication("%(prog)s [OPTIONS] [APP_MODULE]", prog="gunicorn")
"""
CLASS = f"{_READ}app.cfg.worker_class\n"
"""Loads the worker class, which `--check-config` does not: a reload with a missing one would end
Gunicorn."""
SETTINGS = (
    _READ
    + """\
parser = app.cfg.parser()
def given(words):
    return {name: str(value) for name, value in vars(parser.parse_args(words)).items()
            if value is not None and name != "args"}
found = {
    "values": {name: str(one.get()) for name, one in app.cfg.settings.items()},
    "line": given(sys.argv[1:]),
    "environment": given(app.cfg.get_cmd_args_from_env()),
}
print("\\n" + json.dumps(found))
"""
)
"""Prints the settings in force by name, and those of its command line and of GUNICORN_CMD_ARGS."""
