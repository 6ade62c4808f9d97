"""Cookies that log somebody in are secrets; what a page remembers of its reader is none."""

import pytest

from memoryd.screening import screen

VALUE = "q8Zt2LmX" + "w0bR7yVn4KcP1aHd"  # random characters without a prefix


@pytest.mark.parametrize(
    "line",
    [
        f"Cookie: sessionid={VALUE}",
        f"Cookie: theme=dark; connect.sid=s%3A{VALUE}; lang=en",
        f"Set-Cookie: PHPSESSID={VALUE}; path=/; HttpOnly",
        f"curl -b 'sid={VALUE}' https://shop.example",
        f'curl --cookie "JSESSIONID={VALUE.upper()}" https://shop.example',
        f'{{"Cookie": "remember_token={VALUE}"}}',
        f"Authorization: Token {VALUE}",
        f"authorization: ApiKey {VALUE}",
        f"Proxy-Authorization: Bearer {VALUE}",
    ],
)
def test_what_logs_somebody_in_is_replaced(line: str) -> None:
    screened = screen(line)

    assert screened.secrets
    assert VALUE.lower() not in screened.text.lower()


@pytest.mark.parametrize(
    "line",
    [
        "Cookie: theme=dark; lang=en-GB; tz=Europe/Berlin",
        "Cookie: sessionid=<your session id>",
        "Cookie: session=${SESSION_COOKIE}",
        "Cookie: session=your_session_cookie_here",
        "Set-Cookie: sessionid=deleted; expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "Cookie: _ga=GA1.2.1234567890.1700000000",
        "Cookie: cookie_consent=accepted_all_categories",
        "The cookie is called sessionid and lives for two weeks.",
        "sessionid = request.cookies['sessionid']",
        "Authorization: Token <token>",
        f"the build sessionid={VALUE} is no login",
    ],
)
def test_what_a_page_remembers_and_what_stands_for_a_value_stay(line: str) -> None:
    assert not screen(line).secrets
