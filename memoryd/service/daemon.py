"""The daemon: the only place that builds its parts, and the loop that watches over them.

Order: home, lock, database, watcher, first scan, socket, scheduler, "ready". Everything that changes the
database goes through the worker; the main thread never touches it. What cannot be mended here ends the
process with a telling status, and the service manager starts it anew.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import structlog

from memoryd.config import Config, differing_keys, load_config
from memoryd.counting import counted
from memoryd.errors import ConfigError, HeldError
from memoryd.service.bank.embedding import Backfill, Embeddings
from memoryd.service.bank.search import serve_search
from memoryd.service.client import is_listening
from memoryd.service.commands import COMMANDS
from memoryd.service.home import CANARY_FOLDER, prepare_home
from memoryd.service.ingest import IngestReport, log_report
from memoryd.service.lock import WriterLock
from memoryd.service.notify import Notifier
from memoryd.service.resources import Ballast, Resources, give_back_memory, measure, step_back
from memoryd.service.scheduling import MakeScheduler, Scheduler
from memoryd.service.server import Handler, Progress, Server
from memoryd.service.signals import Signals
from memoryd.service.watching.filesystem import silent_kind
from memoryd.service.watching.watcher import Watcher
from memoryd.service.worker import Urgency, Worker
from memoryd.service.writer import Command, Writer, open_writer, utc_now
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from memoryd.store.connection import DATABASE_NAME

STOP_SECONDS = 2.0  # for the batch that runs, within the three seconds of a whole exit
LOOK_SECONDS = 3600.0  # between two checks of a database that was found damaged
LOCK_SECONDS = 10.0  # for a command without a daemon to end
STUCK_SECONDS = 120.0  # work without progress for so long is a hang
DEAF_SECONDS = 60.0  # so is a supervisor of the watcher without a round
MIGRATION_SECONDS = 30.0  # asked for again and again while the database is being opened
WAL_IDLE_BYTES = (
    1024 * 1024
)  # more than this is folded into the database when nothing else is to do
WAL_ALARM_BYTES = 128 * 1024 * 1024
PAUSE_PER_LOOK = 1000  # a look at 20,000 files that takes half a second comes eight minutes later
LONG = ("ingest", "reindex")  # commands that let everything else go first
SLEPT_SECONDS = 60.0  # the wall clock ran so much further than ours: the machine slept

log = structlog.get_logger()


def run_daemon(
    home: Path, config_path: Path | None, make_scheduler: MakeScheduler | None = None
) -> int:
    """Run until told to stop; returns the exit status.

    Args:
        config_path: None: `config.toml` in the home, if it is there when it is read.

    Raises:
        ConfigError: the configuration is wrong (78: a service manager must not try again).
        HeldError: another process writes to this home. StoreError: the database cannot be used.
    """
    return Daemon(home, config_path, make_scheduler).run()


class Daemon:
    """The parts, and how they are."""

    def __init__(
        self, home: Path, config_path: Path | None, make_scheduler: MakeScheduler | None
    ) -> None:
        self._home = home
        self._config_path = config_path
        self._make_scheduler = make_scheduler
        self._config = self._load()
        self._config_error = ""
        self._home_kind: str | None = None
        self._signals = Signals()
        self._notifier = Notifier(os.environ)
        self._lock = WriterLock(home)
        self._ballast = Ballast(home)
        self._worker = Worker(
            lambda: open_writer(home, self._config, lambda: not self._worker.going()),
            self._guard,
            on_end=self._signals.wake,
        )
        self._embeddings = Embeddings(home, self._config)
        self._backfill = Backfill(self._embeddings, self._ask_worker)
        self._server = Server(home, self._handlers())
        self._watcher: Watcher | None = None
        self._scheduler: Scheduler | None = None
        self._rescan_at = self._look_at = 0.0
        self._rescans: dict[str, Any] = {"count": 0, "last": None, "reason": ""}
        self._clock_gap = time.time() - time.monotonic()

    def _ask_worker(self, name: str, arguments: Mapping[str, Any]) -> Any:
        return self._worker.call(
            name, lambda writer: COMMANDS[name](writer, arguments, _ignore), Urgency.SCAN
        )

    def _load(self) -> Config:
        path = self._config_path or self._home / "config.toml"
        config = load_config(path) if self._config_path or path.exists() else Config()
        build_sources(config)  # a wrong source is a wrong configuration
        return config

    def _guard(self, writer: Writer) -> None:
        """Before every task: may we still write, and to the file that we opened?"""
        if not self._lock.still_held():
            raise HeldError(f"{self._lock.path} was removed or replaced: another may be writing")
        writer.store.check_file()

    def run(self) -> int:
        """Start the parts, watch over them, stop them in reverse order."""
        self._signals.install()
        step_back()
        for warning in prepare_home(self._home):
            log.warning("home_was_open", detail=warning)
        self._home_kind = silent_kind(self._home.resolve())
        with ExitStack() as parts:
            self._lock.acquire_patiently(LOCK_SECONDS, self._is_hopeless)
            parts.callback(self._lock.release)
            parts.callback(self._stop_worker)
            if self._open_database():
                self._start_parts(parts)
                self._loop()
        log.info("stopped")
        return 0

    def _is_hopeless(self) -> bool:
        return self._signals.terminating or is_listening(self._home)

    def _open_database(self) -> bool:
        """Wait for the worker's store, which may have to migrate; False if told to stop meanwhile."""
        self._worker.start()
        self._worker.opened.add_done_callback(lambda opened: self._signals.wake())
        while not self._worker.opened.done() and not self._signals.terminating:
            if self._worker.state.stuck_seconds < STUCK_SECONDS:
                self._notifier.extend(MIGRATION_SECONDS)
            self._signals.wait(MIGRATION_SECONDS / 3)
        if self._worker.opened.done():
            self._worker.opened.result()
        return not self._signals.terminating

    def _start_parts(self, parts: ExitStack) -> None:
        parts.callback(self._stop_watcher)
        self._start_watcher()
        self._server.start()
        parts.callback(self._stop_server)
        self._backfill.start()
        parts.callback(self._backfill.stop)
        if self._make_scheduler is not None:
            self._scheduler = self._make_scheduler(self._home, self._config, self._config_path)
            self._scheduler.start()
            parts.callback(self._scheduler.stop)
        parts.callback(self._notifier.stopping)
        log.info("started", home=str(self._home), pid=os.getpid())
        self._notifier.ready(self._summary())

    def _start_watcher(self) -> None:
        """Watch first and scan then: nothing falls between the two."""
        folder = self._home / CANARY_FOLDER
        sources = build_sources(self._config)
        self._watcher = Watcher(sources, self._on_dirty, self._on_rescan, folder)
        self._watcher.start()
        self._on_rescan("start")

    def _stop_watcher(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _stop_server(self) -> None:
        self._server.stop()

    def _stop_worker(self) -> None:
        if not self._worker.stop(STOP_SECONDS):
            log.warning("stopped_in_the_middle", task=self._worker.state.running)
            os._exit(0)  # an unfinished batch is undone by the database itself

    def _loop(self) -> None:
        while not self._signals.terminating:
            self._beat()
            until_rescan = max(0.0, self._rescan_at - time.monotonic())
            self._signals.wait(min(self._notifier.beat_seconds, until_rescan + 0.1))

    def _beat(self) -> None:
        """One look at everything.

        Raises:
            MemorydError: something died that only a new start can mend.
        """
        if self._signals.take_reload():
            self._reload()
        if self._signals.take_report():
            log.info("reported", **self._describe())
        self._check_parts()
        self._tend_disk()
        self._tend_damage()
        if self._slept() or time.monotonic() >= self._rescan_at:
            self._on_rescan("period")
        if self._progresses():
            self._notifier.alive(self._summary())

    def _check_parts(self) -> None:
        if self._worker.error is not None:
            raise self._worker.error
        if not self._lock.still_held():
            raise HeldError(f"{self._lock.path} was removed or replaced: another may be writing")
        if not self._server.is_alive() or not self._server.reachable():
            log.warning("socket_lost", address=str(self._server.address))
            self._server.stop()
            self._server = Server(self._home, self._handlers())
            self._server.start()

    def _tend_disk(self) -> None:
        """Keep space in hand, stop growing when it runs out, and shrink the write-ahead log when idle."""
        self._ballast.balance()
        self._worker.hold("the disk is nearly full" if self._ballast.full else "")
        state = self._worker.state
        idle = not (state.waiting or state.running)
        if idle and self._measure().wal_bytes > WAL_IDLE_BYTES:
            self._worker.submit("tidy", _tidy, Urgency.SCAN)

    def _tend_damage(self) -> None:
        """A task met damage: look at everything once an hour; indexes are mended at once, the rest needs a person."""

        def look(writer: Writer) -> None:
            told = COMMANDS["integrity"](writer, {}, _ignore)
            log.warning("damage_looked_at", **told)
            if not told["damage"]:
                self._worker.mended()
                self._on_rescan("the database was mended")

        if self._worker.state.damage and time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOOK_SECONDS
            self._worker.submit("integrity", look, Urgency.REQUEST)

    def _measure(self) -> Resources:
        return measure(self._home, self._home / DATABASE_NAME)

    def _ailments(self, resources: Resources) -> list[str]:
        """Everything that is not as it should be, for people."""
        ailments = [*(self._watcher.degraded if self._watcher else ())]
        if self._home_kind is not None:
            ailments.append(
                f"{self._home} lies on {self._home_kind}: choose a --home on a local disk"
            )
        if resources.wal_bytes > WAL_ALARM_BYTES:
            megabytes = resources.wal_bytes // 2**20
            ailments.append(f"the write-ahead log has {megabytes} MB: a program reads without end")
        state = self._worker.state
        return ailments + [
            text for text in (state.trouble, state.damage, self._config_error) if text
        ]

    def _progresses(self) -> bool:
        """Real progress of the writer and of the watching; the main loop proves itself by asking."""
        stuck = self._worker.state.stuck_seconds
        deaf = self._watcher.silent_seconds if self._watcher else 0.0
        if stuck < STUCK_SECONDS and deaf < DEAF_SECONDS:
            return True
        log.error("stuck", writer_seconds=round(stuck), watcher_seconds=round(deaf))
        return False

    def _slept(self) -> bool:
        """Did the machine sleep, or somebody set the clock, since the last beat?"""
        gap = time.time() - time.monotonic()
        jump, self._clock_gap = abs(gap - self._clock_gap), gap
        return jump > SLEPT_SECONDS

    def _reload(self) -> None:
        """Work by the new configuration if it is right; else keep the old one and say so."""
        self._notifier.reloading()
        try:
            config = self._load()
        except ConfigError as error:
            self._config_error = str(error)
            log.warning("config_refused", error=str(error))
        else:
            self._adopt(config)
        self._notifier.ready(self._summary())

    def _adopt(self, config: Config) -> None:
        changed = differing_keys(self._config, config)
        self._config, self._config_error = config, ""
        self._worker.submit("reload", lambda writer: writer.configure(config), Urgency.REQUEST)
        self._embeddings.configure(config)
        if self._scheduler is not None:
            self._scheduler.configure(config)
        self._stop_watcher()
        self._start_watcher()
        log.info("config_reloaded", changed=", ".join(changed) or "nothing")
        if "files.approve" in changed and self._notifier.has_manager:
            # What may be written stands in the unit: the one thing that a reload cannot change.
            log.warning(
                "config_needs_install", detail="approved files: run `memoryd service install`"
            )

    def _on_dirty(self, source: Source, path: Path) -> None:
        def follow(writer: Writer) -> Iterator[None]:
            report = IngestReport()
            yield from writer.scanner.follow(source, path, report)
            log_report(report)

        self._worker.submit(f"follow {source.name} {path}", follow)

    def _on_rescan(self, reason: str) -> None:
        def scan(writer: Writer) -> Iterator[None]:
            report = IngestReport()
            yield from writer.scanner.scan(report)
            self._rescans |= {"last": utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")}
            give_back_memory()
            self._rescan_at += PAUSE_PER_LOOK * writer.scanner.look_seconds
            log_report(report)

        self._rescan_at = time.monotonic() + self._config.ingest.rescan_seconds
        if self._worker.submit("scan", scan, Urgency.SCAN):
            self._rescans |= {"count": self._rescans["count"] + 1, "reason": reason}

    def _handlers(self) -> dict[str, Handler]:
        handlers = {name: self._through_worker(name, command) for name, command in COMMANDS.items()}
        search = serve_search(
            self._home, lambda: self._config, self._embeddings.near, self._count_access
        )
        return {
            **handlers,
            "memory.search": search,
            "status": lambda arguments, progress: self._describe(),
        }

    def _count_access(self, access: dict[str, Any]) -> None:
        name = f"access {access['session']} {access['ids']}"
        self._worker.submit(
            name,
            lambda writer: COMMANDS["memory.accessed"](writer, access, _ignore),
            Urgency.REQUEST,
        )

    def _through_worker(self, name: str, command: Command) -> Handler:
        def handle(arguments: Mapping[str, Any], progress: Progress) -> object:
            urgency = Urgency.SCAN if name in LONG else Urgency.REQUEST
            return self._worker.call(
                name, lambda writer: command(writer, arguments, progress), urgency
            )

        return handle

    def _summary(self) -> str:
        """One line for people who ask the service manager."""
        states = self._watcher.states if self._watcher else ()
        watched = sum(state.watch != "missing" for state in states)
        return f"watching {counted(watched, 'folder')}, {counted(self._worker.state.waiting, 'task')} waiting"

    def _describe(self) -> dict[str, Any]:
        """What only the running daemon knows, for `status`."""
        state, resources = self._worker.state, self._measure()
        watcher = self._watcher
        return {
            "pid": os.getpid(),
            "watch": {root.root: root.watch for root in watcher.states} if watcher else {},
            "watcher": watcher.counters if watcher else {},
            "writer": {
                "waiting": state.waiting,
                "running": state.running,
                "stuck_seconds": round(state.stuck_seconds, 1),
                "done": state.done,
                "failed": state.failed,
            },
            "rescans": self._rescans,
            "resources": asdict(resources),
            "jobs": list(self._scheduler.jobs()) if self._scheduler else [],
            "damage": state.damage or None,
            "embedding_trouble": self._backfill.trouble or None,
            "config_error": self._config_error or None,
            "degraded": self._ailments(resources),
        }


def _ignore(told: object) -> None:
    """Nobody waits to hear of progress."""


def _tidy(writer: Writer) -> None:
    """What a burst of work left behind on disk and in memory."""
    writer.store.checkpoint()
    give_back_memory()
