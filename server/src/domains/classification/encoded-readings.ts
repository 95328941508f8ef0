import type { PlainText } from '../../platform/lib/plain-text.ts'
import { CharacterSet, DIGITS, eachMatch, eachRun, LOWER, UPPER } from './text/search.ts'

const MIN_RUN = 16
const RUN = new CharacterSet(`${LOWER}${UPPER}${DIGITS}+/=_-.~%\\`)

const HINT =
  /(base-? ?64|b64)|(\bhex(?:adecimal)?\b|\bhex(?:code|dump|adezimal))|(revers|backward|right[- ]to[- ]left|rückwärts|umgekehrt|umgedreht|gespiegelt|mirrored|à l'envers|inversé|al revés|invertid|al contrario|achterstevoren|omgekeerd|wspak|baklänges|наоборот|задом|反转|倒序|逆順|逆さ|거꾸로)|((?:url|percent|uri)-?_? ?(?:en|de)cod|prozentkod|%-)|(\b(?:de|en|en?ko|deko|dé|enc?o)cod|kodier|kodiert|codific|кодир|编码|解码|エンコード|デコード|인코딩)/gi
const CODE = new CharacterSet(`${DIGITS}%=`)

type Encoding = 'base64' | 'hex' | 'reversed' | 'percent'
const ANY: readonly Encoding[] = ['base64', 'hex', 'percent']
const BY_GROUP: readonly (readonly Encoding[])[] = [['base64'], ['hex'], ['reversed'], ['percent'], ANY]

/** Distance of the word before a run, and after it. Text after the window of a growing response is not known. */
const BEFORE = 200
const AFTER = 60
const LONGEST_BEFORE_WORD = 400

type Hint = { readonly at: number; readonly encodings: readonly Encoding[] }
type Run = { readonly start: number; readonly end: number }

function hintsIn(text: string): Hint[] {
  const hints: Hint[] = []
  eachMatch(text, HINT, (match) => {
    const group = BY_GROUP.findIndex((_, index) => match[index + 1] !== undefined)
    hints.push({ at: match.index, encodings: BY_GROUP[group] ?? ANY })
  })
  return hints
}

/** Groups of a number or key with spaces, and pairs of hexadecimal digits with separators. */
const GROUPS =
  /(?<![\w-])[\dA-Za-z]{2,5}(?:[ -][\dA-Za-z]{2,5}){3,15}(?![\w-])|(?:\\x|0x|%)?[0-9a-f]{2}(?:(?:[ :,]|\\x|, ?0x| 0x|%)[0-9a-f]{2}){7,}/gi

function runsIn(text: string, isHinted: boolean): Run[] {
  const runs: Run[] = []
  eachRun(text, MIN_RUN, RUN, (start, end) => runs.push({ start, end }))
  if (isHinted) eachMatch(text, GROUPS, ({ 0: match, index }) => runs.push({ start: index, end: index + match.length }))
  return runs.sort((a, b) => a.start - b.start)
}

/** Of groups with spaces. */
const LONGEST_GROUPS = 100

/**
 * The start of the first run or groups that end in the last `distance` characters, where a word after them, or the rest of an encoded value, can follow;
 * else the text's length.
 */
export function openCode(text: string, distance: number): number {
  let open = text.length
  let first = Math.max(0, text.length - distance)
  while (first > 0 && RUN.has(text.charCodeAt(first - 1))) first--
  eachRun(text.slice(first), MIN_RUN, RUN, (start) => {
    open = Math.min(open, first + start)
  })
  const from = Math.max(0, text.length - distance - LONGEST_GROUPS)
  eachMatch(text.slice(from), GROUPS, ({ 0: match, index }) => {
    const start = from + index
    if (start < open && start + match.length > text.length - distance && /\d/.test(match)) open = start
  })
  return open
}

const BINARY = /[^\t\n\r -~\u00a0-\uffff]|\ufffd/
const asText = (bytes: Buffer): string | undefined => {
  const text = bytes.toString('utf8')
  return text.length > 0 && !BINARY.test(text) ? text : undefined
}

const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/
const HEX = /^(?:[0-9a-f]{2})+$/i

const DECODERS: Readonly<Record<Encoding, (run: string) => string | undefined>> = {
  base64: (run) => (BASE64.test(run) ? asText(Buffer.from(run, 'base64')) : undefined),
  hex: (run) => {
    const digits = run.replace(/\\x|0x|[ :,%]/gi, '')
    return HEX.test(digits) ? asText(Buffer.from(digits, 'hex')) : undefined
  },
  reversed: reverse,
  percent: decodePercent,
}

function reverse(run: string): string {
  let reversed = ''
  for (let at = run.length - 1; at >= 0; at--) reversed += run.charAt(at)
  return reversed
}

function decodePercent(run: string): string | undefined {
  if (!run.includes('%')) return undefined
  const bytes = Buffer.from(
    run.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return asText(bytes)
}

/** Letters and digits need no percent encoding, so several of them are encoded to hide them. */
const HIDDEN = /(?:%(?:3\d|[46][1-9a-f]|[57][0-9a])){6}/i

/** How the words near a run say that it is encoded. Hints and runs are in order; `from` is the first hint that can be near. */
function encodingsOf(run: Run, hints: readonly Hint[], from: number): Set<Encoding> {
  const found = new Set<Encoding>()
  const after = run.end - run.start <= LONGEST_BEFORE_WORD ? run.end + AFTER : run.start
  for (let i = from; i < hints.length && found.size < BY_GROUP.length; i++) {
    const hint = hints[i]
    if (!hint || hint.at >= after) break
    for (const encoding of hint.encodings) found.add(encoding)
  }
  return found
}

const LONGEST_MEDIA_TYPE = 128
const DATA_URL = /data:[^,\s]*;base64,$/i

/** The content of a `data:` URL is a text by itself, whose transforms are written back in its encoding. */
const isInDataUrl = (text: string, { start }: Run): boolean =>
  text[start - 1] === ',' && DATA_URL.test(text.slice(Math.max(0, start - LONGEST_MEDIA_TYPE), start))

type Part = { readonly from: number; readonly run: Run }

/** The parts that a text calls encoded, decoded, a line each; undefined: none. A finding in a line covers its whole run. */
export function encodedReading(text: string): PlainText | undefined {
  if (!mayHoldCode(text)) return undefined
  const hints = hintsIn(text)
  const hidden = text.includes('%') && HIDDEN.test(text)
  if (hints.length === 0 && !hidden) return undefined
  const parts: Part[] = []
  let decoded = ''
  let near = 0
  for (const run of runsIn(text, hints.length > 0)) {
    while (near < hints.length && (hints[near]?.at ?? 0) < run.start - BEFORE) near++
    if (isInDataUrl(text, run)) continue
    const written = text.slice(run.start, run.end)
    const encodings = encodingsOf(run, hints, near)
    if (hidden && HIDDEN.test(written)) encodings.add('percent')
    for (const encoding of encodings) {
      const content = DECODERS[encoding](written)
      if (content === undefined) continue
      parts.push({ from: decoded.length, run })
      decoded += `${content}\n`
    }
  }
  return parts.length === 0 ? undefined : { text: decoded, original: (start, end) => spanOf(parts, start, end) }
}

function spanOf(parts: readonly Part[], start: number, end: number): Run {
  return { start: parts[partAt(parts, start)]?.run.start ?? 0, end: parts[partAt(parts, end - 1)]?.run.end ?? 0 }
}

function partAt(parts: readonly Part[], at: number): number {
  let [low, high] = [0, parts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((parts[middle]?.from ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** Groups with a digit, none a word in small letters. Starts at the last digit of the first, because most digits are followed by another. */
const SPACED = /\d[A-Za-z]{0,4}[ :](?![a-z]{2})[\dA-Za-z]{2,5}[ :][\dA-Za-z]{2,5}[ :][\dA-Za-z]{2,5}/

/** Whether a text has a run with a digit or a percent sign, or groups of digits. Most texts have none, so the search ends here. */
function mayHoldCode(text: string): boolean {
  let found = false
  eachRun(text, MIN_RUN, RUN, (start, end) => {
    for (let at = start; !found && at < end; at++) found = CODE.has(text.charCodeAt(at))
  })
  return found || SPACED.test(text)
}
