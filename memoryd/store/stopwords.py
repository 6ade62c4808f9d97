"""Words that carry nothing by themselves: left out only when a query asks for fewer words than were typed."""

_ENGLISH = """
a about above after again against all am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers him his how i
if in into is it its itself just let me more most my no nor not now of off on once only or other our ours out over own
please same shall she should so some such than that the their theirs them then there these they this those through to
too under until up very was we were what when where which while who whom why will with would you your yours
s t d ll re ve m don didn doesn isn wasn weren aren won couldn wouldn shouldn hasn haven hadn
ever kind many much someone something anything get got go going
"""
# Single characters, since CJK is indexed one by one; a pair made of these alone carries nothing.
_CHINESE = "的 了 是 在 和 与 及 或 也 都 就 把 被 给 对 为 我 你 您 他 她 它 们 这 那 哪 个 些 什 么 怎 样 谁 几 多 少 吗 呢 吧 啊 呀 嘛 着 过 地 得 之 其 最 很 还 又 再 要 会 能 可 以 有 没 不 上 下 里 中 时 候 请 让 从 到 用"
_JAPANESE = (
    "は が を に へ と で も の か ね よ な だ た て し す る ま い う れ ら さ せ ん そ こ あ ど"
)
_KOREAN = "은 는 이 가 을 를 에 의 도 로 와 과 다 요 까"
_EUROPEAN = """
der die das den dem des ein eine einen einem und oder ist sind war nicht mit von zu zum zur auf für im am was wer wie wo wann
le la les un une des du de et ou est sont dans sur pour pas que qui quoi comment où quand
el los las una unos y o es son en por para con del al qué quién cómo dónde cuándo
"""

STOPWORDS = frozenset(f"{_ENGLISH} {_CHINESE} {_JAPANESE} {_KOREAN} {_EUROPEAN}".split())
