"""Facts in the wrong file: named where wording leaves no doubt, and silence everywhere else."""

import pytest

from memoryd.memory_files.places import find_misplaced

PERSONA = [
    "You are a friendly assistant with dry humour.",
    "You are called Nova and love astronomy.",
    "Your name is Juno.",
    "Your personality: patient, curious, never condescending.",
    "Always speak like a Victorian butler.",
    "Stay in character at all times.",
    "你是一个幽默的助手，喜欢讲冷笑话。",
    "你的名字是小北。",
    "你的语气要温柔。",
    "你叫小雅，说话温柔。",
    "你是「夜莺」，一个冷静的分析员。",
    "人设：毒舌但善良的猫娘。",
    "Du bist eine geduldige Lehrerin.",
    "Dein Ton ist warm und knapp.",
    "Eres una asistente paciente.",
    "Tu tono es cálido.",
]
PROJECT = [
    "This repo uses pnpm, not npm.",
    "The codebase is a Django monolith.",
    "The project is deployed on Fly.io.",
    "Integration tests live in tests/integration/ and need Docker.",
    "Run `make test` before pushing.",
    "The staging server is stg-3.",
    "The API endpoint is at /v2/orders on 10.0.0.4.",
    "The worker listens on port 9000.",
    "Hotfixes branch off the release branch.",
    "我们的项目用 monorepo。",
    "仓库使用 Rust 编写。",
    "生产环境部署在新加坡。",
    "数据库端口是 5433。",
    "Unser Projekt nutzt Gradle.",
    "Nuestro proyecto usa Gradle.",
]
USER = [
    "Lives in Lyon and has two daughters.",
    "Prefers answers in French, code comments in English.",
    "The user likes the repo tidy.",
    "I want the project files explained slowly.",
    "Works as a nurse; night shifts on Thursdays.",
    "Uses a MacBook and a Linux desktop.",
    "Allergic to peanuts.",
    "用户住在杭州，喜欢登山。",
    "用户喜欢先看结论。",
    "我希望项目的说明用中文写。",
    "Wohnt in Köln und fährt gern Rad.",
    "Vive en Sevilla y trabaja de noche.",
    "Favourite language: Python. Learning Rust in 2026.",
    "Wants to be called Sam.",
]
MEMORY = [
    "The office printer is on the second floor.",
    "You are on call in week 48, Ben in week 49.",
    "You can reach Ana at extension 204.",
    "Your order 5512 ships on Friday.",
    "The user's name is Kim.",
    "你是周三值班，小李周四。",
    "客户的名字是张伟。",
    "Never speak to the press about the merger.",
    "The persona study interviewed twelve people.",
]


@pytest.mark.parametrize("text", PERSONA)
def test_a_persona_in_the_memory_is_named(text: str) -> None:
    assert find_misplaced(text, "memory") == "persona"


@pytest.mark.parametrize("text", PROJECT)
def test_a_fact_of_a_project_about_the_user_or_the_persona_is_named(text: str) -> None:
    assert find_misplaced(text, "user") == "project"
    assert find_misplaced(text, "persona") == "project"


@pytest.mark.parametrize("text", PROJECT + USER + MEMORY)
def test_the_memory_may_hold_any_fact(text: str) -> None:
    assert find_misplaced(text, "memory") == ""


@pytest.mark.parametrize("text", USER)
def test_facts_about_the_user_stay_with_the_user(text: str) -> None:
    assert find_misplaced(text, "user") == ""


@pytest.mark.parametrize("text", PERSONA)
def test_a_persona_stays_in_its_own_file(text: str) -> None:
    assert find_misplaced(text, "persona") == ""


@pytest.mark.parametrize("text", PERSONA + PROJECT)
def test_rules_and_notes_may_say_anything(text: str) -> None:
    assert find_misplaced(text, "rules") == ""
    assert find_misplaced(text, "notes") == ""
