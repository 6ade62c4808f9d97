"""The table of instructions that somebody plants for an agent to read: patterns over folded text.

Folded text (see `injection`) is lower case, without accents, look-alikes and invisible characters.
No pattern begins with a word's boundary: with a choice of letters first, the search skips at C speed.
A rule names its target (the agent, its rules, its memory, its user), never a verb alone: people say
"ignore the previous error" and "from now on use tabs". Fillers are bounded, so matching is linear.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to plant an instruction.

    Attributes:
        pattern: what it looks like; or, where *inside* is given, what hides it.
        inside: what must occur in a match of *pattern*.
        is_east_asian: it only matches Chinese, Japanese or Korean.
    """

    name: str
    pattern: re.Pattern[str]
    inside: re.Pattern[str] | None = None
    is_east_asian: bool = False


_FEW = r"(?:\W{1,4}[\w'-]{1,24}){0,4}?\W{1,4}"  # up to four words between two others
_NEAR = r"[^\n.。！!？?]{0,30}?"  # a stretch of a sentence, for scripts without spaces
_AGENT = (
    r"(?:a\.?i\.?|llms?|(?:large )?language models?|chat ?bots?|bots?|assistants?|agents?|chatgpt|claude|"
    r"copilot|gemini|codex|ki(?:-\w{1,20})?|i\.?a\.?|asistentes?|modeles? de langage|modelos? de lenguaje|"
    r"assistenten?|sprachmodelle?n?)"
)
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|former|original|initial|system|existing|given)"
_ORDERS = r"(?:instructions?|prompts?|directives?|guidelines?|orders|commands?|programming|rules|constraints?|restrictions?|polic(?:y|ies)|system message)"
_OUR_USER = r"(?:the|this|your|our) (?:user|owner|human|customer|operator|admin(?:istrator)?)"

