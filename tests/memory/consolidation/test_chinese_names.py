"""Persons in Chinese text: who is a name, what is none, and that nobody is taken for somebody else."""

import pytest

from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.reading import read


def _names(text: str) -> list[str]:
    return [unit.surface for unit in read(text).units if unit.kind == "name"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("产品经理叫周婷。", ["周婷"]),
        ("支付模块由李雷维护。", ["李雷"]),
        ("王小明负责测试。", ["王小明"]),
        ("李雷见过韩梅。", ["李雷", "韩梅"]),
        ("方案要给陈总看。", ["陈总"]),
        ("工单转给张晓燕和吴昊。", ["张晓燕", "吴昊"]),
        ("三张图放在首页。", []),
        ("每周跑两次全量备份。", []),
        ("高优先级的工单先处理。", []),
        ("陈总是组长。", []),  # 总是: nobody can tell
        ("周会改到周四，马上通知。", []),
        ("张总结了会议。", []),
    ],
)
def test_a_surname_and_what_no_word_claims_is_a_name(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("产品经理叫周婷。", "周婷是产品经理"),
        ("张伟是组长。", "组长叫张伟"),
        ("王小明负责测试", "测试由王小明负责"),
        ("支付模块由李雷维护。", "李雷维护支付模块"),
    ],
)
def test_who_somebody_is_may_be_told_from_both_ends(one: str, other: str) -> None:
    assert compare_texts(one, other)[2].merges
    assert compare_texts(other, one)[2].merges


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("产品经理叫周婷。", "产品经理叫周涛。"),
        ("产品经理叫周婷。", "周婷见过产品经理。"),
        ("李雷把工单转给韩梅。", "韩梅把工单转给李雷。"),
        ("李雷是韩梅的领导。", "韩梅是李雷的领导。"),
        ("王芳的女儿叫李静。", "李静的女儿叫王芳。"),
        ("张总批准了吴昊的申请。", "吴昊批准了张总的申请。"),
        ("王小明负责测试。", "王小敏负责测试。"),
        ("赵敏负责查询缓存。", "周磊负责搜索缓存。"),
        ("查询缓存的端口是 8080。", "搜索缓存的端口是 8080。"),
    ],
)
def test_nobody_is_taken_for_somebody_else(one: str, other: str) -> None:
    assert not compare_texts(one, other)[2].merges
    assert not compare_texts(other, one)[2].merges
