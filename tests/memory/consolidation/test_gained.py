"""What is new may be more of the same: "now" adds to what one supports, accepts or can, unless the other is said to be over."""

import pytest

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.updates import judge


def relation(older: str, newer: str) -> str:
    return judge(*compare_texts(older, newer)).relation


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We support SAML.", "We now support OIDC."),
        ("We now support SAML.", "We now support OIDC."),
        ("Tom is allergic to nuts.", "Tom is now allergic to eggs."),
        ("The API accepts XML.", "The API now accepts JSON."),
        ("The bot can send emails.", "The bot can now send SMS."),
        ("支持微信登录", "现在支持支付宝登录"),
        ("Die API unterstützt XML.", "Die API unterstützt jetzt JSON."),
        ("L'API accepte XML.", "L'API accepte maintenant JSON."),
        ("La tienda acepta tarjetas.", "La tienda ahora acepta cheques."),
        ("API는 XML을 지원한다", "API는 이제 JSON을 지원한다"),
    ],
)
def test_what_is_gained_is_for_a_person_to_decide(older: str, newer: str) -> None:
    assert relation(older, newer) == "conflict"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The shop accepts cards only.", "The shop now accepts cheques only."),
        ("We support SAML.", "We now support only OIDC."),
        ("支持微信登录", "现在只支持支付宝登录"),
        ("The free plan supports 3 seats.", "The free plan now supports 5 seats."),
        ("The API accepts XML.", "The API no longer accepts XML."),
        ("The plan offers 10 GB.", "The plan now offers 20 GB."),
    ],
)
def test_what_takes_the_place_of_the_other_replaces_it(older: str, newer: str) -> None:
    assert relation(older, newer) == "update"
