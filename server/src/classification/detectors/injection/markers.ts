import type { Finding, FindingType } from '../../../domain/finding.ts'

interface Marker {
  readonly type: FindingType
  /** Part of every match: without it the expression is not tried. */
  readonly hint: string
  readonly expression: RegExp
}

const marker = (type: FindingType, hint: string, expression: RegExp): Marker => ({ type, hint, expression })

/** Signs rather than words. Expressions are bounded: every repetition has an upper limit. */
const MARKERS: readonly Marker[] = [
  // Delimiters of chat templates: only a client's library writes them, and not into content.
  marker(
    'injection.override',
    '<|',
    /<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|endofprompt|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id|eom_id|start_of_role|end_of_role|channel|message|return)\|>/g,
  ),
  marker('injection.override', 'INST]', /\[\/?INST\]/g),
  marker('injection.override', 'SYS>>', /<<\/?SYS>>/g),
  marker('injection.override', '_of_turn>', /<(?:start|end)_of_turn>/g),
  marker(
    'injection.override',
    '###',
    /(?:^|\n) {0,3}#{2,4} ?(?:system|system (?:prompt|message|instructions?)|human|assistant|instruction) ?:/gi,
  ),
  marker(
    'injection.override',
    '](#',
    /\[(?:system|assistant|user)\]\(#(?:instructions?|context|message|inner_monologue|error|suggestions|assistant|user)\)/gi,
  ),
  // Images fetched from an address that carries data: `![x](https://host/?q={conversation})`.
  marker(
    'injection.exfiltration',
    '![',
    /!\[[^\]\n]{0,200}\]\(<?https?:\/\/[^\s()]{1,200}\?[^\s()]{0,400}(?:\{[^\s{}()]{1,80}\}|\[[^\s[\]()]{1,80}\]|<[^\s<>()]{1,80}>|(?:[?&](?:data|history|conversation|chat|prompt|secret|leak|exfil|payload|message|messages|context|memory|memories|creds?|password|token|apikey|api_key|info|content)=)[^\s()&]{24,400})[^\s()]{0,400}\)?/gi,
  ),
  // DAN in capitals, beside a word that makes it a part to play.
  marker(
    'injection.role_play',
    'DAN',
    /\b(?:[Aa]ct|[Bb]e|[Bb]ecome|[Aa]re|[Aa]s|[Cc]alled|[Nn]amed|[Aa]gent|[Mm]odel|[Nn]ame)(?: \w{1,12}){0,2} "?DAN\b|\bDAN(?: [Mm]ode| can\b| has\b| is\b| does\b| will\b| must\b| never\b|[: ]+\[)/g,
  ),
  marker('injection.role_play', 'D.A.N', /\bD\.A\.N\b/g),
  marker('injection.role_play', '🔓', /🔓 ?(?:jailbreak|developer|output|unlocked)/giu),
]

/** Chinese, Japanese and Korean write no spaces between words: the main phrases as they stand. */
const EAST_ASIAN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/
const EAST_ASIAN_OVERRIDE = [
  /(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|抛弃|丢弃)[^。！？\n]{0,8}(?:之前|以前|以上|上面|上述|先前|前面|前述|所有|全部|一切|你的|原来|系统)[^。！？\n]{0,8}(?:指令|指示|提示|规则|規則|命令|说明|說明|设定|設定|要求|约束|限制)/g,
  /(?:以前|前|上記|これまで|今まで|すべて|全て|あなた|元)の?[^。！？\n]{0,8}(?:指示|命令|プロンプト|ルール|規則|制約|設定)[^。！？\n]{0,4}(?:を|は)?[^。！？\n]{0,4}(?:無視|忘れ|破棄)/g,
  /(?:이전|앞선|위의|위|모든|기존|당신의|너의)[^.!?\n]{0,8}(?:지시|명령|지침|프롬프트|규칙|설정)[^.!?\n]{0,6}(?:무시|잊)/g,
]
const EAST_ASIAN_REVEAL = [
  /(?:显示|顯示|输出|輸出|打印|重复|重複|告诉我|告訴我|透露|泄露|给我看|展示)[^。！？\n]{0,6}(?:系统|系統|你的|初始|原始|完整)[^。！？\n]{0,4}(?:提示词|提示詞|提示|指令|指示|prompt)/gi,
  /(?:システム|あなたの|初期)[^。！？\n]{0,4}(?:プロンプト|指示|命令)[^。！？\n]{0,4}を[^。！？\n]{0,6}(?:教え|表示|出力|見せ|繰り返)/g,
  /(?:시스템|당신의|너의|초기)[^.!?\n]{0,4}(?:프롬프트|지시|명령|지침)[^.!?\n]{0,6}(?:보여|알려|출력|공개|반복)/g,
]

function add(findings: Finding[], type: FindingType, text: string, expression: RegExp): void {
  for (const { 0: match, index } of text.matchAll(expression)) findings.push({ type, start: index, end: index + match.length })
}

export function findMarkers(text: string): Finding[] {
  const findings: Finding[] = []
  for (const { type, hint, expression } of MARKERS) if (text.includes(hint)) add(findings, type, text, expression)
  if (!EAST_ASIAN.test(text)) return findings
  for (const expression of EAST_ASIAN_OVERRIDE) add(findings, 'injection.override', text, expression)
  for (const expression of EAST_ASIAN_REVEAL) add(findings, 'injection.exfiltration', text, expression)
  return findings
}
