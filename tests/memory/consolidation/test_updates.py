"""A newer note replaces an older one only when it is about the same thing and gives it another value."""

from pathlib import Path

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.reading import read
from memoryd.memory.consolidation.updates import judge


def relation(older: str, newer: str) -> str:
    old, new = read(older), read(newer)
    return judge(old, new, compare(old, new)).relation


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The deadline is Friday", "The deadline is Monday"),
        ("Anna owns billing", "Ben owns billing"),
        ("The office is in Graz", "The office is in Linz"),
        ("The database port is 5432", "The database port is now 6432"),
        ("数据库端口是5432", "数据库端口改成了6432"),
        ("Die Frist ist Freitag", "Die Frist ist Montag"),
    ],
)
def test_another_value_of_the_same_replaces(older: str, newer: str) -> None:
    assert relation(older, newer) == "update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Linus is responsible for billing", "Linus asked whether Pirol could move to rack 69"),
        ("Nora runs the Lark cluster", "Nora asked if Lark can switch to port 81"),
        ("Ausgerollt wird Fink jeden Freitag", "Ausgerollt wird Lerche jeden Freitag"),
        ("Geschrieben ist Amsel in Go", "Geschrieben ist Drossel in Go"),
        ("Fink wird jeden Freitag ausgerollt", "Lerche wird jeden Freitag ausgerollt"),
        ("Project Fink deploys on Fridays", "Project Lark deploys on Fridays"),
        ("Nora betreut Fink", "Nora fragte, ob Fink nach Graz umzieht"),
        # what passes from one to the other leaves neither
        ("We use Postgres", "We migrate data from Postgres to BigQuery every night"),
        ("The train runs from Berlin to Hamburg", "The train goes from Berlin to Munich"),
        ("We copy data from S3", "We copy data from S3 to GCS"),
        # told from the other end
        ("Ines reports to Bogdan.", "Bogdan is Ines's manager."),
        (
            "Halden Oy bought the parser from us in June.",
            "In June we sold the parser to Halden Oy.",
        ),
        # who does what was exchanged, a word that may signal a change or not
        ("Uma writes the lyrics, Kai edits.", "Kai writes the score, Uma edits."),
        ("阿可写歌词，阿珂改。", "阿珂写曲子，阿可改。"),
        # another deed with the same thing
        ("所有人都不能看账本。", "所有人都不能改账本。"),
        (
            "Rows that start with x_ go before `run()`.",
            "drop every row beginning with x_ before `run()`",
        ),
        # one ban does not lift another
        ("Never open the valve in winter.", "Never open the valve in summer."),
        ("Do not enable tracing in production.", "Do not enable tracing in development."),
        ("Never run the photo album on Fridays.", "Never run the photo album on Mondays."),
        ("Never use port 8080 for tests", "Never use port 8081 for tests"),
        # another's relative, also, another ban
        ("Anna works at Siemens.", "Anna's husband now works at Bosch."),
        ("我在腾讯工作。", "我老婆现在在阿里工作。"),
        ("Ich arbeite bei Siemens.", "Ich arbeite jetzt auch bei Bosch."),
        ("我学西班牙语。", "我现在也学法语。"),
        ("I no longer eat meat.", "I no longer eat fish."),
        # said of another day, or done twice
        ("The user ran 5 km today", "The user ran 8 km today"),
        ("The user slept 6 hours last night", "The user slept 8 hours last night"),
        ("今天跑了五公里", "今天跑了八公里"),
        ("Ben called on Monday", "Ben called on Tuesday"),
        # a floor and a ceiling
        ("The album keeps at most 12 files", "The album keeps at least 12 files"),
        ("相册最多保留 8 个文件", "相册最少保留 3 个文件"),
        # the thing spoken of is named by its number or its quality
        ("The parser of level 2 targets LALR.", "The parser of level 3 targets LALR."),
        ("The tall shelf stands next to the door.", "The low shelf stands next to the door."),
        # the same built another way
        ("Only use the lathe when the fan is running.", "Lathe: never without a running fan."),
        (
            "Loathes sermons, so talks need a proper joke.",
            "Talks should have a proper joke: sermons are loathed.",
        ),
        (
            "Oil the hinge; clean the lens; test the lamp: all three before a bike is sold.",
            "Before selling a bike, do three things: test the lamp, oil the hinge, clean the lens.",
        ),
    ],
)
def test_a_question_and_another_subject_replace_nothing(older: str, newer: str) -> None:
    assert relation(older, newer) != "update"


