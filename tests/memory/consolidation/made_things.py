"""Made notes of many things that have the same attribute: what is told of one thing must not replace what is told of another.

A note is a frame of its language with a thing, an attribute and its value. Two notes of one frame are asked for in six ways
(see `pairs`): about two things they must stay apart, about one thing the newer value may replace the older or be asked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

# Two things of a kind each; in every language.
CODES: dict[str, tuple[str, str]] = {
    "worker": ("worker-2x", "worker-3x"),
    "service": ("svc-billing", "svc-search"),
    "pull request": ("PR #123", "PR #124"),
    "ticket": ("ABC-12", "ABC-13"),
    "version": ("API v1", "API v2"),
    "host": ("db1.example.com", "db2.example.com"),
    "short host": ("web1", "web2"),
    "file": ("app.yaml", "web.yaml"),
    "path": ("/srv/app/a.log", "/srv/app/b.log"),
    "url": ("https://a.example.com/v1", "https://b.example.com/v1"),
    "branch": ("feature/login", "feature/search"),
    "variable": ("API_TOKEN", "DB_TOKEN"),
    "quoted": ("`billing`", "`checkout`"),
    "product": ("Kestrel", "Osprey"),
    "person": ("Lena", "Ravi"),
    "plain name": ("billing", "checkout"),
    "verb name": ("build", "deploy"),
    "environment": ("staging", "production"),
}
THINGS: dict[str, dict[str, tuple[str, str]]] = {
    "en": {
        "number": ("job 17", "job 18"),
        "numbered build": ("build 812", "build 813"),
        "numbered deed": ("the night backup 17", "the night backup 18"),
        "team": ("the payments team", "the search team"),
        "city": ("the Berlin office", "the Munich office"),
        "ordinal": ("the first floor", "the second floor"),
        "weekday": ("the Monday meeting", "the Thursday meeting"),
        "compound": ("the mail server", "the build server"),
        "deeds": ("the backup job", "the release job"),
        "queue": ("the request queue", "the retry queue"),
        "cache": ("the query cache", "the search cache"),
        "user": ("the log reader", "the lock reader"),
    },
    "zh": {
        "number": ("任务 17", "任务 18"),
        "numbered deed": ("夜间备份 17", "夜间备份 18"),
        "glued number": ("3号机房", "5号机房"),
        "chinese person": ("王芳", "李强"),
        "team": ("支付团队", "搜索团队"),
        "city": ("北京办公室", "上海办公室"),
        "ordinal": ("第一层", "第二层"),
        "weekday": ("周一例会", "周四例会"),
        "compound": ("邮件服务器", "构建服务器"),
        "deeds": ("备份任务", "发布任务"),
        "queue": ("请求队列", "重试队列"),
        "cache": ("查询缓存", "搜索缓存"),
        "own environment": ("测试环境", "生产环境"),
    },
    "de": {
        "number": ("Job 17", "Job 18"),
        "numbered deed": ("Backup 17", "Backup 18"),
        "team": ("Team Zahlung", "Team Suche"),
        "city": ("Standort Berlin", "Standort Graz"),
        "ordinal": ("Etage 1", "Etage 2"),
        "weekday": ("Montagsrunde", "Donnerstagsrunde"),
        "compound": ("Mailserver", "Buildserver"),
        "deeds": ("Backup-Job", "Release-Job"),
    },
    "fr": {
        "number": ("la tâche 17", "la tâche 18"),
        "numbered deed": ("la sauvegarde 17", "la sauvegarde 18"),
        "team": ("la cellule paiement", "la cellule recherche"),
        "city": ("la filiale Lyon", "la filiale Lille"),
        "ordinal": ("la première salle", "la deuxième salle"),
        "weekday": ("la réunion du lundi", "la réunion du jeudi"),
        "compound": ("la file de courrier", "la file de requêtes"),
    },
    "es": {
        "number": ("la tarea 17", "la tarea 18"),
        "numbered deed": ("la copia 17", "la copia 18"),
        "team": ("la célula Pagos", "la célula Envíos"),
        "city": ("la sede Bilbao", "la sede Murcia"),
        "ordinal": ("la primera planta", "la segunda planta"),
        "weekday": ("la reunión del lunes", "la reunión del jueves"),
        "compound": ("la cola de correo", "la cola de pagos"),
    },
    "ja": {
        "number": ("ジョブ17", "ジョブ18"),
        "numbered deed": ("夜間バックアップ17", "夜間バックアップ18"),
        "japanese person": ("田中さん", "佐藤さん"),
        "team": ("決済チーム", "検索チーム"),
        "city": ("東京オフィス", "大阪オフィス"),
        "ordinal": ("1階", "2階"),
        "weekday": ("月曜の会議", "木曜の会議"),
        "compound": ("メールサーバー", "ビルドサーバー"),
        "own environment": ("本番環境", "検証環境"),
    },
    "ko": {
        "number": ("작업 17", "작업 18"),
        "numbered deed": ("야간 백업 17", "야간 백업 18"),
        "korean person": ("김민수", "이서연"),
        "team": ("결제 팀", "검색 팀"),
        "city": ("서울 사무실", "부산 사무실"),
        "ordinal": ("1층", "2층"),
        "weekday": ("월요일 회의", "목요일 회의"),
        "compound": ("메일 서버", "빌드 서버"),
        "own environment": ("운영 환경", "개발 환경"),
    },
}
# Attributes with two values; {a} in a frame.
ATTRIBUTES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("port", "8080", "9090"),
        ("owner", "Ines", "Tarek"),
        ("deadline", "Friday", "Monday"),
        ("version", "2.3", "2.4"),
        ("retry limit", "3", "5"),
        ("build timeout", "30 s", "60 s"),
        ("backup schedule", "daily", "weekly"),
        ("room", "12", "14"),
        ("log level", "debug", "info"),
        ("cache size", "2 GB", "4 GB"),
        ("status", "active", "paused"),
    ),
    "zh": (
        ("端口", "8080", "9090"),
        ("负责人", "赵敏", "周磊"),
        ("截止日期", "周五", "周一"),
        ("版本", "2.3", "2.4"),
        ("重试上限", "3", "5"),
        ("构建超时", "30 秒", "60 秒"),
        ("日志级别", "debug", "info"),
        ("状态", "启用", "暂停"),
    ),
    "de": (
        ("Port", "8080", "9090"),
        ("Frist", "Freitag", "Montag"),
        ("Zeitlimit", "30 s", "60 s"),
        ("Zuständige", "Ines", "Petra"),
        ("Version", "2.3", "2.4"),
    ),
    "fr": (
        ("limite", "3", "5"),
        ("version", "2.3", "2.4"),
        ("durée", "30 s", "60 s"),
        ("responsable", "Inès", "Paul"),
    ),
    "es": (
        ("versión", "2.3", "2.4"),
        ("fecha límite", "viernes", "lunes"),
        ("espera", "30 s", "60 s"),
        ("responsable", "Inés", "Pablo"),
    ),
    "ja": (
        ("ポート", "8080", "9090"),
        ("担当者", "山本", "小林"),
        ("締め切り", "金曜日", "月曜日"),
        ("タイムアウト", "30秒", "60秒"),
        ("再試行の上限", "3回", "5回"),
    ),
    "ko": (
        ("포트", "8080", "9090"),
        ("담당자", "박지훈", "최유리"),
        ("마감", "금요일", "월요일"),
        ("타임아웃", "30초", "60초"),
        ("재시도 상한", "3회", "5회"),
    ),
}
# Frames: {t} thing, {a} attribute, {v} value, {now} a sign of change or nothing.
FRAMES: dict[str, tuple[str, ...]] = {
    "en": (
        "The {a} of {t} is{now} {v}.",
        "The {a} for {t} is{now} {v}.",
        "The {a} in {t} is{now} {v}.",
        "The {a} on {t} is{now} {v}.",
        "{a} of {t}: {v}{now}",
        "{a} ({t}): {v}{now}",
        "{t}: {a} {v}{now}",
        "{t}: {a} is{now} {v}",
        "[{t}] {a}: {v}{now}",
        "{t} - {a}: {v}{now}",
        "{t}'s {a} is{now} {v}.",
        "{t} {a}: {v}{now}",
        "{t} has{now} {a} {v}.",
        "{t} uses {a} {v}{now}.",
        "For {t}, the {a} is{now} {v}.",
        "In {t} the {a} is{now} {v}.",
        "Set the {a} of {t} to {v}{now}.",
        "Set the {a} to {v} for {t}{now}.",
        "Use {a} {v} for {t}{now}.",
        "We set the {a} for {t} to {v}{now}.",
        "{v} is{now} the {a} of {t}.",
    ),
    "zh": (
        "{t}的{a}{now}是 {v}。",
        "{t}{a}{now}是{v}。",
        "{t}的{a}{now}为 {v}",
        "{t}:{a} {v}{now}",
        "{t}：{a}{now}是 {v}",
        "{a}（{t}）：{v}{now}",
        "{t}{a}：{v}{now}",
        "在{t}，{a}{now}是 {v}。",
        "把{t}的{a}设为 {v}{now}。",
        "对于{t}，{a}{now}是{v}。",
    ),
    "de": (
        "{a} von {t}: {v}{now}",
        "{a} von {t} ist{now} {v}.",
        "{a} für {t} ist{now} {v}.",
        "{a} bei {t}: {v}{now}",
        "{t}: {a} {v}{now}",
        "{a} ({t}): {v}{now}",
        "{t} hat{now} {a} {v}.",
        "Für {t} ist {a} {v} gesetzt{now}.",
        "{t} nutzt{now} {a} {v}.",
    ),
    "fr": (
        "La {a} de {t} est{now} {v}.",
        "La {a} pour {t} est{now} {v}.",
        "{a} de {t} : {v}{now}",
        "{a} ({t}) : {v}{now}",
        "{t} : {a} {v}{now}",
        "Pour {t}, la {a} est{now} {v}.",
        "{t} a{now} la {a} {v}.",
    ),
    "es": (
        "La {a} de {t} es{now} {v}.",
        "La {a} para {t} es{now} {v}.",
        "{a} de {t}: {v}{now}",
        "{a} ({t}): {v}{now}",
        "{t}: {a} {v}{now}",
        "Para {t}, la {a} es{now} {v}.",
        "{t} tiene{now} la {a} {v}.",
    ),
    "ja": (
        "{t}の{a}は{now}{v}です。",
        "{t}の{a}：{v}{now}",
        "{a}（{t}）：{v}{now}",
        "{t}：{a}は{now}{v}",
        "{t}は{a}が{now}{v}だ。",
        "{t}では{a}は{now}{v}です。",
        "{t}の{a}を{v}にする{now}。",
    ),
    "ko": (
        "{t}의 {a}는 {now}{v}이다.",
        "{t} {a}: {v}{now}",
        "{a} ({t}): {v}{now}",
        "{t}: {a}는 {now}{v}",
        "{t}에서는 {a}가 {now}{v}이다.",
        "{t}의 {a}를 {v}로 설정한다{now}.",
    ),
}
# Frames with a verb of their own instead of an attribute: (frame, older value, newer value).
DEEDS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("{t} listens{now} on port {v}.", "8080", "9090"),
        ("{t} is{now} owned by {v}.", "Ines", "Tarek"),
        ("{v}{now} maintains {t}.", "Ines", "Tarek"),
        ("{t} waits{now} {v} seconds.", "30", "60"),
        ("{t} keeps{now} at most {v} files.", "3", "5"),
        ("{t} runs{now} every {v} minutes.", "10", "20"),
        ("{t} expires{now} on {v}.", "Friday", "Monday"),
        ("Restart {t} after {v} minutes{now}.", "10", "20"),
        ("Always run {t} with {v} threads{now}.", "4", "8"),
        ("Send reports about {t} to {v}{now}.", "Ines", "Tarek"),
    ),
    "zh": (
        ("{t}{now}监听 {v} 端口。", "8080", "9090"),
        ("{t}{now}由{v}维护。", "赵敏", "周磊"),
        ("{v}{now}负责{t}。", "赵敏", "周磊"),
        ("{t}{now}等待 {v} 秒。", "30", "60"),
        ("{t}{now}最多保留 {v} 个文件。", "3", "5"),
        ("{t}{now}每 {v} 分钟运行一次。", "10", "20"),
        ("{v} 分钟后重启{t}{now}。", "10", "20"),
    ),
    "de": (
        ("{t} wartet{now} {v} Sekunden.", "30", "60"),
        ("{v} betreut{now} {t}.", "Ines", "Petra"),
        ("{t} behält{now} höchstens {v} Dateien.", "3", "5"),
        ("{t} wird{now} von {v} betreut.", "Ines", "Petra"),
    ),
    "fr": (
        ("{t} attend{now} {v} secondes.", "30", "60"),
        ("{v} gère{now} {t}.", "Inès", "Paul"),
        ("{t} est{now} gérée par {v}.", "Inès", "Paul"),
    ),
    "es": (
        ("{t} espera{now} {v} segundos.", "30", "60"),
        ("{v} gestiona{now} {t}.", "Inés", "Pablo"),
        ("{t} guarda{now} como máximo {v} archivos.", "3", "5"),
    ),
    "ja": (
        ("{t}は{now}{v}秒待つ。", "30", "60"),
        ("{v}さんが{now}{t}を担当する。", "山本", "小林"),
        ("{t}は{now}最大{v}個のファイルを残す。", "3", "5"),
    ),
    "ko": (
        ("{t}는 {now}{v}초 기다린다.", "30", "60"),
        ("{v} 씨가 {now}{t}를 담당한다.", "박지훈", "최유리"),
        ("{t}는 {now}파일을 최대 {v}개 보관한다.", "3", "5"),
    ),
}
NOW = {
    "en": " now",
    "zh": "现在",
    "de": " jetzt",
    "fr": " maintenant",
    "es": " ahora",
    "ja": "今は",
    "ko": "이제 ",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """An older and a newer note, the kind of their things and their frame; *same*: they are about one thing."""

    older: str
    newer: str
    language: str
    kind: str
    frame: str
    same: bool


def pairs(language: str, step: int = 1, start: int = 0) -> Iterator[Pair]:
    """Yield every *step*-th pair of notes of a language, from *start* on."""
    return islice(_pairs(language), start, None, step)


def _pairs(language: str) -> Iterator[Pair]:
    things = CODES | THINGS[language]
    for (frame, first, second), (kind, (one, other)) in product(_frames(language), things.items()):
        for same, value, change in product((False, True), (first, second), ("", NOW[language])):
            if same and value == first:
                continue
            older = _note(frame, one, first, "")
            newer = _note(frame, one if same else other, value, change)
            yield Pair(older, newer, language, kind, frame, same)


def _frames(language: str) -> Iterator[tuple[str, str, str]]:
    for frame, (attribute, first, second) in product(FRAMES[language], ATTRIBUTES[language]):
        yield frame.replace("{a}", attribute), first, second
    yield from DEEDS[language]


def _note(frame: str, thing: str, value: str, change: str) -> str:
    text = frame.format(t=thing, v=value, now=change)
    code = text.startswith(thing) and not thing.replace(" ", "").isalpha()
    return text if code else text[0].upper() + text[1:]
