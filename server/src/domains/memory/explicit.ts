import type { MemoryKind } from '../../shared/memory-words.ts'

/** A statement that a user asked to remember. */
interface ExplicitMemory {
  readonly content: string
  readonly kind: Extract<MemoryKind, 'fact' | 'preference'>
}

/** Limits, so that a pasted book does not become memories. */
const MAX_READ = 32_768
const MAX_MEMORIES = 10
const MAX_CONTENT = 2_000
const MIN_CONTENT = 3

const LEAD_IN = String.raw`(?:(?:hey|hi|hello|ok|okay|so|and|also|oh|btw|by the way|now|then|thanks|from now on|in future)[,!]?\s+){0,3}`
const ENGLISH = String.raw`(?:please,?\s+)?(?<asking>(?:can|could|would|will)\s+you\s+(?:please\s+)?|i\s+(?:want|need|would\s+like|'d\s+like)\s+you\s+to\s+)?(?:always\s+)?(?:remember|note|memori[sz]e|keep\s+in\s+mind|bear\s+in\s+mind|make\s+a\s+note|take\s+note|(?:don't|do\s+not|never)\s+forget)(?:\s+for\s+(?:me|later|next\s+time|the\s+future))?(?:,?\s+please)?(?:,?\s+that\s+|\s+this\s*:\s*|\s*:\s*|,?\s+(?=(?:i|i'm|i've|we|we're)\s)|,?\s+(?=(?:my|our)\s[^,;:]{2,60}?\s(?:is|are)\s))`
const GERMAN = String.raw`(?:bitte\s+)?(?:(?:merke?|notiere?)\s+(?:dir|euch)(?:\s+bitte)?|merken\s+sie\s+sich(?:\s+bitte)?|denke?\s+(?:bitte\s+)?daran|vergiss\s+(?:bitte\s+)?nicht|vergessen\s+sie\s+(?:bitte\s+)?nicht|(?<bitte>(?:kannst|könntest|würdest)\s+du\s+dir\s+(?:bitte\s+)?merken))\s*(?:,?\s*dass\s+|:\s*)`
const FRENCH = String.raw`(?:s'il\s+(?:te|vous)\s+pla[iî]t,?\s+)?(?<peux>(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous)\s+)?(?:souviens-toi|souvenez-vous|te\s+souvenir|vous\s+souvenir|rappelle-toi|rappelez-vous|retiens|retenez|retenir|note|notez|noter|n'oublie\s+pas|n'oubliez\s+pas)(?:\s+bien)?(?:,?\s+s'il\s+(?:te|vous)\s+pla[iî]t,?)?\s*(?:que\s+|qu'|:\s*)`
const REQUEST_PATTERNS = [ENGLISH, GERMAN, FRENCH].map((request) => new RegExp(`^${LEAD_IN}${request}`, 'iu'))

/** “Remember that time in Paris” refers to the past and states no fact. */
const REMINISCENCE = /^(?:one\s+)?(?:time|day|night|evening|morning|summer|winter|moment|movie|film|song|scene|guy)\b/i
const PREFERENCE =
  /\b(?:prefers?|favou?rite|(?:i|we)\s+(?:really\s+)?(?:like|love|hate|dislike|enjoy|want|can't\s+stand)|always\s+(?:use|answer|write|call)|never\s+(?:use|answer|write|call))\b|\blieblings|\bbevorzuge?|\b(?:mag|möchte|liebe|hasse)\b|\b(?:préfér|aime|déteste)/iu

/**
 * The statements that a user's message asks to remember, at the start of a sentence, and outside quotes and code, because those may
 * have another author. Questions count only if they ask to remember (“could you remember that …?”).
 */
export function explicitMemories(message: string): readonly ExplicitMemory[] {
  const text = message.slice(0, MAX_READ)
  const memories = new Map<string, ExplicitMemory>()
  const unquoted = withoutQuotes(text)
  for (const { start, end } of sentences(unquoted)) {
    const content = requestedContent(text, unquoted, start, end)
    if (content === undefined) continue
    memories.set(content, { content, kind: PREFERENCE.test(content) ? 'preference' : 'fact' })
    if (memories.size === MAX_MEMORIES) break
  }
  return [...memories.values()]
}

/** The content that a sentence of `unquoted` (`text` without quotes) asks to remember, taken from `text`. */
function requestedContent(text: string, unquoted: string, start: number, end: number): string | undefined {
  const sentence = unquoted.slice(start, end)
  for (const pattern of REQUEST_PATTERNS) {
    const match = pattern.exec(sentence)
    if (!match) continue
    const asks = Object.values(match.groups ?? {}).some((group) => group !== undefined)
    if (sentence.trimEnd().endsWith('?') && !asks) return undefined
    const rest = text.slice(start + match[0].length, end).trim()
    if (rest.length > MAX_CONTENT) return undefined
    const content = rest.replace(asks ? /[\s.!?]+$/ : /[\s.!]+$/, '')
    return content.length >= MIN_CONTENT && !REMINISCENCE.test(content) ? content : undefined
  }
  return undefined
}

/** The header of a forwarded or quoted mail. All text after it counts as quoted. */
const FORWARDED = new RegExp(
  String.raw`^[ \t]*(?:${[
    String.raw`-{2,}[^\n]{0,20}\b(?:original|forwarded|weitergeleitete|ursprüngliche)\b`,
    'begin forwarded message:',
    String.raw`on [^\n]{5,200} wrote:|am [^\n]{5,200} schrieb\b|le [^\n]{5,200} a écrit\s?:`,
    String.raw`(?:from|von|de)[ \t]?:[^\n]*\n[ \t]*(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet)[ \t]?:`,
  ].join('|')})[\s\S]*`,
  'gim',
)
const QUOTED = [
  FORWARDED,
  /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm,
  /`[^`\n]{1,2000}`/g,
  /^[ \t]*>[^\n]*$/gm,
  /"[^"\n]{1,2000}"|“[^“”\n]{1,2000}”|„[^„“”\n]{1,2000}[“”]|«[^«»\n]{1,2000}»/g,
  /(?<=^|[\s(:])'[^'\n]{1,500}'(?=$|[\s.,;:!?)])/gm,
]

/** Replaces quotes and code by underscores, so that all other characters keep their position. */
const withoutQuotes = (text: string): string =>
  QUOTED.reduce((rest, pattern) => rest.replace(pattern, (quote) => quote.replace(/[^\n]/g, '_')), text.replace(/[’‘]/g, "'"))

const ABBREVIATIONS = /(?:^|[\s(])(?:\p{L}|dr|mr|mrs|ms|prof|st|e\.g|i\.e|etc|no|nr|vs|ca|approx|z\.b|bzw|inkl|mme)$/iu
const BULLET = /^(?:[-*•]|\d{1,2}[.)])\s+/

/** The positions of sentences, without list markers. */
function* sentences(text: string): Generator<{ start: number; end: number }> {
  let start = 0
  for (const { index, 0: stop } of text.matchAll(/[.!?](?=\s|$)|\n|$/g)) {
    if (stop === '.' && ABBREVIATIONS.test(text.slice(Math.max(start, index - 8), index))) continue
    const end = stop === '\n' ? index : index + stop.length
    const line = text.slice(start, end)
    const indent = line.length - line.trimStart().length
    const bullet = BULLET.exec(line.slice(indent))?.[0].length ?? 0
    if (end > start + indent + bullet) yield { start: start + indent + bullet, end }
    start = stop === '\n' ? index + 1 : end
  }
}
