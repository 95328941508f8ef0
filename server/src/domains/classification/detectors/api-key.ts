import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet, DIGITS, eachRun, LOWER, UPPER } from '../text/characters.ts'
import { eachMatch } from '../text/matches.ts'
import { hasVariety, isPlaceholder } from '../text/secret-value.ts'
import { KEY_FORMATS } from './api-key-formats.ts'

/** Length of the shortest key (Stripe). */
const MIN_LENGTH = 18
/** Characters of keys. `/`, `+` and `=` end a run, so that a key in a URL starts a new run. */
const RUN = new CharacterSet(`${LOWER}${UPPER}${DIGITS}_-.~`)
const ALNUM = new CharacterSet(`${LOWER}${UPPER}${DIGITS}`)

/** Keys without a prefix that have a known middle part: Azure AD, Terraform Cloud, Mailchimp, Airtable, Discord. */
const INNER =
  /(?:[\w~.]{3}\dQ~[\w~.-]{31,34}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}|[a-f0-9]{32}-us\d{1,2}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/y

/** Webhook addresses, which are secret because every client that knows them can post. */
const WEBHOOK =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+]{20,80}|discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/[\w-]{40,100}|[\w.-]{1,80}\.webhook\.office\.com\/webhookb2\/[\w@/-]{40,250})/g
/** Telegram: the bot's number, a colon, and 35 characters that begin with AA. */
const TELEGRAM = /(?<!\w)\d{8,10}:AA[\w-]{33}(?![\w-])/g

const escapeLiteral = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
const firstTwo = (text: string, at: number): number => (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)

/** One expression for all formats with the same first two characters. Other runs cost one lookup. */
const BY_FIRST_TWO = new Map<number, RegExp>()
for (const [start, formats] of Map.groupBy(KEY_FORMATS, ({ prefix }) => firstTwo(prefix, 0))) {
  const source = formats.map(({ prefix, rest }) => `${escapeLiteral(prefix)}${rest}`).join('|')
  BY_FIRST_TWO.set(start, new RegExp(String.raw`(?:${source})(?![\w-])`, 'y'))
}

const isReal = (key: string): boolean => !isPlaceholder(key) && hasVariety(key)

function keyAt(text: string, at: number): string | undefined {
  for (const expression of [BY_FIRST_TWO.get(firstTwo(text, at)), INNER]) {
    if (!expression) continue
    expression.lastIndex = at
    const key = expression.exec(text)?.[0]
    if (key !== undefined && isReal(key)) return key
  }
  return undefined
}

/** The most lines of a key that is broken over line ends. */
const MAX_LINES = 8
/** A line end in the middle of a word, with spaces, quotation marks of e-mail, or a backslash of a shell. */
const LINE_END = /[ \t]{0,4}\\?\r?\n[ \t>|#*]{0,8}(?=[A-Za-z0-9_~-])/y
const PREFIXES = Map.groupBy(KEY_FORMATS, ({ prefix }) => firstTwo(prefix, 0))
/** Characters of the longest prefix, and enough for most beginnings of keys. */
const MAX_FIRST = 200

const startsKey = (word: string): boolean =>
  PREFIXES.get(firstTwo(word, 0))?.some(({ prefix }) => word.startsWith(prefix)) ?? false

function runEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && RUN.has(text.charCodeAt(end))) end++
  return end
}

/** A word that continues on the next lines: its letters, and where each of its parts begins. */
function wordOverLines(
  text: string,
  start: number,
  firstEnd: number,
): { readonly word: string; readonly parts: [at: number, from: number][] } {
  let word = text.slice(start, firstEnd)
  const parts: [number, number][] = [[0, start]]
  for (let end = firstEnd; parts.length < MAX_LINES; ) {
    LINE_END.lastIndex = end
    if (!LINE_END.test(text)) break
    const from = LINE_END.lastIndex
    end = runEnd(text, from)
    const part = text.slice(from, end)
    if (startsKey(part)) break
    parts.push([word.length, from])
    word += part
  }
  return { word, parts }
}

/** Keys that are broken over line ends, as in a text with a limited width. */
function addBroken(findings: Finding[], text: string): void {
  for (let line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', line + 1)) {
    let end = line
    while (end > 0 && line - end < 6 && !RUN.has(text.charCodeAt(end - 1))) end--
    let start = end
    while (start > 0 && end - start < MAX_FIRST && RUN.has(text.charCodeAt(start - 1))) start--
    while (start < end && !ALNUM.has(text.charCodeAt(start))) start++
    const first = text.slice(start, end)
    if (end - start < 2 || !startsKey(first)) continue
    const { word, parts } = wordOverLines(text, start, end)
    const key = parts.length > 1 && word.length >= MIN_LENGTH ? keyAt(word, 0) : undefined
    if (key === undefined || key.length <= first.length) continue
    const [at, from] = parts.findLast(([at]) => at < key.length) ?? [0, start]
    findings.push({ type: 'secret.api_key', start, end: from + key.length - at })
  }
}

/** Keys of about eighty providers in their documented formats. */
export const apiKey: Detector = {
  name: 'api-key',
  byForm: true,
  reach: 440,
  detect(text) {
    const findings: Finding[] = []
    const add = (start: number, length: number) => findings.push({ type: 'secret.api_key', start, end: start + length })
    eachRun(text, MIN_LENGTH, RUN, (start, end) => {
      let at = start
      while (at < end && !ALNUM.has(text.charCodeAt(at))) at++
      const key = end - at >= MIN_LENGTH ? keyAt(text, at) : undefined
      if (key !== undefined) add(at, key.length)
    })
    addBroken(findings, text)
    if (text.includes('://')) eachMatch(text, WEBHOOK, ({ 0: match, index }) => add(index, match.length))
    if (text.includes(':AA')) eachMatch(text, TELEGRAM, ({ 0: match, index }) => add(index, match.length))
    return findings
  },
}
