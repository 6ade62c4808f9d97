"""Twins: sentences that differ from an original in exactly one fact, by construction, for every guard and language."""

import itertools
from collections.abc import Iterator
from typing import NamedTuple


class Twin(NamedTuple):
    """Two sentences that must never become one."""

    language: str
    kind: str
    original: str
    twin: str


# language -> templates with one slot {x}; language -> kind -> values of which any two are two facts
_SLOTS: dict[str, dict[str, tuple[list[str], list[str]]]] = {
    "en": {
        "number": (
            ["The limit is {x} files.", "Retry {x} times before giving up.", "Room {x} is booked for the audit.", "Keep {x} copies of every backup."],
            ["3", "5", "13", "30", "300", "twelve", "1,000", "10k", "2.5"],
        ),
        "version": (["The project runs on Node {x}.", "Pin the parser to {x}.", "We support Java {x}."], ["17", "18", "20.1", "20.10", "v3", "v4"]),
        "duration": (["Tokens expire after {x}.", "The job waits {x}."], ["30 s", "30 minutes", "two hours", "3 days", "an hour", "45 ms"]),
        "size": (["Uploads are limited to {x}.", "The cache holds {x}."], ["5 MB", "5 GB", "5 GiB", "50 MB", "512 kB"]),
        "money": (["The budget is {x}.", "Lunch costs {x}."], ["40 euros", "40 dollars", "$45", "40 pounds", "400 euros"]),
        "time": (["The standup starts at {x}.", "Call grandma at {x}."], ["9:00", "9:30", "9 pm", "10am", "noon"]),
        "date": (["The launch is on {x}.", "The lease ends on {x}."], ["March 5th", "March 6", "2026-03-07", "May 5", "5 April 2026"]),
        "weekday": (["The bins go out on {x}.", "No deployments on {x}."], ["Monday", "Tuesday", "Friday", "Sunday", "weekends"]),
        "name": (["{x} reviews the invoices.", "Ask {x} about the printer.", "The cat is called {x}."], ["Anna", "Anne", "Marek", "Marko", "Li Wei", "Dr. Osei"]),
        "place": (["The offsite is in {x}.", "Our office is in {x}."], ["Lyon", "Leon", "Berlin", "Bern", "Kyoto"]),
        "environment": (["Deploy to {x} first.", "Debug mode is enabled in {x}."], ["staging", "production", "dev", "the sandbox"]),
        "identifier": (["Call `{x}` in the handler.", "The flag is {x}."], ["fetch_page", "fetch_pages", "fetchPage", "--dry-run", "--dry"]),
        "path": (["Settings are in {x}.", "Write the output to {x}."], ["conf/app.toml", "conf/app.yaml", "config/app.toml", "/etc/app.toml"]),
        "url": (["The docs are at {x}.", "Post to {x}."], ["https://a.example/v1", "https://a.example/v2", "https://b.example/v1"]),
        "hash": (["The last good build is {x}.", "Commit {x} broke the menu."], ["a1b2c3d", "a1b2c4d", "0fe1233", "9e107d9"]),
        "bound": (["A team has {x} 5 people.", "Answers need {x} 200 words."], ["at least", "at most", "exactly", "more than", "fewer than"]),
        "quantity": (["{x} tickets have an owner.", "{x} tests run in CI."], ["All", "Some", "Most", "Not all", "No", "Only a few"]),
        "modality": (["Guests {x} use the side door.", "Reviewers {x} sign the form."], ["must", "may", "should", "must not", "need not"]),
        "frequency": (["Mia {x} cycles to work.", "The report is {x} late."], ["always", "never", "sometimes", "often", "rarely"]),
        "order": (["Run the linter {x} the tests.", "Feed the dog {x} breakfast."], ["before", "after", "instead of"]),
        "condition": (["Restart the hub{x}.", "Send the newsletter{x}."], ["", " only if the sensor fails", " unless the sensor fails", " if Ravi agrees", " except on Fridays", " until June"]),
        "certainty": (["{x}the backup works.", "{x}Tom moved to Oslo."], ["", "I think ", "Maybe ", "It is unclear whether "]),
        "antonym": (["The lamp is {x}.", "The shop is {x} today."], ["on", "off", "open", "closed", "broken"]),
        "tense": (["The team {x} the old server.", "Eva {x} the choir."], ["uses", "used to use", "will replace", "no longer likes", "plans to leave"]),
        "direction": (["Move the files {x} the archive.", "The letter came {x} the bank."], ["to", "from"]),
        "language": (["Answer the client in {x}.", "The manual is written in {x}."], ["English", "German", "French", "Japanese"]),
        "person": (["{x} prefer tea.", "{x} own the domain."], ["I", "The neighbours", "Our parents"]),
    },
    "zh": {
        "number": (["上限是 {x} 个文件。", "失败后重试 {x} 次。", "{x} 号会议室已预订。"], ["3", "5", "十三", "三十", "300", "一千", "两百"]),
        "version": (["项目用 Node {x}。", "解析器锁定在 {x}。"], ["17", "18", "20.1", "20.10"]),
        "duration": (["令牌 {x} 后过期。", "任务等待 {x}。"], ["30 秒", "30 分钟", "两小时", "三天", "一小时", "45 毫秒"]),
        "size": (["上传限制为 {x}。"], ["5 MB", "5 GB", "50 MB"]),
        "money": (["预算是 {x}。", "午饭花了 {x}。"], ["40 元", "40 美元", "400 元", "四十五元", "40 欧元"]),
        "time": (["站会 {x} 开始。", "{x} 给外婆打电话。"], ["上午9点", "上午9点半", "晚上9点", "10:00", "下午三点"]),
        "date": (["上线日期是 {x}。", "租约 {x} 到期。"], ["3月5日", "3月6日", "2026-03-07", "五月五日"]),
        "weekday": (["{x}收垃圾。", "{x}不发版。"], ["周一", "周二", "星期五", "周日", "周末"]),
        "name": (["发票由{x}审核。", "打印机的事找{x}。", "猫叫{x}。"], ["小陶", "小桃", "阿可", "阿珂", "王敏", "王明"]),
        "place": (["团建在{x}。", "办公室在{x}。"], ["苏州", "杭州", "城东", "城西", "上海"]),
        "environment": (["先部署到{x}。", "{x}打开了调试。"], ["预发环境", "生产环境", "开发环境", "测试环境"]),
        "identifier": (["在处理函数里调用 `{x}`。"], ["fetch_page", "fetch_pages", "fetchPage"]),
        "path": (["配置在 {x}。"], ["conf/app.toml", "conf/app.yaml", "config/app.toml"]),
        "bound": (["每组{x} 5 人。", "回答{x} 200 字。"], ["至少", "最多", "超过", "少于"]),
        "quantity": (["{x}工单都有负责人。"], ["所有", "部分", "大多数", "并非所有"]),
        "modality": (["访客{x}走侧门。", "评审人{x}签字。"], ["必须", "可以", "应该", "不得", "不必"]),
        "order": (["跑测试{x}要跑检查。"], ["之前", "之后"]),
        "condition": (["{x}重启网关。"], ["", "只有传感器坏了才", "除非传感器坏了，否则", "如果小李同意就"]),
        "certainty": (["{x}备份正常。"], ["", "可能"]),
        "negation": (["实习生{x}看生产库。", "用户{x}吃香菜。"], ["能", "不能", "不用"]),
        "antonym": (["店今天{x}。", "报价客户{x}。"], ["满意", "不满意", "没看"]),
        "language": (["回复客户用{x}。"], ["英文", "中文", "法语", "日文"]),
        "city": (["服务器在{x}。", "用户住在{x}。", "{x}的办公室有停车场。"], ["北京", "上海", "深圳", "成都", "西安", "东京"]),
        "tool": (["缓存用 {x}。", "我们用 {x} 做消息队列。", "日志收集到 {x}。"], ["Redis", "Memcached", "Kafka", "RabbitMQ", "Loki"]),
        "database": (["订单存在 {x}。", "数据库是 {x}。"], ["MySQL", "PostgreSQL", "MongoDB", "SQLite", "Oracle"]),
        "colour": (["主题色是{x}。", "按钮用{x}。"], ["红色", "绿色", "蓝色", "黑色", "白色"]),
        "role": (["由{x}审批。", "{x}负责验收。", "把结果发给{x}。"], ["产品经理", "项目经理", "测试工程师", "设计师", "管理员", "实习生"]),
        "deed": (["小李{x}合同。", "系统每天{x}日志。"], ["上传", "下载", "删除", "归档", "备份", "检查", "导出"]),
        "part of day": (["{x}开例会。", "用户{x}不接电话。"], ["上午", "下午", "晚上", "中午", "凌晨"]),
        "round": (["{x}备份一次。", "{x}发周报。"], ["每天", "每周", "每月", "每小时", "每年"]),
        "move": (["会议{x}周三。", "期限{x}周五。"], ["提前到", "推迟到"]),
        "relative": (["用户的{x}是医生。", "{x}住在楼上。"], ["妻子", "丈夫", "母亲", "父亲", "女儿", "儿子", "奶奶", "外婆"]),
        "side": (["导航栏在{x}。"], ["左侧", "右侧", "顶部", "底部"]),
        "exchange": (["{x}。"], ["小李向小王汇报", "小王向小李汇报"]),
        "need": (["{x}。"], ["不登录不能下载", "不下载不能登录", "登录了不能下载"]),
    },
    "de": {
        "number": (["Die Grenze liegt bei {x} Dateien."], ["3", "5", "dreißig", "1.000", "zwölf"]),
        "weekday": (["Der Müll wird {x} abgeholt."], ["montags", "dienstags", "am Freitag"]),
        "name": (["{x} prüft die Rechnungen."], ["Anna", "Anne", "Marek", "Marko"]),
        "negation": (["Gäste dürfen den Garten {x}nutzen."], ["", "nicht ", "nur sonntags "]),
        "modality": (["Besucher {x} den Ausweis zeigen."], ["müssen", "dürfen", "sollten", "müssen nicht"]),
        "bound": (["Eine Gruppe hat {x} 5 Personen."], ["mindestens", "höchstens", "mehr als"]),
        "condition": (["Den Hub neu starten{x}."], ["", ", wenn der Sensor ausfällt", ", außer am Freitag"]),
        "quantity": (["{x} Tests laufen nachts."], ["Alle", "Einige", "Die meisten"]),
        "order": (["Den Linter {x} den Tests starten."], ["vor", "nach"]),
        "time": (["Das Treffen beginnt um {x}."], ["9 Uhr", "10 Uhr", "9:30 Uhr"]),
    },
    "fr": {
        "number": (["La limite est de {x} fichiers."], ["3", "5", "trente", "douze"]),
        "weekday": (["Les poubelles sortent le {x}."], ["lundi", "mardi", "vendredi"]),
        "name": (["{x} vérifie les factures."], ["Anne", "Anna", "Marc", "Marco"]),
        "negation": (["Les visiteurs {x} fumer."], ["peuvent", "ne peuvent pas", "doivent"]),
        "bound": (["Une équipe compte {x} 5 personnes."], ["au moins", "au plus", "plus de"]),
        "condition": (["Redémarrer le hub{x}."], ["", " si le capteur tombe", " sauf le vendredi"]),
        "quantity": (["{x} les tests tournent la nuit."], ["Tous", "Certains parmi", "La plupart parmi"]),
        "order": (["Lancer le linter {x} les tests."], ["avant", "après"]),
        "date": (["La migration est le {x}."], ["3 février", "10 février", "3 mars"]),
    },
    "es": {
        "number": (["El límite es de {x} archivos."], ["3", "5", "treinta", "doce"]),
        "weekday": (["La basura sale los {x}."], ["lunes", "martes", "viernes"]),
        "name": (["{x} revisa las facturas."], ["Ana", "Eva", "Marcos", "Marcelo"]),
        "negation": (["Los visitantes {x} fumar."], ["pueden", "no pueden", "deben"]),
        "bound": (["Un equipo tiene {x} 5 personas."], ["al menos", "como máximo", "más de"]),
        "condition": (["Reiniciar el hub{x}."], ["", " si falla el sensor", " salvo los viernes"]),
        "quantity": (["{x} los tests corren de noche."], ["Todos", "Algunos de", "La mayoría de"]),
        "order": (["Ejecutar el linter {x} las pruebas."], ["antes de", "después de"]),
        "time": (["La reunión es a las {x}."], ["9:00", "10:00", "21:00"]),
    },
    "ja": {
        "number": (["上限は{x}個です。"], ["3", "5", "三十", "300"]),
        "weekday": (["ごみの日は{x}。"], ["月曜", "火曜日", "金曜"]),
        "name": (["請求書は{x}が確認する。"], ["鈴木", "佐藤", "田中", "中田"]),
        "negation": (["来客は裏口を{x}。"], ["使う", "使わない", "使ってもよい", "使わなければならない"]),
        "bound": (["チームは5人{x}。"], ["以上", "以下", "未満"]),
        "time": (["会議は{x}から。"], ["午前9時", "午後9時", "10:00"]),
        "order": (["テストの{x}に検査を実行する。"], ["前", "後"]),
        "condition": (["{x}ハブを再起動する。"], ["", "センサーが壊れた場合は", "金曜を除いて"]),
    },
    "ko": {
        "number": (["한도는 {x}개이다."], ["3", "5", "30", "300"]),
        "weekday": (["쓰레기는 {x}에 버린다."], ["월요일", "화요일", "금요일"]),
        "name": (["청구서는 {x}이 확인한다."], ["수진", "수민", "지훈", "지현"]),
        "negation": (["손님은 뒷문을 {x}."], ["쓴다", "쓰지 않는다", "써도 된다"]),
        "bound": (["팀은 5명 {x}이다."], ["이상", "이하", "미만"]),
        "time": (["회의는 {x}에 시작한다."], ["오전 9시", "오후 9시", "10:00"]),
        "order": (["테스트 {x} 검사를 실행한다."], ["전에", "후에"]),
        "quantity": (["{x} 테스트를 매일 돌린다."], ["모든", "일부"]),
    },
}  # fmt: skip

