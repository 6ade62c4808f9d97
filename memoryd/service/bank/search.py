"""`memory search` through the daemon, which keeps a warm model, or here by words; either way the access is counted."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import HeldError, NothingYetError, RetryError, StoreError
from memoryd.memory.recall import RecallPolicy, answering
from memoryd.service.bank.view import Near, answer_json, search_entries
from memoryd.service.client import NoDaemonError, request
from memoryd.store.entry_search import EntryView
from memoryd.store.reader import Reader


def search_memory(home: Path, config: Config, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the contract; arguments are query, namespace, scope, session, limit."""
    asked = {
        "session": f"shell-{os.getsid(0)}",
        **{k: v for k, v in arguments.items() if v is not None},
    }
    try:
        answer: dict[str, Any] = request(home, "memory.search", asked)
    except NoDaemonError:
        try:
            answer = answer_search(home, config, asked, None)
        except NothingYetError as error:
            return {"mode": "lexical", "degraded": [str(error)], "hits": [], "milliseconds": 0.0}
        _count(home, config, asked, answer)
    return answer


def answer_search(
    home: Path, config: Config, arguments: Mapping[str, Any], near: Near | None
) -> dict[str, Any]:
    """Search and answer; counts nothing."""
    view = EntryView(
        arguments.get("namespace", "local/default"),
        arguments.get("scope"),
        arguments.get("session"),
    )
    policy = RecallPolicy(
        decay_per_day=config.memory.decay_per_day, confidence_floor=config.memory.confidence_floor
    )
    with Reader(home) as reader:
        return answer_json(
            search_entries(
                reader, view, arguments["query"], arguments.get("limit", 10), near, policy
            )
        )


def serve_search(
    home: Path, config: Callable[[], Config], near: Near, count: Callable[[dict[str, Any]], object]
) -> Callable[[Mapping[str, Any], Callable[[object], None]], object]:
    """The daemon's handler: answers at once, and has the access counted afterwards by *count*."""

    def handle(arguments: Mapping[str, Any], progress: Callable[[object], None]) -> object:
        answer = answer_search(home, config(), arguments, near)
        count(access_of(arguments, answer))
        return answer

    return handle


def access_of(arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """The access that an answer is, for `memory.accessed`."""
    ids = [hit["entry"]["id"] for hit in answer["hits"]]
    places = answering([hit["why"]["all_words"] > 0 for hit in answer["hits"]])
    return {
        "namespace": arguments.get("namespace", "local/default"),
        "ids": ids,
        "answers": [ids[place] for place in places],
        "session": arguments.get("session", "unknown"),
        "milliseconds": answer["milliseconds"],
        "characters": sum(len(hit["entry"]["content"]) for hit in answer["hits"]),
    }


def _count(home: Path, config: Config, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    """Count the access; if another process writes right now, the answer matters more than the count."""
    from memoryd.service.commands import carry_out  # noqa: PLC0415 - answering needs none of it

    with suppress(HeldError, RetryError, StoreError):
        carry_out(home, config, "memory.accessed", access_of(asked, answer))
