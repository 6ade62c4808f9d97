"""Chinese words that may stand for each other, and siblings and opposites that may not."""

import itertools

import pytest

from memoryd.memory.consolidation.pairing import compare_texts

SIBLINGS = [
    "北京 上海 广州 深圳", "红色 蓝色 绿色 黄色", "猫 狗 兔子", "早餐 午餐 晚餐", "牙科 儿科 急诊",
    "头疼 胃疼 牙疼 腰疼 发烧 感冒", "分号 逗号 引号 空格 制表符", "驼峰 蛇形 短横线", "大括号 中括号 小括号",
    "水费 电费 燃气费 话费 学费 网费", "叔叔 舅舅 姑姑 姨妈 伯父", "表哥 堂哥", "身份证 护照 驾照 户口本",
    "昨晚 明早 明晚", "前天 后天", "小学 初中 高中 大学", "会计 销售 客服 架构师", "医保 社保 车险",
    "房东 租客 物业 室友", "近视 老花镜", "微波炉 冰箱 吸尘器", "拿铁 浓缩", "断言 异常 单例 闭包", "摘要 附录 公式",
    "漏洞 攻击 黑客", "收件箱 垃圾邮件 草稿箱", "侧边栏 导航栏 页脚 页眉", "押金 利息 首付 月供", "笔记 便签 备忘",
    "爬山 钓鱼 徒步 滑雪", "转账 取钱 充值 缴费", "校验 解析 注入 序列化", "裁剪 旋转 缩放 翻转", "购买 租用 借",
]  # fmt: skip
OPPOSITES = [
    "安装 卸载", "上传 下载", "挂载 卸载", "绑定 解绑", "起飞 降落", "入住 退房", "结婚 离婚", "出租 租用", "折叠 展开",
    "激活 冻结", "入院 出院", "涨薪 降薪", "早退 迟到", "导入 导出", "压缩 解压", "加锁 解锁", "扩容 缩容", "同步 异步",
    "静态 动态", "本地 远程", "公有 私有", "新版 旧版", "隐式 显式", "高优先级 低优先级", "并行 串行", "优点 缺点",
    "内向 外向", "潮湿 干燥", "暖和 凉快", "宽敞 狭窄", "明亮 昏暗", "奖励 处罚", "录取 淘汰", "节省 消耗", "收养 寄养",
    "全局变量 局部变量", "引入 删除", "买 卖", "夸奖 批评", "清空 恢复", "聘用 解雇", "升职 降职", "前期 后期", "签约 解约",
]  # fmt: skip
SAME = [
    ("用户昨天打车去机场。", "用户昨天叫车去机场。"),
    ("这段代码要复用现有组件。", "这段代码要重用现有组件。"),
    ("先勾选同意再点击提交。", "先勾选同意再点按提交。"),
    ("错误会被框架捕获。", "错误会被框架捕捉。"),
    ("爷爷在 2010 年去世。", "爷爷在 2010 年逝世。"),
    ("用户有时候熬夜。", "用户有时候开夜车。"),
    ("会议的议题是性能。", "会议的议题是performance。"),
    ("地库的车位是 B12。", "地下车库的车位是 B12。"),
    ("根目录有入口文件。", "顶层目录有主文件。"),
    ("老系统由小林维护。", "遗留系统由小林维护。"),
    ("房东每月来一次。", "屋主每月来一次。"),
    ("文件的后缀是 md。", "文件的扩展名是 md。"),
]


def _merges(one: str, other: str) -> bool:
    return compare_texts(one, other)[2].merges or compare_texts(other, one)[2].merges


@pytest.mark.parametrize("line", SIBLINGS)
def test_siblings_are_never_synonyms(line: str) -> None:
    for one, other in itertools.combinations(line.split(), 2):
        assert not _merges(f"小林写的那份说明是关于{one}的。", f"小林写的那份说明是关于{other}的。")


@pytest.mark.parametrize("line", OPPOSITES)
def test_opposites_are_never_synonyms(line: str) -> None:
    one, other = line.split()
    assert not _merges(f"小林说五月的计划是{one}。", f"小林说五月的计划是{other}。")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_words_of_one_meaning_are_one(one: str, other: str) -> None:
    assert compare_texts(one, other)[2].merges
    assert compare_texts(other, one)[2].merges
