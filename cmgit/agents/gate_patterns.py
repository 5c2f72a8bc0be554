"""What the gate looks for in a prompt that is not plainly chat; compiled only for such a one."""

from __future__ import annotations

import re

MACHINE = re.compile(
    r"<(?:task-notification|system-reminder|local-command-\w+|command-(?:name|message|args)|bash-(?:input|stdout|stderr)|"
    r"teammate-message|user-prompt-submit-hook|cron|tick|loop|agent-notification|background-task\w*|scheduled-task)\b"
    r"|Caveat: The messages below were generated|This session is being continued from a previous conversation"
    r"|\[Request interrupted by user|<<autonomous-loop",
)
BLOCKS = re.compile(
    r"<(system-reminder|ide_opened_file|local-command-caveat|command-message)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL
)
SLASH = re.compile(r"/[A-Za-z][\w.:-]*(?:\s|\Z)")
SUFFIX = r"\.(?:d\.[cm]?ts|[cm]?[jt]sx?|vue|svelte|astro|json)\b"
FILE = re.compile(rf"\S*{SUFFIX}")
SHELL = re.compile(r"\$ [^\n]*\Z")
# Bounded everywhere: a prompt may be one long line of anything.
HINT = re.compile(
    rf"\w{SUFFIX}|(?:^|\s)at [^\n]{{1,300}}:\d+:\d+|`[^`\n]{{0,200}}[\w$][^`\n]{{0,200}}`"
    r"|\b[a-z][a-z0-9]{0,80}[A-Z]\w|\b[A-Z][a-z0-9]{1,80}[A-Z]\w|\w_\w|\$\w{3}|\w\(\)|\b[A-Za-z_$]\w{0,80}\.[a-z]\w{1,80}\("
    r"|\b[A-Z]\w{0,80}(?:Error|Exception)\b|^[ \t]*(?:FAIL|✕|×|❌|✗)\s|\bUnhandled\w{0,20} ?[Rr]ejection"
    r"|\bE(?:CONN\w{1,9}|NOENT|ACCES|PERM|ADDRINUSE|PIPE|EXIST|ISDIR|NOTDIR|INVAL|TIMEDOUT|NOTFOUND|BADF|MFILE)\b"
    r"|(?<![\w/@.-])[@\w.-]{1,80}/[\w@.-]{1,80}/[\w@.-]",
    re.MULTILINE,
)
PROPER = re.compile(
    r"\b(?:Java|Type|Coffee)Script\b|\bGit(?:Hub|Lab)\b|\bChatGPT\b|\bOpenAI\b|\bDeepSeek\b|\bLinkedIn\b|\bYouTube\b"
    r"|\bi(?:Phone|Pad|OS|Cloud)\b|\bmacOS\b|\bVSCode\b|\bStackOverflow\b|\bPowerPoint\b|\bWhatsApp\b|\bPayPal\b"
)
"""Names of things that look like identifiers."""
URL = re.compile(r"\b\w+://\S+")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Atomic and possessive: each text is read in one way only.
IDEOGRAPHIC = re.compile(
    r"""(?>好的|好吧|好|继续|繼續|谢谢你?|謝謝|多谢|感谢|你好|您好|是的?|对的?|不对?|可以|没问题|没事|明白了?|知道了?|行|嗯|哦
    |请|請|帮我|幫我|再|试|試|一下|一次|下一步|停止?|重试|提交|推送|代码|并且?|和|然后|把|跑|运行|運行|执行|所有|全部|测试|測試
    |看看?|不错|很|太|棒|完美|完成|做得|修复|修改|错别字|改|这个|那个|了|吧|呢|吗|的|啊|呀|我|你|它|就|这样|开始|撤销|回滚
    |合并|分支|构建|部署|总结|更新|依赖|文档|解释|为什么|什么|怎么|用|中文|英文|回答|说|写|给
    |はい|いいえ|ありがとう(?:ございます)?|続けて|お願いします|テスト|を|実行|して|ください|コミット|プッシュ|了解|です|ね|よ
    |네|예|아니요|감사합니다|고마워|계속|해줘|테스트|실행|커밋|[\s\d，。！？、；：,.!?;:~…"'()（）-])++""",
    re.VERBOSE,
)
PASTIME = re.compile(
    r"\b(?:write|tell|make|compose|give|sing|draft|create)\b(?: (?:me|us|up|my \w+|a|an|the|some|short|funny|little|"
    r"quick|nice|another)){0,4} (?:haiku|poem|joke|jokes|limerick|song|lyrics|sonnet|story|bedtime story|riddle|tweet|"
    r"linkedin post|blog post|email|e-mail|cover letter|birthday \w+|recipe|toast|speech|fun fact|rap)\b"
    r"|\b(?:weather|forecast) (?:in|for|like|today|tomorrow)\b|\bwhat(?:'s| is) the weather\b"
    r"|\b(?:capital|population|president|prime minister) of\b"
    r"|\bwhat (?:time|day|date) is it\b|\bwhat(?:'s| is) (?:the time|today's date|the date)\b"
    r"|\b(?:стих\w*|хокку|хайку|анекдот\w*|шутк\w+|сказк\w+|погод\w+|рецепт\w*)\b"
    r"|笑话|天气|俳句|写一?首|一首诗|菜谱|故事",
    re.IGNORECASE,
)