@pytest.mark.parametrize(
    ("first", "second"), [("Amber", "Cobalt"), ("amber", "cobalt"), ("quick-fox", "fast-fox")]
)
@pytest.mark.parametrize(
    "note",
    [
        "The owner of {x} is Anna",
        "{x}'s owner is Anna",
        "{x} owner: Anna",
        "The deploy of {x} runs on Friday",
        "{x} 服务由 Anna 负责。",
        "{x} 的负责人是 Anna。",
        "{x} 负责人：Anna",
        "Der Besitzer von {x} ist Anna",
    ],
)
def test_what_somebody_has_is_not_replaced_by_what_else_they_have(
    note: str, first: str, second: str
) -> None:
    assert relation(note.format(x=first), note.format(x=second)) == "distinct"


@pytest.mark.parametrize("note", ["{x} 负责计费", "计费由 {x} 负责", "计费的负责人是 {x}"])
def test_a_new_owner_replaces_the_old_one_also_when_the_names_share_a_character(note: str) -> None:
    assert relation(note.format(x="小王"), note.format(x="小李")) == "update"


@pytest.mark.parametrize(
    ("first", "second"),
    [("ivory-bison", "pearl-bison"), ("quick-fox", "fast-fox"), ("start-hook", "begin-hook")],
)
@pytest.mark.parametrize(
    "note", ["The {x} service listens on port {port}.", "{x} 服务监听端口 {port}。"]
)
def test_hyphenated_names_of_one_meaning_are_two_things(note: str, first: str, second: str) -> None:
    older, newer = note.format(x=first, port=8410), note.format(x=second, port=9520)
    same_port = note.format(x=second, port=8410)
    assert relation(older, newer) == "distinct"
    assert not compare(read(older), read(same_port)).merges


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Never run the invoice job 10242 on Fridays.",
            "Never run the invoice job 901 on Fridays.",
        ),
        ("Bao maintains locker 11.", "Bao maintains locker 12."),
        ("快递柜 11 由 Bao 维护。", "Bao 维护快递柜 12。"),
        ("周一不要重启服务器 3。", "周一不要重启服务器 4。"),
        ("周一运行相册 3。", "周一运行相册 4。"),
        ("Restart server 3 every night", "Restart server 4 every night"),
        ("Review ticket #481 before lunch", "Review ticket #502 before lunch"),
        ("Starte Server 3 jede Nacht neu", "Starte Server 4 jede Nacht neu"),
        ("Redémarre le serveur 3 chaque nuit", "Redémarre le serveur 4 chaque nuit"),
        ("Reinicia el servidor 3 cada noche", "Reinicia el servidor 4 cada noche"),
        ("サーバー 3 を毎晩再起動する", "サーバー 4 を毎晩再起動する"),
        ("서버 3을 매일 밤 재시작한다", "서버 4를 매일 밤 재시작한다"),
        ("We support Python 3.11", "We support Python 3.12"),
    ],
)
def test_a_number_that_tells_which_one_names_another_thing(older: str, newer: str) -> None:
    assert relation(older, newer) == "distinct"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We use Node 18 for the build", "We use Node 20 for the build"),
        ("The API uses port 5432", "The API uses port 6432"),
        ("Use batch size 64 for training", "Use batch size 128 for training"),
        ("The standup is in room 12", "The standup is in room 14"),
        ("Restart server 3 every night", "Now restart server 4 every night instead"),
        ("Never keep more than 5 backups", "Never keep more than 10 backups"),
        ("Do not deploy after 5 pm", "Do not deploy after 3 pm"),
        ("项目用 Node 18", "项目用 Node 20"),
        ("测试用端口 5432", "测试用端口 6432"),
        ("Der Build nutzt Port 5432", "Der Build nutzt Port 6432"),
    ],
)
def test_a_number_that_is_a_value_or_a_version_is_replaced(older: str, newer: str) -> None:
    assert relation(older, newer) == "update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # the older value is named and denied
        ("Deploy with Kamal", "Deploy with Capistrano, not Kamal"),
        ("用 pnpm 安装依赖", "用 npm 安装依赖，不用 pnpm"),
        ("We use Slack", "We switched from Slack to Mattermost"),
        ("我们用 Slack", "我们从 Slack 换成了飞书"),
        ("Wir nutzen Slack", "Wir sind von Slack auf Mattermost umgestiegen"),
        # names that mean the same are two names
        ("The default branch is master", "The default branch is main"),
        # no longer, again
        ("I am vegetarian", "I am no longer vegetarian"),
        ("I no longer eat meat", "I eat meat again"),
        ("I use VS Code", "I no longer use VS Code"),
        # a name of an identifier and a word
        ("CI runs on Jenkins", "CI runs on GitHub Actions"),
    ],
)
def test_what_is_said_not_to_hold_any_more_is_replaced(older: str, newer: str) -> None:
    assert relation(older, newer) == "update"


