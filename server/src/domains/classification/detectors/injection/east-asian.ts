import type { Finding, FindingType } from '../../../../shared/finding.ts'

/** Words are searched as substrings. A phrase is three kinds of words in order within a sentence, with a maximum distance. */
const WORDS = {
  dismiss: '忽略 无视 無視 忘记 忘記 忘掉 不要理会 不要遵守 抛弃 丢弃',
  dismissLast: '無視 忘れ 破棄 무시 잊',
  prior:
    '之前 以前 以上 上面 上述 先前 前面 前述 所有 全部 一切 你的 原来 系统 上記 これまで 今まで すべて 全て あなた 元の 前の 이전 앞선 위의 모든 기존 당신의 너의',
  orders:
    '指令 指示 提示 规则 規則 命令 说明 說明 设定 設定 要求 约束 限制 プロンプト ルール 制約 지시 명령 지침 프롬프트 규칙 설정',
  reveal: '显示 顯示 输出 輸出 打印 重复 重複 告诉我 告訴我 透露 泄露 给我看 展示',
  revealLast: '教え 表示 出力 見せ 繰り返 보여 알려 출력 공개 반복',
  system: '系统 系統 你的 初始 原始 完整 システム あなたの 初期 시스템 당신의 너의 초기',
  prompt: '提示词 提示詞 提示 指令 指示 命令 プロンプト 프롬프트 지시 명령 지침',
}

type Kind = keyof typeof WORDS
const KINDS = Object.keys(WORDS) as Kind[]
const bit = (kind: Kind): number => 1 << KINDS.indexOf(kind)

const rule = (type: FindingType, first: Kind, second: Kind, third: Kind) => ({
  type,
  first: bit(first),
  second: bit(second),
  third: bit(third),
})
type Rule = ReturnType<typeof rule>

const RULES: readonly Rule[] = [
  rule('injection.override', 'dismiss', 'prior', 'orders'),
  rule('injection.override', 'prior', 'orders', 'dismissLast'),
  rule('injection.exfiltration', 'reveal', 'system', 'prompt'),
  rule('injection.exfiltration', 'system', 'prompt', 'revealLast'),
]

const REACH = 14
const HAS_EAST_ASIAN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/

/** `kinds`: bits. */
type Word = { readonly word: string; readonly kinds: number }

const kindsOfWords = new Map<string, number>()
for (const kind of KINDS)
  for (const word of WORDS[kind].split(' ')) kindsOfWords.set(word, (kindsOfWords.get(word) ?? 0) | bit(kind))
const ALL_WORDS: readonly Word[] = [...kindsOfWords].map(([word, kinds]) => ({ word, kinds }))

const GROUPS = Map.groupBy(
  ALL_WORDS.toSorted((a, b) => b.word.length - a.word.length),
  ({ word }) => word.charCodeAt(0),
)
const BY_FIRST: readonly (readonly Word[])[] = [[], ...GROUPS.values()]
/** Index of the group for each UTF-16 unit; 0: no word begins with it. */
const firstUnit = new Uint8Array(0x10000)
for (const [index, unit] of [...GROUPS.keys()].entries()) firstUnit[unit] = index + 1

const isSentenceEnd = (unit: number): boolean =>
  unit === 0x3002 || unit === 0xff01 || unit === 0xff1f || unit === 0x21 || unit === 0x3f || unit === 10

class Progress {
  readonly rule: Rule
  #first = -1
  #second = -1
  #start = -1

  constructor(rule: Rule) {
    this.rule = rule
  }

  reset(): void {
    this.#first = -1
    this.#second = -1
  }

  step(kinds: number, at: number): number {
    let completed = -1
    if (kinds & this.rule.third && this.#second >= 0 && this.#second < at && at - this.#second <= REACH) completed = this.#start
    if (kinds & this.rule.second && this.#first >= 0 && this.#first < at && at - this.#first <= REACH) {
      this.#second = at
      this.#start = this.#first
    }
    if (kinds & this.rule.first) this.#first = at
    if (completed >= 0) this.reset()
    return completed
  }
}

export function addEastAsian(text: string, findings: Finding[]): void {
  if (!HAS_EAST_ASIAN.test(text)) return
  const all = RULES.map((each) => new Progress(each))
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const group = firstUnit[unit] as number
    if (group > 0) {
      const found = BY_FIRST[group]?.find(({ word }) => text.startsWith(word, at))
      if (found) addCompleted(findings, all, found, at)
    } else if (isSentenceEnd(unit)) for (const progress of all) progress.reset()
  }
}

function addCompleted(findings: Finding[], all: readonly Progress[], { word, kinds }: Word, at: number): void {
  for (const progress of all) {
    const start = progress.step(kinds, at)
    if (start >= 0) findings.push({ type: progress.rule.type, start, end: at + word.length })
  }
}
