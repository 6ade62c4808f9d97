"""What is a secret's value, and what only stands where one would."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.screening import values

KEYS = [
    "4f9Kd02LmPq8Zx7Rt1Yb",
    "9f86d081884c7d659a2feaa0",
    "aK/9d+Lm2P8q/Zx7Rt1YbUv",
    "A1B2-C3D4-E5F6-G7H8",
]
NO_KEYS = [
    "short1",
    "my-secret-name-v2-2024",
    "0123456789012345",
    "your-api-key-12345678",
    "YOUR_SECRET_KEY_123",
    "/var/run/secrets/token1",
    "https://example.com/a1b2c3d4e5",
    "config.section.token1234",
    "xxxxxxxxxxxxxxxx1234",
    "aaaaaaaaaaaaaaaa1",
    "<insert-your-key-1234>",
    "test_password_reset_token_1",
]
PASSWORDS = ["hunter2", "Tr0ub4dor&3", "abc!def", "482913", "Winter2024", "p4ss-word!"]
NO_PASSWORDS = [
    "short",
    "string",
    "required",
    "password",
    "password123",
    "changeme",
    "test1234",
    "123456",
    "********",
    "$DB_PASSWORD1",
    "${PASSWORD1}",
    "%(password1)s",
    "DB_PASSWORD_2",
    "self.password1",
    "sha256",
    "utf-8",
    "arg1",
    "int64",
    "/etc/passwd1",
    "./secret1.txt",
    "1234567890123456",
    "<password1>",
]


@pytest.mark.parametrize("value", KEYS)
def test_random_characters_are_keys(value: str) -> None:
    assert values.is_key(value)


@pytest.mark.parametrize("value", NO_KEYS)
def test_names_paths_and_placeholders_are_no_keys(value: str) -> None:
    assert not values.is_key(value)


@pytest.mark.parametrize("value", PASSWORDS)
def test_what_people_choose_are_passwords(value: str) -> None:
    assert values.is_password(value)


@pytest.mark.parametrize("value", NO_PASSWORDS)
def test_code_and_placeholders_are_no_passwords(value: str) -> None:
    assert not values.is_password(value)


@pytest.mark.parametrize(
    "value",
    [
        "pass1234",
        "hunter2",
        "letmein",
        "tulip",
        "admin",
        "123456",
        "12",
        "qwerty",
        "password1",
        "supersecret",
        "app",
        "$ecret1",
        "aaaa",
        "secret!",
    ],
)
def test_behind_a_users_name_in_a_url_the_weakest_is_a_password(value: str) -> None:
    assert values.is_userinfo(value)


@pytest.mark.parametrize(
    "value",
    [
        "password",
        "pass",
        "PASSWORD",
        "Passwd",
        "secret",
        "my-secret-key",
        "your_password",
        "your-password-here",
        "DB_PASSWORD",
        "token",
        "changeme",
        "foo",
        "***",
        "xxx",
        "•••••",
        "...",
        "$PASS",
        "$pass",
        "${PASS}",
        "$(pw)",
        "{pw}",
        "{{pw}}",
        "#{pw}",
        "%s",
        "%(pw)s",
        "%PASS%",
        "[password]",
        "[REDACTED]",
        "REDACTED",
        "contraseña",
        "密码",
    ],
)
def test_what_names_a_password_in_a_url_is_none(value: str) -> None:
    assert not values.is_userinfo(value)


def test_a_secret_is_a_password_or_key_but_no_name() -> None:
    assert values.is_secret("s3cr3tV4lue")
    assert not values.is_secret("my-tls-secret-1")
    assert not values.is_secret("hunter2")


def test_basic_credentials_have_a_colon_inside() -> None:
    assert values.is_basic("YWxpY2U6d29uZGVyNDI=")
    assert not values.is_basic("authentication")
    assert not values.is_basic("d29uZGVyNDI=")


def test_the_rest_of_a_token_is_no_word() -> None:
    assert values.is_fragment("x9Kq3")
    assert values.is_fragment("QWerTYui")
    assert not values.is_fragment("export")
    assert not values.is_fragment("Next")
    assert not values.is_fragment("HTTP")
    assert not values.is_fragment("step2")


@given(st.text(min_size=1))
def test_entropy_is_at_most_that_of_all_different_characters(value: str) -> None:
    assert -1e-9 <= values.entropy(value) <= math.log2(len(value)) + 1e-9


@given(st.text(max_size=300))
def test_every_judgement_is_defined_for_every_text(value: str) -> None:
    for judge in (
        values.is_key,
        values.is_password,
        values.is_secret,
        values.is_body,
        values.is_random,
        values.is_chosen,
        values.is_basic,
        values.is_fragment,
        values.is_placeholder,
        values.is_uuid,
    ):
        assert judge(value) in {True, False}
