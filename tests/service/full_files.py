"""Hermes files at 98 % of their limit, as agents leave them: most facts written down twice in other words."""

import random
from collections.abc import Sequence

LIMIT = 2200
FULL = 0.98
PROJECTS = [
    "Amsel",
    "Drossel",
    "Fink",
    "Kiebitz",
    "Lerche",
    "Meise",
    "Pirol",
    "Reiher",
    "Specht",
    "Star",
    "Wachtel",
    "Zeisig",
]
PEOPLE = {
    "en": ["Ada", "Grace", "Linus", "Margaret"],
    "zh": ["小李", "老王", "陈静", "赵敏"],
    "de": ["Frau Kurz", "Herr Lang", "Anke", "Jörg"],
}
# Each pair says one fact twice; {p} project, {v} version, {n} number, {d} days, {h} hour, {w} who.
PAIRS = {
    "en": [
        ("User prefers dark mode in every editor.", "The user likes dark mode in all editors."),
        ("Project {p} uses PostgreSQL {v} on port {n}.", "{p} runs PostgreSQL {v}, port {n}."),
        ("{p} is deployed every Friday at {h}:00.", "Deploys of {p} happen on Fridays at {h}:00."),
        ("The CI of {p} takes about {n} minutes.", "{p}: CI takes roughly {n} minutes."),
        (
            "Never push to main of {p} without review.",
            "Do not push to the main branch of {p} without a review.",
        ),
        ("{w} is responsible for the billing of {p}.", "Billing of {p} is owned by {w}."),
        (
            "The backup of {p} runs every night at 02:{h} and is kept for {d} days.",
            "Nightly backup of {p} at 02:{h}, kept for {d} days.",
        ),
        ("The tests of {p} are run with pytest -x.", "Run the {p} tests with pytest -x."),
        (
            "Staging of {p} is at https://staging.{p}.example.",
            "{p} staging: https://staging.{p}.example",
        ),
        ("Logs of {p} are stored in /var/log/{p}.", "{p} stores its logs in /var/log/{p}."),
    ],
    "zh": [
        ("用户喜欢在所有编辑器里用深色模式。", "用户偏好所有编辑器都用深色模式。"),
        ("{p} 使用 PostgreSQL {v}，端口 {n}。", "{p} 用的是 PostgreSQL {v}，端口是 {n}。"),
        ("{p} 每周五 {h} 点部署。", "{p} 的部署时间是每周五 {h} 点。"),
        ("{p} 的 CI 大约需要 {n} 分钟。", "{p} 的 CI 大概需要 {n} 分钟。"),
        ("没有评审不要推送到 {p} 的 main 分支。", "未经评审不要推送到 {p} 的 main 分支。"),
        ("{w}负责 {p} 的账单。", "{p} 的账单由{w}负责。"),
        (
            "{p} 每天凌晨 2 点 {h} 分备份，保留 {d} 天。",
            "{p} 的备份每天凌晨 2 点 {h} 分进行，保留 {d} 天。",
        ),
        ("{p} 的测试用 pytest -x 运行。", "用 pytest -x 运行 {p} 的测试。"),
        (
            "{p} 的测试环境在 https://staging.{p}.example",
            "{p} 测试环境：https://staging.{p}.example",
        ),
        ("{p} 的日志保存在 /var/log/{p}。", "{p} 的日志存放在 /var/log/{p}。"),
    ],
    "de": [
        (
            "Der Nutzer bevorzugt den dunklen Modus in allen Editoren.",
            "Nutzer mag in allen Editoren den dunklen Modus.",
        ),
        (
            "Das Projekt {p} nutzt PostgreSQL {v} auf Port {n}.",
            "{p} verwendet PostgreSQL {v}, Port {n}.",
        ),
        (
            "{p} wird jeden Freitag um {h}:00 Uhr ausgerollt.",
            "Ausgerollt wird {p} jeden Freitag um {h}:00 Uhr.",
        ),
        ("Die CI von {p} dauert etwa {n} Minuten.", "{p}: CI dauert ungefähr {n} Minuten."),
        (
            "Niemals ohne Review auf main von {p} pushen.",
            "Nie ohne Review auf main von {p} pushen.",
        ),
        (
            "{w} ist für die Abrechnung von {p} zuständig.",
            "Für die Abrechnung von {p} ist {w} zuständig.",
        ),
        (
            "Das Backup von {p} läuft jede Nacht um 02:{h} und wird {d} Tage aufbewahrt.",
            "Backup von {p}: jede Nacht um 02:{h}, {d} Tage aufbewahrt.",
        ),
        (
            "Die Tests von {p} werden mit pytest -x ausgeführt.",
            "Tests von {p} mit pytest -x ausführen.",
        ),
        (
            "Staging von {p} liegt unter https://staging.{p}.example.",
            "{p} Staging: https://staging.{p}.example",
        ),
        ("Die Logs von {p} liegen in /var/log/{p}.", "{p}: Logs liegen in /var/log/{p}."),
    ],
}
SINGLES = {
    "en": "{w} asked on day {d} whether {p} could move to rack {n}.",
    "zh": "{w}第 {d} 天问过 {p} 能不能搬到 {n} 号机柜。",
    "de": "{w} fragte am Tag {d}, ob {p} in Schrank {n} umziehen kann.",
}


def make_entries(language: str, seed: int) -> list[str]:
    """Entries of one file, shuffled; about one in seven is said once only."""
    chance = random.Random(f"{language} {seed}")
    entries: list[str] = []
    facts = [(pair, project) for pair in PAIRS[language] for project in PROJECTS]
    chance.shuffle(facts)
    said: set[str] = set()
    for number, (pair, project) in enumerate(facts):
        values = {
            "p": project,
            "v": chance.randint(12, 17),
            "n": chance.randint(20, 90),
            "d": chance.randint(5, 60),
            "h": chance.randint(10, 23),
            "w": chance.choice(PEOPLE[language]),
        }
        texts = [text.format(**values) for text in pair]
        if number % 3 == 0:
            texts.append(SINGLES[language].format(**values))
        new = [text for text in texts if text not in said]
        if _size([*entries, *new]) > LIMIT * FULL:
            break
        said.update(new)
        entries += new
    chance.shuffle(entries)
    rest = int(LIMIT * FULL) - _size(entries) - 3
    return [*entries, "=" * rest] if rest > 0 else entries


def _size(entries: Sequence[str]) -> int:
    return len("\n§\n".join(entries))