_TABLE = (
    # --- the agent's rules are set aside
    (
        "override",
        (
            rf"(?:ignore|disregard|forget|discard|overrid(?:e|ing)|bypass|drop|neglect|stop following|"
            rf"(?:do not|don'?t|never) (?:follow|obey)|pay no attention to){_FEW}?(?:(?:all|any|every|each|your|of|the|these|those|my|our)\W{{1,2}}){{0,3}}"
            rf"(?:{_EARLIER}(?:\W{{1,4}}\w{{1,16}}){{0,2}}?\W{{1,4}}{_ORDERS}\b|(?:all|any|every|each|your)(?: (?:of )?(?:the|your|other))?\W{{1,2}}(?:instructions|prompts?|directives|guidelines|programming|safety \w{{1,20}})\b)"
        ),
    ),
    (
        "override",
        r"(?:ignore|disregard|forget) (?:everything|anything|all|whatever) (?:that )?(?:you (?:were|have been|'ve been) (?:told|taught|instructed)|above|before this|you know)\b",
    ),
    (
        "override",
        (
            r"(?:忽略|无视|無視|忘记|忘掉|忘了|忘記|抛弃|丢弃|不要遵守|不必遵守|不用遵守|不要理会|别管|推翻|绕过|覆盖)[^\n。！？]{0,6}"
            r"(?:之前|以前|先前|上面|上述|以上|前面|此前|所有|一切|全部|任何|你的|原有|原来|系统|既定)[^\n。！？]{0,8}(?:指令|指示|规则|規則|提示词|提示詞|系统提示|命令|设定|設定|约束|约定|限制|准则|prompt|instructions?|rules)"
        ),
    ),
    (
        "override",
        r"(?:忽略|无视|無視|忘记|忘掉|忘了)[^\n。！？]{0,6}(?:system prompt|系统提示词?|系统指令|previous instructions?)",
    ),
    (
        "override",
        r"(?:以前|これまで|今まで|前|上記|上|先ほど|すべて|全て|全|あらゆる|既存)の?(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト|設定|制約|規則|指令)[^\n。！？]{0,8}(?:無視|忘れ|従わな|破棄|上書き|取り消)",
    ),
    (
        "override",
        r"(?:이전|앞선|앞의|위의|지금까지의?|기존|모든|원래)[^\n.!?]{0,8}(?:지시|명령|규칙|프롬프트|지침|설정|제약)[^\n.!?]{0,8}(?:무시|잊|따르지|버리|덮어)",
    ),
    (
        "override",
        (
            rf"(?:ignorier\w{{0,3}}|vergiss|vergesst|vergessen sie|missacht\w{{1,3}}|verwirf|verwerfen sie|ubergeh\w{{1,2}}|uberschreib\w{{1,2}}){_FEW}"
            r"(?:(?:vorherig|bisherig|obig|fruher|vorangegangen|vorig|ursprunglich)\w{0,2}|alle\w?|samtliche|deine|ihre|eure)(?:\W{1,3}\w{1,24}){0,2}?\W{1,3}(?:\w{0,12}anweisung|\w{0,12}vorgabe|\w{0,12}regel|instruktion|\w{0,12}prompt|befehl|richtlinie|einschrankung)\w{0,2}\b"
        ),
    ),
    (
        "override",
        (
            rf"(?:ignore[zr]?|oublie[zr]?|meprise[zr]?|ne (?:tiens|tenez) (?:pas|aucun) compte|fais abstraction|passe[zr]? outre|contourne[zr]?){_FEW}"
            r"(?:instructions|consignes|regles|directives|prompts?|ordres)\b(?:\W{1,3}(?:precedent\w{0,2}|anterieur\w{0,2}|ci-dessus|initial\w{0,2}|systeme|du systeme|que tu as)|(?<=instructions)|(?<=consignes))"
        ),
    ),
    (
        "override",
        (
            rf"(?:ignor[ae]|olvid[ae](?:te)?|descart[ae]|omit[ae]|desobedece|haz caso omiso de|pasa por alto){_FEW}"
            r"(?:instrucciones|reglas|indicaciones|directrices|ordenes|prompts?|restricciones)\b(?:\W{1,3}(?:anterior\w{0,2}|previ\w{1,2}|de arriba|del sistema|original\w{0,2}|inicial\w{0,2})|(?<=instrucciones)|(?<=directrices))"
        ),
    ),
    # --- the agent becomes somebody else
    (
        "role",
        (
            rf"\byou are (?:now|no longer|hereby|henceforth) (?:(?:an?|the|my|in|running|acting|operating|bound|being|as|free|under|completely|fully)\W{{1,2}}){{0,3}}(?:\w{{1,16}}\W){{0,2}}?"
            rf"(?:{_AGENT}|dan|jailbroken|unrestricted|unfiltered|uncensored|hacker|root|administrator|developer mode|god mode|debug mode|restricted|free from|bound by|from (?:all|any) (?:rules|restrictions))\b"
        ),
    ),
    (
        "role",
        r"(?:pretend|act as if|act like|imagine|behave as (?:if|though)) (?:that )?you (?:are|have|had)(?:\W{1,2}\w{1,16}){0,4}?\W{1,2}(?:no (?:rules|restrictions|limits|guidelines|filters)|unrestricted|uncensored|unfiltered|jailbroken|evil|dan|not bound)\b",
    ),
    (
        "role",
        r"(?:do anything now|dan mode|jailbreak mode|developer mode (?:enabled|on|activated)|god mode (?:enabled|on|activated)|enter (?:developer|dan|god|jailbreak|unrestricted) mode)\b",
    ),
    (
        "role",
        r"(?:disable|remove|turn off|deactivate|lift|bypass)(?:\W{1,2}\w{1,16}){0,3}?\W{1,2}(?:safety|content|ethical|moderation) (?:filters?|guardrails?|guidelines|restrictions|checks|protocols?|polic(?:y|ies))\b",
    ),
    (
        "role",
        r"(?:你现在|现在你|从现在(?:开始|起)[,，]?你|接下来你)(?:是|扮演|将扮演|就是|要扮演|进入)[^\n。！？]{0,14}(?:ai|助手|机器人|模型|黑客|管理员|没有限制|不受限制|无限制|越狱|dan|开发者模式|上帝模式)",
    ),
    (
        "role",
        r"(?:あなたは|君は|お前は)(?:今から|これから|今後|現在|もう)[^\n。！？]{0,20}(?:ai|アシスタント|ボット|モデル|ハッカー|管理者|制限のない|制限され|開発者モード)",
    ),
    (
        "role",
        r"(?:당신은|너는|넌) ?(?:이제|지금부터|앞으로)[^\n.!?]{0,20}(?:ai|어시스턴트|봇|모델|해커|관리자|제한 ?없|개발자 모드)",
    ),
    (
        "role",
        rf"(?:du bist|sie sind) (?:jetzt|nun|ab sofort|ab jetzt|nicht mehr|kunftig)(?:\W{{1,2}}\w{{1,16}}){{0,3}}?\W{{1,2}}(?:{_AGENT}|ki|hacker|administrator|uneingeschrankt\w{{0,2}}|entwicklermodus)\b",
    ),
    (
        "role",
        rf"(?:tu es|vous etes) (?:maintenant|desormais|a present)(?:\W{{1,2}}\w{{1,16}}){{0,3}}?\W{{1,2}}(?:{_AGENT}|pirate|administrateur|sans (?:restriction|limite|filtre)s?|mode developpeur)\b",
    ),
    (
        "role",
        rf"(?:ahora eres|eres ahora|a partir de ahora(?: tu)? eres)(?:\W{{1,2}}\w{{1,16}}){{0,3}}?\W{{1,2}}(?:{_AGENT}|ia|hacker|administrador|sin (?:restricciones|limites|filtros)|modo desarrollador)\b",
    ),
    # --- what the agent was told is to leak
    (
        "leak",
        r"(?:reveal|show|print|repeat|output|display|leak|dump|tell|give|disclose|write|summari[sz]e|translate|encode|send|share|expose|quote|recite)(?:\W{1,3}\w{1,12}){0,4}?\W{1,3}your (?:\w{1,12} )?(?:system prompt|system message|(?:initial|original|hidden|secret|full|exact|internal) (?:instructions|prompt|rules|guidelines)|instructions verbatim|developer message)\b",
    ),
    (
        "leak",
        r"(?:repeat|print|output|write|copy)(?:\W{1,3}\w{1,12}){0,3}?\W{1,3}(?:everything|all (?:the )?(?:text|words)|the (?:text|words)) above\b",
    ),
    (
        "leak",
        r"(?:输出|显示|打印|告诉我|透露|泄露|复述|重复|展示|给出|公开|说出)[^\n。！？]{0,6}(?:你的|您的)[^\n。！？]{0,6}(?:系统提示词?|系统指令|初始指令|原始指令|隐藏指令|system prompt|提示词)",
    ),
    (
        "leak",
        r"(?:あなたの|君の)?(?:システムプロンプト|初期指示|内部指示)を[^\n。！？]{0,8}(?:教え|表示し|出力し|開示|見せ|そのまま)",
    ),
    (
        "leak",
        r"(?:너의|당신의|네) ?(?:시스템 ?프롬프트|초기 ?지시|숨겨진 ?지시)[^\n.!?]{0,10}(?:보여|출력|공개|알려|말해)",
    ),
    (
        "leak",
        r"(?:zeig\w{0,2}|verrate\w?|gib|nenne?|offenbar\w{1,3}|wiederhol\w{1,2})(?:\W{1,3}\w{1,12}){0,3}?\W{1,3}(?:deine\w?|ihre\w?) (?:system-?prompt|systemanweisung\w{0,2}|ursprunglichen anweisungen|internen anweisungen)\b",
    ),
    (
        "leak",
        r"(?:revele[zr]?|montre[zr]?|affiche[zr]?|repete[zr]?|donne[zr]?|divulgue[zr]?)(?:\W{1,3}\w{1,12}){0,3}?\W{1,3}(?:ton|votre|tes|vos) (?:prompt systeme|instructions (?:initiales|systeme|cachees|internes))\b",
    ),
    (
        "leak",
        r"(?:revela|muestra|imprime|repite|dame|divulga|ensena)(?:me)?(?:\W{1,3}\w{1,12}){0,3}?\W{1,3}(?:tu|tus|su|sus) (?:prompt del? sistema|instrucciones (?:iniciales|del sistema|ocultas|internas))\b",
    ),
    # --- the reader is addressed as a machine
    (
        "address",
        rf"(?:note|message|attention|instructions?|notice|reminder|hint|memo|hinweis|nachricht|anweisung|nota|mensaje|aviso|remarque|avis|consigne)s?\W{{1,3}}(?:to|for|an|fur|a l'attention des?|aux?|pour(?: les?| l')?|a|para(?: l[ao]s?| el)?)\W{{0,2}}(?:(?:all|any|the|every|your|alle|die|das|tous les|les|las|los|todos los)\W{{1,2}}){{0,2}}{_AGENT}\b[^\n:.]{{0,24}}?[:：!]",
    ),
    (
        "address",
        rf"(?:dear|hello|hey|hi|attention|liebe\w?|achtung|cher|chere|querido|estimado|hola|bonjour)\W{{1,2}}{_AGENT}\b[^\n]{{0,80}}?\b(?:you must|must|ignore|remember|store|save|write|add|forget|always|never|please|do not|don'?t|musst|merke?|speicher\w{{0,2}}|dois|devez|retiens|debes|recuerda|guarda)\b",
    ),
    (
        "address",
        rf"(?:if|when|as) (?:you(?:'re| are)?|this is being read by)? ?(?:are |read by )?(?:an?|the) {_AGENT}(?:\W{{1,2}}(?:reading|processing|summari[sz]ing|parsing|that|who|with|analy[sz]ing))\b",
    ),
    (
        "address",
        r"[\[({<*_]{1,3}\W?(?:system|assistant|ai|agent|llm|admin)(?: (?:note|message|instruction|override|command|prompt))?\W?\s?[:：]\s?[^\n]{0,80}?\b(?:add|save|store|remember|ignore|forget|you|must|always|never|do not|don'?t|send|write|reply|respond|include|memory|execute|run)\b",
    ),
    (
        "address",
        r"(?m:^|[\"“'>.!?]\s?)(?:ai (?:assistant|agent|model)s?|assistant|language models?|llms?|system override|system instructions?)\s?[:,，：]\s?(?:please )?(?:ignore|forget|remember|store|save|you must|always|never|do not|don'?t|send|write|add|from now on|disregard|execute|run|recommend)\b",
    ),
    (
        "address",
        r"(?:ai|人工智能|智能|大模型|语言模型|机器人|智能体) ?(?:助手|助理|模型|们)?(?:请注意|你好|注意|请|听好|必须|应当|须知)[^\n]{0,40}?(?:忽略|记住|记下|写入|写进|存入|保存|推荐|执行|发送|不要|别|永久|必须|忘记|告诉)",
    ),
    (
        "address",
        r"(?:系统|system|管理员|开发者)(?:指令|命令|override|instruction)s?\s?[:：]",
    ),
    (
        "address",
        r"(?:ai|アシスタント|言語モデル|ボット)(?:アシスタント)?(?:の皆さん|各位)?(?:への|へ|に対する|向け)(?:注意|指示|メッセージ|お知らせ|お願い|命令)|(?:システム(?:指示|命令|メッセージ))\s?[:：]",
    ),
    (
        "address",
        r"(?:ai|인공지능|언어 ?모델|챗봇|어시스턴트)(?: ?(?:어시스턴트|모델|비서))?(?:에게|에 대한|께|는 ?주의|를 위한)[^\n]{0,20}?(?:지시|주의|알림|메시지|무시|기억|저장|추천)|시스템 ?(?:지시|명령|메시지)\s?[:：]",
    ),
    (
        "address",
        r"(?m:^|[\"'“>\[({]\s?)(?:system|admin(?:istrator)?|developer) (?:override|instruction|command)s?\s?:",
    ),
    # --- the memory is to hold what a third person wants
    (
        "memory",
        rf"(?:remember|note|record|store|save|memori[sz]e|keep in (?:mind|memory)|add|write|commit|log|persist)(?:\W{{1,3}}[\w'-]{{1,20}}){{0,6}}?\W{{1,3}}that\W{{1,2}}{_OUR_USER}\b",
    ),
    (
        "memory",
        r"(?:add|save|store|write|put|commit|record|append|insert|persist|copy)(?:\W{1,3}[\w'-]{1,20}){0,5}?\W{1,3}(?:to|in|into|as)\W{1,2}(?:(?:the|your|its|an?|this|permanent|persistent|long[ -]?term|core|agent'?s?|assistant'?s?|ai'?s?)\W{1,2}){1,4}(?:memory|memories|memory (?:file|bank|store)|preferences?)\b(?! (?:leak|limit|usage|pressure|address|pool|map|buffer|allocat))",
    ),
    (
        "memory",
        r"(?:永久|长期|永远|牢牢)?(?:记住|记下|记录|记录下|写入|写进|存入|存储|保存|添加|加入)[^\n。！？]{0,8}(?:用户|主人|使用者|客户)(?:同意|允许|信任|授权|已|是|要求|希望|想|喜欢|偏好|批准|的)",
    ),
    (
        "memory",
        r"(?:用户|主人|使用者)[^\n。！？]{0,14}[’”'\"」』]?[^\n。！？]{0,3}(?:写入|写进|存入|记入|加入|保存到|添加到)[^\n。！？]{0,4}(?:你的|您的|长期|永久)?(?:记忆|内存|memory)",
    ),
    (
        "memory",
        r"(?:把|将)[^\n。！？]{0,40}?(?:记为|记作|写入你的记忆|存入你的记忆|写进你的记忆|永久记住)",
    ),
    (
        "memory",
        r"ユーザー(?:は|が|の)[^\n。！？]{0,40}?(?:記憶|メモリ|永続的に)[^\n。！？]{0,8}(?:保存|追加|書き込|記録|登録|記憶し|しておいて|せよ|してください)",
    ),
    (
        "memory",
        r"(?:記憶|メモリ|長期記憶)に[^\n。！？]{0,40}?ユーザー|ユーザー[^\n。！？]{0,40}?(?:と|を)(?:永久に|恒久的に|永続的に)[^\n。！？]{0,4}(?:記憶|覚え|保存)",
    ),
    (
        "memory",
        r"사용자(?:는|가|의)[^\n.!?]{0,40}?(?:기억|메모리)(?:에|해|하)[^\n.!?]{0,10}|(?:영구적으로|장기) ?(?:기억|저장)[^\n.!?]{0,30}?사용자",
    ),
    (
        "memory",
        r"(?:speicher|merke?|notier|vermerk|hinterleg)\w{0,3}(?:\W{1,3}\w{1,20}){0,5}?\W{1,3}(?:dass|das) (?:der|die) (?:nutzer|benutzer|anwender|kunde|besitzer)\w{0,3}\b",
    ),
    (
        "memory",
        r"(?:enregistre|memorise|retiens|retenez|note|souviens-toi|ajoute)\w{0,2}(?:\W{1,3}\w{1,20}){0,5}?\W{1,3}que l\W?(?:utilisat|usager|client)\w{0,5}",
    ),
    (
        "memory",
        r"(?:recuerda|guarda|almacena|memoriza|anota|registra)\w{0,3}(?:\W{1,3}\w{1,20}){0,5}?\W{1,3}que (?:el|la) (?:usuari[oa]|client[ea]|duen[oa])\b",
    ),
    # --- the user is kept in the dark
    (
        "deception",
        rf"(?:do not|don'?t|never|without)(?:\W{{1,2}}(?:ever|you|first))?\W{{1,2}}(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|alert(?:ing)?|notify(?:ing)?|let|reveal(?:ing)?|ask(?:ing)?)(?:\W{{1,2}}(?:this|it|anything|to|of))*?\W{{1,2}}{_OUR_USER}(?: (?:about|of|that you|know|this)\b|\W{{0,2}}(?:$|[.!\n\"”'\])]))",
    ),
    (
        "deception",
        r"(?:不要|别|勿|不得|无需|不用|不必|切勿|不能)(?:向|跟|对|让|把这件事)?(?:告诉|告知|通知|提醒|透露给?|提及|说给)?(?:用户|主人|使用者)(?:知道|透露|提及|提起|说明|发现|$|[。！，,.!”\"])",
    ),
    ("deception", r"(?:不要|别|勿|不得|切勿)(?:告诉|告知|通知|透露给)(?:用户|主人|使用者|任何人)"),
    (
        "deception",
        r"ユーザー(?:に|には|へ)[^\n。！？]{0,10}(?:言わない|伝えない|知らせない|教えない|言うな|伝えるな|秘密に|気付かれない|気づかれない)",
    ),
    ("deception", r"사용자(?:에게|한테)[^\n.!?]{0,10}(?:알리지|말하지|전하지|비밀로)"),
    (
        "deception",
        r"(?:sag\w{0,2}|erzahl\w{0,2}|verrate\w?|informier\w{0,3}|teil\w{0,2})(?:\W{1,2}\w{1,12}){0,2}?\W{1,2}(?:dem|den|der) (?:nutzer|benutzer|anwender|besitzer)\w{0,2}(?:\W{1,2}\w{1,12}){0,2}?\W{1,2}(?:nicht|nichts)\b",
    ),
    (
        "deception",
        r"\bne (?:le |la |lui |rien )?(?:dis|dites|revele[zr]?|mentionne[zr]?|signale[zr]?|previens|informe[zr]?)(?:\W{1,2}\w{1,12}){0,3}?\W{1,2}(?:a )?l\W?utilisat\w{1,5}",
    ),
    (
        "deception",
        r"\bno (?:se |le |lo |selo )?(?:digas|diga|informes|informe|menciones|mencione|reveles|avises)(?:\W{1,2}\w{1,12}){0,3}?\W{1,2}(?:al|a la|el) usuari[oa]\b",
    ),
    # --- text that poses as another part of the prompt
    (
        "markup",
        r"<\|?/?(?:im_start|im_end|im_sep|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|system|user|assistant|tool)\|>",
    ),
    (
        "markup",
        r"(?<!\w)</?(?:system|system[-_]?(?:prompt|message|reminder|instructions?|override)|assistant|developer[-_]message|instructions_override)>",
    ),
    ("markup", r"\[/?inst\]|<</?sys>>|\[/?system(?:[ _]?(?:message|prompt))?\]"),
    ("markup", r"(?m:^)\W{0,3}#{2,4} ?(?:system|instruction|system prompt|human|assistant)s? ?:"),
    (
        "markup",
        r"(?:begin|start|end) (?:of )?(?:the )?(?:system prompt|system message|hidden instructions?)\b[^\n]{0,20}?[-=\]>]{2}",
    ),
    (
        "tool-call",
        r"</?(?:antml:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|tool_result|tool_response|parameter name=)[ >]",
    ),
    (
        "tool-call",
        r"\"(?:tool_calls?|function_call|tool_use)\"\s{0,3}:\s{0,3}[\[{\"]|\"type\"\s{0,3}:\s{0,3}\"(?:tool_use|function_call|tool_call)\"",
    ),
    (
        "tool-call",
        r"\"name\"\s{0,3}:\s{0,3}\"[\w.-]{1,40}\"\s{0,3},\s{0,3}\"(?:arguments|input|parameters)\"\s{0,3}:\s{0,3}[{\"]",
    ),
    # --- commands that install, persist or carry away
    (
        "run-remote",
        r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]{1,300}\|\s{0,3}(?:sudo\s{1,3}(?:-\w{1,3}\s{1,3})?)?(?:ba|z|k|da|c|fi)?(?:sh|python3?|node|perl|ruby|php|iex|invoke-expression)\b",
    ),
    (
        "run-remote",
        r"\b(?:ba|z|k|da)?sh\b[^\n]{0,20}?(?:<\(|-c\s{0,3}[\"']?\$\()\s{0,3}(?:curl|wget)\b|\biex\b[^\n]{0,60}?(?:downloadstring|invoke-webrequest|iwr|irm)",
    ),
    (
        "run-remote",
        r"\bbase64\s{1,3}(?:-d|-D|--decode)\b[^\n]{0,60}?\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z|da)?(?:sh|python3?)\b",
    ),
    (
        "persist",
        r">>?\s{0,3}[\"']?(?:~|\$\{?home\}?|/root|/home/[\w.-]{1,40})/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|ssh/authorized_keys|config/fish/config\.fish)\b|>>\s{0,3}[\"']?[^\s\"']{0,60}authorized_keys\b",
    ),
    (
        "persist",
        r"(?:\bcrontab\s{1,3}-(?:\W|$)|\|\s{0,3}crontab\b|>>?\s{0,3}/etc/(?:cron|rc\.local|ld\.so\.preload|sudoers))|/dev/tcp/\d|\bnc\b[^\n]{0,40}?\s-e\s{1,3}/bin",
    ),
    (
        "exfiltrate",
        r"\b(?:curl|wget|nc)\b[^\n]{0,120}?(?:(?:\s(?:-d|--data[\w-]{0,12}|-f|--form|--post-data)[ =]{0,2}|[?&][\w-]{1,30}=)\S{0,80}?(?:\$\{?\w{0,30}(?:key|token|secret|passw(?:or)?d|credential)\w{0,20}|\$\((?:env|printenv|cat [^\n)]{0,60}(?:\.ssh|\.env|\.aws|credential)))|@[~\w./-]{0,60}(?:\.env\b|id_rsa|id_ed25519|\.aws/credentials|\.netrc))",
    ),
    (
        "exfiltrate",
        r"(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|leak|copy|report|submit)(?:\W{1,3}[\w'-]{1,20}){0,8}?\W{1,3}(?:secrets?|credentials?|passwords?|api keys?|tokens?|env(?:ironment)? (?:vars?|variables?)|\.env|(?:conversation|chat) (?:history|logs?)|conversations?|memory (?:file|contents?)|system prompt|ssh keys?|private keys?|cookies)(?:\W{1,3}[\w'-]{1,20}){0,3}?\W{1,3}(?:to|at|via)\W{1,2}(?:https?://|www\.|[\w.+-]{1,40}@[\w-]{1,40}\.|\w{1,30}\.(?:com|net|io|example|org|ru|cn|xyz)\b|(?:this|the following|my|our|an? external) (?:url|server|webhook|endpoint|address))",
    ),
    (
        "exfiltrate",
        r"(?:把|将)[^\n。！？]{0,20}(?:密码|密钥|口令|令牌|凭证|token|对话|聊天记录|记忆|环境变量|系统提示词?)[^\n。！？]{0,10}(?:发送|发给|上传|转发|提交|发到)[^\n。！？]{0,6}(?:https?://|[\w.+-]{1,40}@|这个地址|以下地址|服务器|\w{1,30}\.\w{2,6}/)",
    ),
    (
        "exfiltrate",
        r"(?:always|must|silently|secretly) (?:b?cc|forward|copy|send)\b[^\n]{0,60}?[\w.+-]{1,40}@[\w-]{1,40}\.",
    ),
    (
        "exfiltrate",
        r"!\[[^\]\n]{0,80}\]\(\s?https?://[^)\s]{1,200}?[?&][\w-]{1,30}=(?:[^)\s]{0,60}?[{<\[$%]|[^)\s]{0,20}?(?:secret|token|password|memory|conversation|prompt|history|data)\b)",
    ),
)