# whole sentences in which only the roles were exchanged
_ROLES: dict[str, list[tuple[str, str]]] = {
    "en": [
        ("Nora reviews Felix's code.", "Felix reviews Nora's code."),
        ("Nora reviews Felix's code.", "Nora's code is reviewed by Felix."),
        ("The gateway calls the billing service.", "The billing service calls the gateway."),
        ("Ana is the primary and Raj is the backup.", "Raj is the primary and Ana is the backup."),
        ("Sync from the office to the cloud.", "Sync from the cloud to the office."),
        ("The db listens on 5432, the cache on 6379.", "The db listens on 6379, the cache on 5432."),
        ("Mia reports to Jon.", "Jon reports to Mia."),
        ("Milk is cheaper than juice.", "Juice is cheaper than milk."),
        ("Use tabs, not spaces.", "Use spaces, not tabs."),
        ("Steps: build, test, publish.", "Steps: test, build, publish."),
        ("If the build fails, stop the release.", "If the release fails, stop the build."),
        ("Primary: db-a, replica: db-b.", "Primary: db-b, replica: db-a."),
        ("Driver: Ben, navigator: Ida.", "Driver: Ida, navigator: Ben."),
        ("Ben (driver), Ida (navigator).", "Ida (driver), Ben (navigator)."),
        ("Ben - driver, Ida - navigator.", "Ida - driver, Ben - navigator."),
        ("Squad A hands over to Squad B.", "Squad B hands over to Squad A."),
        ("Keep file names short.", "Keep files short."),
        ("Dark background and light text.", "Light background and dark text."),
        ("Short answers to long questions.", "Long answers to short questions."),
        ("The public key is in the private repo.", "The private key is in the public repo."),
        ("Mara is Tim's deputy.", "Tim is Mara's deputy."),
        ("Ben approves what Ida writes.", "Ida approves what Ben writes."),
        ("Client: retries; server: gives up.", "Server: retries; client: gives up."),
        ("Ask Ben first, then Ida.", "Ask Ida first, then Ben."),
        ("The scheduler waits for the worker.", "The worker waits for the scheduler."),
        ("Orders trigger invoices.", "Invoices trigger orders."),
        ("Not all endpoints are public.", "All endpoints are not public."),
        ("Uploads without login are not allowed.", "Login without uploads is not allowed."),
    ],
    "zh": [
        ("小何审核小贺的代码。", "小贺审核小何的代码。"),
        ("阿超值早班，阿朝值晚班。", "阿朝值早班，阿超值晚班。"),
        ("网关调用计费服务。", "计费服务调用网关。"),
        ("从办公室同步到云端。", "从云端同步到办公室。"),
        ("主库是 db-01，从库是 db-02。", "主库是 db-02，从库是 db-01。"),
        ("用空格，不用制表符。", "用制表符，不用空格。"),
        ("牛奶比果汁便宜。", "果汁比牛奶便宜。"),
        ("主：db-a，备：db-b。", "主：db-b，备：db-a。"),
        ("司机小何，副驾小贺。", "司机小贺，副驾小何。"),
        ("先问小何，再问小贺。", "先问小贺，再问小何。"),
        ("订单触发发票。", "发票触发订单。"),
        ("用户不吃肉不喝酒。", "用户吃肉喝酒。"),
    ],
    "de": [("Nora prüft Felix' Code.", "Felix prüft Noras Code."), ("Tabs statt Leerzeichen.", "Leerzeichen statt Tabs.")],
    "fr": [("Nora relit le code de Félix.", "Félix relit le code de Nora.")],
    "es": [("Nora revisa el código de Félix.", "Félix revisa el código de Nora.")],
    "ja": [("太郎が花子の資料を確認する。", "花子が太郎の資料を確認する。")],
    "ko": [("수진이 지훈의 문서를 검토한다.", "지훈이 수진의 문서를 검토한다.")],
}  # fmt: skip


def twins() -> Iterator[Twin]:
    """Yield every twin, in a fixed order."""
    for language, kinds in _SLOTS.items():
        for kind, (templates, values) in kinds.items():
            for template, (x, y) in itertools.product(templates, itertools.combinations(values, 2)):
                yield Twin(language, kind, template.format(x=x), template.format(x=y))
    for language, pairs in _ROLES.items():
        for original, twin in pairs:
            yield Twin(language, "role", original, twin)


# sentence around a whole statement that changes none of its facts
POLITE: dict[str, list[str]] = {
    "en": ["Please note: {s}", "Reminder: {s}", "As mentioned before, {s}"],
    "zh": ["请注意：{s}", "再次提醒：{s}", "用户再次强调：{s}"],
    "de": ["Zur Erinnerung: {s}", "Wichtig: {s}"],
    "fr": ["Rappel : {s}", "Pour rappel, {s}"],
    "es": ["Recordatorio: {s}", "Importante: {s}"],
    "ja": ["念のため、{s}"],
    "ko": ["다시 말하지만, {s}"],
}
