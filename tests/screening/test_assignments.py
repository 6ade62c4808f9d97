"""Values are secrets because of the name they are given; the name alone proves nothing."""

import pytest

from memoryd.screening import screen

VALUE = "Zq8" + "x7Rt1YbLm2Kp9WdQ4v"  # random characters without a prefix

NAMES = [
    "API_KEY",
    "apiKey",
    "api-key",
    "api key",
    "OPENAI_API_KEY",
    "ACCESS_TOKEN",
    "accessToken",
    "auth_token",
    "client_secret",
    "clientSecret",
    "SECRET_KEY_BASE",
    "JWT_SECRET",
    "PRIVATE_KEY",
    "ENCRYPTION_KEY",
    "webhook_secret",
    "DB_PASSWORD",
    "dbPassword",
    "PGPASSWORD",
    "passphrase",
    "password_2",
    "TOKEN_PROD",
    "REDIS_PASS",
    "密码",
    "密钥",
    "口令",
    "令牌",
    "パスワード",
    "비밀번호",
    "пароль",
]
FORMS = [
    "{}={}",
    "{} = {}",
    "{}: {}",
    '"{}": "{}"',
    "'{}' => '{}'",
    "{} := `{}`",
    "**{}**: `{}`",
    "{} is {}",
]
OTHER_NAMES = [
    "commit",
    "cache_key",
    "primary_key",
    "public_key",
    "next_page_token",
    "checksum",
    "id",
    "tokenizer",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_the_value_of_a_secret_name_goes_and_the_name_stays(name: str, form: str) -> None:
    screened = screen(form.format(name, VALUE))

    before, after = form.format(name, "|").split("|")
    assert VALUE not in screened.text
    assert screened.text.startswith(before)
    assert screened.text.endswith(after)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", OTHER_NAMES)
def test_the_value_of_another_name_stays(name: str, form: str) -> None:
    text = form.format(name, VALUE)

    assert screen(text).text == text


def test_each_value_of_many_lines_goes() -> None:
    text = "\n".join(f"{name}={VALUE[:-2]}{number:02}" for number, name in enumerate(NAMES[:20]))

    assert screen(text).secrets.total() == 20  # type: ignore[attr-defined]  # a Counter when not empty


def test_a_value_goes_on_where_the_line_was_wrapped() -> None:
    wrapped = f'API_KEY="{VALUE}\\\n    {VALUE[::-1]}"\nNEXT=1'

    assert screen(wrapped).text == 'API_KEY="‹secret:key›"\nNEXT=1'


def test_the_next_assignment_is_not_part_of_a_value() -> None:
    assert screen(f"API_KEY={VALUE}\nOTHER2={VALUE[::-1]}\nx").text == (
        f"API_KEY=‹secret:key›\nOTHER2={VALUE[::-1]}\nx"
    )


def test_a_password_between_others_in_a_query_or_connection_string() -> None:
    assert screen("https://x.org/?user=bob&password=w0nder42&page=2").text == (
        "https://x.org/?user=bob&password=‹secret:password›&page=2"
    )
    assert screen("Server=db;Password=w0nder42;Pooling=true").text == (
        "Server=db;Password=‹secret:password›;Pooling=true"
    )


def test_punctuation_behind_a_value_stays() -> None:
    assert screen("The password is w0nder42. Keep it.").text == (
        "The password is ‹secret:password›. Keep it."
    )
    assert screen("（密码：w0nder42）").text == "（密码：‹secret:password›）"


def test_a_password_beside_a_login_needs_no_sign() -> None:
    assert screen("账号admin密码w0nder42").text == "账号admin密码‹secret:password›"
    assert screen("login bob, pass w0nder42").text == "login bob, pass ‹secret:password›"


def test_to_pass_is_a_verb() -> None:
    text = "We pass v1beta2 to it. -- PASS: Test_2fa (0.1s); pass test42 on"

    assert screen(text).text == text


def test_options_of_commands() -> None:
    assert screen(f"deploy --auth-token {VALUE} --dry-run").text == (
        "deploy --auth-token ‹secret:key› --dry-run"
    )
    assert screen("curl --user bob:w0nder42 https://x.org").text == (
        "curl --user bob:‹secret:password› https://x.org"
    )


def test_what_follows_a_name_in_code_is_no_value() -> None:
    for text in (
        "password = compute1(x)",
        "token = tokens1[0]",
        "secret = SECRETS2{",
        "let password = user.password1;",
        'password = f"{prefix1}{suffix2}"',
    ):
        assert screen(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "password changed from 0ldpear7 to n3wpear8",
        'the password was changed from "0ldpear7" to "n3wpear8"',
        "密码从0ldpear7改成n3wpear8",
        "パスワードを0ldpear7からn3wpear8に変更",
    ],
)
def test_of_a_changed_password_neither_the_old_nor_the_new_one_stays(text: str) -> None:
    screened = screen(text).text

    assert "0ldpear7" not in screened
    assert "n3wpear8" not in screened
