"""Search the history: one query, or a batch of them as JSON lines."""

import json
import sys
import time
from typing import Any

import click

from memoryd.counting import counted
from memoryd.errors import NothingYetError, UsageError
from memoryd.interfaces.cli.app import (
    App,
    json_option,
    local_time,
    message_json,
    parse_time,
    pass_app,
    print_json,
    tell_source,
)
from memoryd.interfaces.cli.parameters import TEXT
from memoryd.service.recall import Hit, recall
from memoryd.store.reader import Reader
from memoryd.store.records import Filters

MODES = ("auto", "lexical", "semantic", "hybrid")
ROLES = ("user", "assistant", "tool", "system")
SORTS = ("relevance", "newest")
CHOICES = {"mode": MODES, "role": ROLES, "sort": SORTS}
TEXTS = ("source", "project", "session", "since", "until")
MAX_LIMIT = 1000


@click.command()
@click.argument("words", type=TEXT, nargs=-1, metavar="QUERY")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=10, show_default=True)
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True)
@click.option("--source", type=TEXT, help="Only this agent.")
@click.option("--project", type=TEXT, help="Only this project (its folder as the agent noted it).")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    help="Only this role; `tool` searches tool calls and results.",
)
@click.option("--session", type=TEXT, help="Only this session.")
@click.option("--since", type=TEXT, help="Not older: a date, a time, or an age like 7d.")
@click.option("--until", type=TEXT, help="Older than: a date, a time, or an age.")
@click.option("--sort", type=click.Choice(SORTS), default="relevance", show_default=True)
@click.option("--explain", is_flag=True, help="Show the parts of every score.")
@click.option(
    "--batch", is_flag=True, help="Read queries as JSON lines from stdin, answer as JSON lines."
)
@json_option
@pass_app
def search(
    app: App, /, words: tuple[str, ...], batch: bool, as_json: bool, explain: bool, **options: Any
) -> int:
    """Find messages in the history of every agent.

    All words count first, in any order; "…" is a phrase, -word excludes, AND OR NOT work in capitals. Put a query
    with any of these into single quotes.

    A line of a batch is {"id": …, "query": …} and may name any option ({"role": "user", "limit": 5}); the answers
    come in the same order.
    """
    query = " ".join(words) if words else None
    if batch == (query is not None):
        raise click.UsageError("give a QUERY, or --batch and queries on stdin")
    try:
        reader = Reader(app.home)
    except NothingYetError:
        if as_json and query is not None:
            print_json({"mode": "lexical", "hits": [], "seconds": 0.0})
        raise
    with reader:
        if query is None:
            _search_batch(reader, options)
            return 0
        answer, hits = _search(reader, query, options)
        if not hits:
            tell_source(reader, options["source"])
    if as_json:
        print_json(answer)
    else:
        _print_hits(hits, answer, explain)
    return 0 if hits else 1


def _search(
    reader: Reader, query: str, options: dict[str, Any]
) -> tuple[dict[str, Any], list[Hit]]:
    started = time.perf_counter()
    filters = Filters(
        source=options["source"],
        project=options["project"],
        role=options["role"],
        session=options["session"],
        since=parse_time(options["since"], "--since"),
        until=parse_time(options["until"], "--until"),
    )
    hits = recall(reader, query, filters, options["limit"], options["sort"])
    shown = [_hit_json(hit) for hit in hits]
    seconds = round(time.perf_counter() - started, 6)
    return {"mode": "lexical", "hits": shown, "seconds": seconds}, hits


def _hit_json(hit: Hit) -> dict[str, Any]:
    return message_json(hit.message) | {"snippet": hit.snippet, "score": hit.score, "why": hit.why}


def _search_batch(reader: Reader, options: dict[str, Any]) -> None:
    """Answer line by line; what a line does not say is as on the command line."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            asked = _read_line(line)
            answer, _ = _search(reader, asked["query"], options | asked)
        except (UsageError, click.BadParameter) as error:
            raise UsageError(f"stdin line {number}: {error}") from error
        print_json({"id": asked["id"], **answer})


def _read_line(line: bytes) -> dict[str, Any]:
    """A query of a batch with its options.

    Raises:
        UsageError: not the expected JSON.
    """
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict) or "id" not in asked or not isinstance(asked.get("query"), str):
        got = line.strip()[:80].decode("utf-8", "replace")
        raise UsageError(f'expected {{"id", "query", …}}, got {got!r}')
    for key, value in asked.items():
        if key not in ("id", "query") and value is not None:
            _check_option(key, value)
    return {key: value for key, value in asked.items() if value is not None or key == "id"}


def _check_option(key: str, value: object) -> None:
    if key in CHOICES:
        fits, expected = value in CHOICES[key], f"one of {', '.join(CHOICES[key])}"
    elif key in TEXTS:
        fits, expected = isinstance(value, str), "a text"
    elif key == "limit":
        fits, expected = type(value) is int and 1 <= value <= MAX_LIMIT, f"1 to {MAX_LIMIT}"
    elif key == "explain":
        fits, expected = isinstance(value, bool), "true or false"
    else:
        known = ", ".join(sorted((*CHOICES, *TEXTS, "limit", "explain")))
        raise UsageError(f"unknown key {key!r}; known: {known}")
    if not fits:
        raise UsageError(f"{key}: expected {expected}, got {value!r}")


def _print_hits(hits: list[Hit], answer: dict[str, Any], explain: bool) -> None:
    for hit, shown in zip(hits, answer["hits"], strict=True):
        message = hit.message
        place = f"{message.source} · {message.project or 'no project'} · {message.role}"
        click.secho(f"{local_time(message.time)}  {place}  #{message.id}", fg="cyan")
        click.echo("  " + shown["snippet"].replace("\n", "\n  "))
        if explain:
            parts = ", ".join(f"{name} {value:.3f}" for name, value in hit.why.items())
            click.echo(f"  score {hit.score:.3f}: {parts}")
    if hits:
        click.echo(
            f"\n{counted(len(hits), 'hit')} in {1000 * answer['seconds']:.0f} ms; `memoryd show ID` shows one with its neighbours"
        )
    else:
        click.echo("nothing found; try fewer or other words, or --role tool for tool calls")
