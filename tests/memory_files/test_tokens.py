"""The estimate against counts of real tokenisers, made once by running them over these sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory_files.tokens import estimate_tokens

# text, tokens in o200k_base, in cl100k_base, in Anthropic's published tokeniser
COUNTED = [
    ("The user prefers short answers and works with PostgreSQL on port 5433.", 16, 15, 14),
    ("Backups of the north office run every night at 02:30 and are kept for thirty days.", 21, 21, 20),
    ("用户喜欢简短的回答，数据库端口是5433，不要改动生产环境。", 20, 31, 26),
    ("每天凌晨两点半备份北京办公室的服务器，保留三十天。", 18, 28, 28),
    ("ユーザーは短い回答を好み、データベースはポート5433で動いています。", 24, 34, 31),
    ("사용자는 짧은 답변을 선호하고 데이터베이스는 5433 포트에서 실행됩니다.", 24, 33, 35),
    ("Die Nutzerin bevorzugt kurze Antworten; die Datenbank läuft auf Port 5433.", 18, 22, 27),
    ("La usuaria prefiere respuestas cortas y trabaja con la base de datos en el puerto 5433.", 23, 25, 26),
    ("L’utilisatrice préfère des réponses courtes ; la base de données écoute sur le port 5433.", 22, 26, 29),
    ("Пользователь предпочитает короткие ответы, база данных работает на порту 5433.", 20, 27, 33),
    ("请用 pnpm 安装依赖，然后运行 `pnpm test --filter web`，CI 在 GitHub Actions 上。", 26, 31, 28),
    (
        "- [Deploy notes](deploy.md) — run `make deploy ENV=staging` before 18:00\n- [Ports](ports.md) — api 8080, db 5433, cache 6380\n",
        47,
        47,
        43,
    ),
    ("def load(path: str) -> list[dict[str, int]]:\n    with open(path) as file:\n        return json.load(file)\n", 28, 28, 34),
    ("المستخدم يفضل الإجابات القصيرة ويعمل على قاعدة البيانات.", 14, 38, 49),
]  # fmt: skip


@pytest.mark.parametrize("row", COUNTED, ids=lambda row: row[0][:20])
def test_the_estimate_is_near_the_largest_count_and_seldom_below(
    row: tuple[str, int, int, int],
) -> None:
    text, *counts = row

    assert 0.9 * max(counts) <= estimate_tokens(text) <= 2.2 * max(counts)


def test_four_characters_a_token_would_be_wrong_for_chinese() -> None:
    text, *counts = COUNTED[3]

    assert len(text) / 4 < min(counts) / 2
    assert estimate_tokens(text) >= max(counts)


@given(st.text(), st.text())
def test_the_estimate_adds_up(one: str, other: str) -> None:
    assert abs(estimate_tokens(one + other) - estimate_tokens(one) - estimate_tokens(other)) < 1e-6


@given(st.characters())
def test_every_character_costs_something(char: str) -> None:
    assert 0 < estimate_tokens(char) <= 3.5