_SPOKEN_TO = (
    r"(?:system|assistant|ai|llm|agent|bot|instructions?)\s?:|\b(?:ignore|disregard|forget) (?:all|any|previous|prior|the|your)\b"
    r"|\bremember that\b|\byou (?:must|are|should|will)\b|\b(?:do not|don'?t) (?:tell|mention|inform)\b"
    r"|\b(?:instructions?|system prompt)\b|忽略|记住|无视|不要告诉|無視|覚え|무시|기억"
)
# Hidden from people, visible to agents.
_HIDING = (
    r"<!--(?:[^-]|-(?!->)){0,4000}",
    (
        r"<\w{1,12}\b[^<>]{0,300}?(?:display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden|font-size\s{0,2}:\s{0,2}[01](?:px|pt|em)?\b"
        r"|opacity\s{0,2}:\s{0,2}0(?:\D|$)|color\s{0,2}:\s{0,2}(?:white|#fff(?:fff)?|transparent))[^<>]{0,300}>[^<]{0,4000}"
    ),
    r"\[//\]\s?:\s?#\s?[(\"'][^\n]{0,4000}",
)

_EAST_ASIAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")

RULES = (
    *(
        Rule(name, re.compile(pattern), is_east_asian=bool(_EAST_ASIAN.search(pattern)))
        for name, pattern in _TABLE
    ),
    *(Rule("hidden", re.compile(pattern), re.compile(_SPOKEN_TO)) for pattern in _HIDING),
)
