"""Small made banks: values that change, come back, are copied, worded differently, told at length, merged by an earlier run."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memoryd.model import Entry

START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = datetime(2026, 9, 1, tzinfo=UTC)

# Wordings of one attribute and its values; the wordings of a row say the same of the same value, some say more.
SUBJECTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (
            "The project uses Node {v}.",
            "the project uses Node {v}",
            "The project now uses Node {v}.",
            "The project uses Node {v}, because the lockfile needs it.",
        ),
        ("18", "20", "22"),
    ),
    (
        (
            "The retry limit is {v}.",
            "Retry limit: {v}",
            "The retry limit is now {v}.",
            "The limit of retries is {v}.",
        ),
        ("3", "5", "8"),
    ),
    (
        (
            "The database port is {v}.",
            "The port of the database is {v}.",
            "The database port is {v} now",
            "The database port is {v}; it is open inside of the network only.",
        ),
        ("5432", "6432", "7432"),
    ),
    (
        (
            "{v} maintains the billing module.",
            "The billing module is maintained by {v}.",
            "The maintainer of the billing module is {v}.",
            "{v} now maintains the billing module.",
        ),
        ("Marta", "Imran", "Lena"),
    ),
    (
        ("I live in {v}.", "I moved to {v}.", "I now live in {v}."),
        ("Munich", "Hamburg", "Graz"),
    ),
    (
        (
            "Deploys happen on {v}.",
            "We deploy on {v}.",
            "Deploys happen on {v} now.",
            "Deploys happen on {v}, never at night.",
        ),
        ("Tuesdays", "Thursdays", "Mondays"),
    ),
    (
        ("{v} push to main.", "{v} push to main", "{v} push to main, because CI deploys it."),
        ("Never", "Do not", "Always"),
    ),
    (
        ("The cache lives for {v}.", "The cache lives for {v}; it is warmed at night."),
        ("two hours", "120 minutes", "3 hours"),
    ),
    (
        ("数据库端口是 {v}。", "数据库的端口是{v}", "数据库端口改成 {v} 了。"),
        ("5432", "6432", "7432"),
    ),
    (
        ("项目负责人是{v}。", "项目的负责人是{v}", "项目负责人现在是{v}。"),
        ("王芳", "李强", "陈静"),
    ),
    (("我住在{v}。", "我搬到了{v}。", "我现在住在{v}"), ("上海", "成都", "杭州")),
    (
        ("接口超时是 {v}。", "接口的超时是{v}", "接口超时是 {v},网关也一样。"),
        ("30 秒", "三十秒", "60 秒"),
    ),
    (
        ("再試行の上限は{v}回です。", "再試行の上限は{v}回だ", "再試行の上限は今は{v}回です。"),
        ("3", "5", "8"),
    ),
    (("会議は{v}です。", "会議は{v}に行う。"), ("月曜日", "木曜日", "金曜日")),
    (
        ("배포는 {v}에 한다.", "배포는 {v}에 합니다", "이제 배포는 {v}에 한다."),
        ("월요일", "목요일"),
    ),
    (("데이터베이스 포트는 {v}이다.", "데이터베이스 포트는 {v}입니다"), ("5432", "6432", "7432")),
    (
        (
            "Der Port der Datenbank ist {v}.",
            "Der Datenbankport ist {v}",
            "Der Port der Datenbank ist jetzt {v}.",
        ),
        ("5432", "6432", "7432"),
    ),
    (("Wir liefern {v} aus.", "Ausgeliefert wird {v}."), ("dienstags", "donnerstags")),
    (
        (
            "La limite de tentatives est {v}.",
            "La limite des tentatives est de {v}",
            "La limite de tentatives est maintenant {v}.",
        ),
        ("3", "5", "8"),
    ),
    (
        (
            "El puerto de la base de datos es {v}.",
            "El puerto de la base de datos es el {v}",
            "El puerto de la base de datos ahora es {v}.",
        ),
        ("5432", "6432", "7432"),
    ),
)

Run = Callable[[list[Entry]], list[Entry]]


def make_bank(seed: int, run: Run | None = None) -> list[Entry]:
    """Make 6 to 20 entries; *run* is what an earlier night does to the first of them."""
    chance = random.Random(seed)
    subjects = chance.sample(SUBJECTS, chance.randint(1, 3))
    night = chance.random() < 0.4
    size = chance.randint(6, 20)
    cut = chance.randrange(size)
    made: list[Entry] = []
    day = 0.0
    for number in range(size):
        if night and run is not None and number == cut:
            made = run(made)
        wordings, values = chance.choice(subjects)
        content = chance.choice(wordings).format(v=chance.choice(values))
        day += chance.choice((0, 0.5, 1, 1, 2, 3)) if chance.random() < 0.3 else 1
        at = START + timedelta(days=day)
        # ids do not follow the order in which entries came to be
        one = Entry(f"e-{seed:x}-{chance.randrange(16**6):06x}", content, at, at)
        made.append(_varied(one, chance))
    return made


def _varied(entry: Entry, chance: random.Random) -> Entry:
    if chance.random() < 0.15:
        entry = replace(entry, origin="assistant")
    if chance.random() < 0.04:
        entry = replace(entry, pinned=True)
    if chance.random() < 0.1:
        again = entry.created_at + timedelta(days=chance.randint(1, 9))
        entry = replace(entry, metadata={"confirmed_at": again.isoformat()})
    if chance.random() < 0.1:
        entry = replace(entry, updated_at=entry.created_at + timedelta(days=chance.randint(1, 9)))
    if chance.random() < 0.1:
        entry = replace(entry, valid_from=entry.created_at - timedelta(days=chance.randint(1, 9)))
    if chance.random() < 0.2:
        entry = replace(entry, kind="procedural")
    return entry
