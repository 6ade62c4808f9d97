"""A newer note replaces an older one only when it is about the same thing and gives it another value."""

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
    ],
)
def test_a_question_and_another_subject_replace_nothing(older: str, newer: str) -> None:
    assert relation(older, newer) != "update"
