"""A real PostgreSQL server, started for one test file in a folder of its own and stopped by its own process id."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sa

MISSING = "missing system package: postgresql"
DEADLINE_S = 60.0


def server_program(name):
    """The path of one of PostgreSQL's programs; Debian keeps them out of the search path."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    found = [str(place) for place in places] or [shutil.which(name)]
    if found[0] is None:
        pytest.skip(MISSING)
    return found[0]


def server_user(folder):
    """The server refuses to be root: then it is Debian's own user, who gets the folder."""
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip(MISSING)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One server on a free port; `ada` needs no password, the role `locked`, which a test may create, needs one."""

    def __init__(self, folder):
        self.folder = folder
        self.user = server_user(folder)
        self.port = free_port()
        self.process = None
        self._init()
        self.start()

    def _init(self):
        data = self.folder / "data"
        command = [server_program("initdb"), "-D", str(data), "-A", "trust", "-U", "ada", "--no-sync"]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60, **self.user)
        access = data / "pg_hba.conf"
        access.write_text("host all locked 127.0.0.1/32 scram-sha-256\n" + access.read_text())

    def start(self):
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder}
        options["fsync"] = "off"  # what is in the disk's cache outlives a process that is killed
        flags = [flag for name, value in options.items() for flag in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [server_program("postgres"), "-D", str(self.folder / "data"), *flags],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                **self.user,
            )
        self.wait()

    def wait(self):
        """Until it answers."""
        until = time.monotonic() + DEADLINE_S
        while True:
            try:
                return self.run("SELECT 1")
            except sa.exc.OperationalError:
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.05)

    def run(self, sql, database="postgres"):
        engine = sa.create_engine(self.url(database), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            result = connection.exec_driver_sql(sql)
            return result.fetchall() if result.returns_rows else []

    def url(self, database, user="ada", **query):
        more = "".join(f"&{name}={value}" for name, value in query.items())
        return f"postgresql+psycopg://{user}@127.0.0.1:{self.port}/{database}?connect_timeout=2{more}"

    def database(self):
        """The name of a new, empty one."""
        name = f"x{os.urandom(6).hex()}"
        self.run(f"CREATE DATABASE {name}")
        return name

    def processes(self):
        postmaster = psutil.Process(self.process.pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def signal(self, number):
        """Send it to the server and all its own processes."""
        for process in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def kill(self):
        """As a loss of power does, but for the disk's cache."""
        children = self.processes()
        self.signal(signal.SIGKILL)
        self.process.wait()
        psutil.wait_procs(children, timeout=DEADLINE_S)

    @contextlib.contextmanager
    def paused(self):
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(DEADLINE_S)


@pytest.fixture(scope="module")
def postgresql():
    """In a folder that is not pytest's: each pytest that starts closes those of all others to everybody but root."""
    pytest.importorskip("psycopg", reason=MISSING)
    with tempfile.TemporaryDirectory(prefix="scentfield-pg-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.stop()