def test_what_was_left_in_part_is_for_a_person_to_decide() -> None:
    assert relation("We use Slack for chat", "We switched from Slack to Mattermost") == "conflict"


def table(name: str) -> list[tuple[str, str]]:
    lines = (Path(__file__).with_name(name)).read_text(encoding="utf-8").splitlines()
    return [(older, newer) for older, newer in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("older", "newer"), table("beside.tsv"))
def test_what_may_hold_beside_the_other_is_left_alone_both_ways(older: str, newer: str) -> None:
    assert relation(older, newer) == relation(newer, older) == "distinct"


@pytest.mark.parametrize(("older", "newer"), table("unrelated.tsv"))
def test_a_word_of_change_replaces_nothing_it_does_not_speak_of(older: str, newer: str) -> None:
    assert relation(older, newer) == "distinct"


def test_what_is_newer_of_one_thing_replaces_nothing_of_another() -> None:
    """Every newer text against the older text of every other row: tens of thousands of pairs that share a word at most, but for the few
    rows about one thing (two budgets)."""
    rows = table("newer.tsv")
    replaced = sum(
        relation(older, newer) == "update"
        for n, (_, newer) in enumerate(rows)
        for older, _ in rows[:n] + rows[n + 1 :]
    )

    assert replaced <= len(rows) // 4


@pytest.mark.parametrize(("older", "newer"), table("unclear.tsv"))
def test_what_may_have_several_values_is_for_a_person_both_ways(older: str, newer: str) -> None:
    assert relation(older, newer) == relation(newer, older) == "conflict"


@pytest.mark.parametrize(("older", "newer"), table("newer.tsv"))
def test_a_newer_value_replaces(older: str, newer: str) -> None:
    assert relation(older, newer) == "update"


@pytest.mark.parametrize(
    ("older", "newer", "decided"),
    [
        ("I live in Munich", "I live in Hamburg now", "update"),
        ("Anna lives in Munich", "Anna has relocated to Hamburg", "update"),
        ("我住在上海", "我搬到了成都", "update"),
        ("我住在上海", "我现在住在成都", "update"),
        ("I work at Acme", "I now work at Globex", "update"),
        ("I live in Munich", "I moved to Hamburg", "conflict"),  # or to another program
        ("I live in Munich", "I live in Germany", "conflict"),
        ("I live in Munich", "Anna lives in Hamburg now", "distinct"),
        ("I live in Munich", "I work at Acme now", "distinct"),
        ("我住在上海", "我住在上海浦东新区", "distinct"),
    ],
)
def test_where_somebody_is_in_life(older: str, newer: str, decided: str) -> None:
    assert relation(older, newer) == decided
