/** Shorter literals occur in most texts, so a search for them saves nothing. */
const MIN_LENGTH = 3
const MAX_LITERALS = 100

/** Every match contains at least one of these literals; undefined: unknown. */
type Required = readonly string[] | undefined

interface Cursor {
  readonly source: string
  at: number
}

/** Thrown at syntax that this file does not analyse. The pattern then has no required literals. */
const NOT_ANALYSED = new Error('syntax not analysed')

const LITERAL = /[A-Za-z0-9 _\-,;:'"!@#%&=/<>~`]/
/** A class such as `[a-z\d]`, without nested `[:alpha:]`. */
const CLASS = /\[\^?\]?(?:\\[^pPQ]|[^\][\\])*\]/y
const QUANTIFIER = /(?:([*?])|\+|\{(\d+)(?:,\d*)?\})\??/y

/**
 * Finds the literals that every match of an RE2 pattern must contain: `(?i)\b(wire|bank) transfer` requires “ transfer”. Returns an
 * expression that does not match only if the pattern cannot match; undefined: none can be derived. Literals are ASCII. They are
 * compared with Unicode simple case folding (flags `iu`), as RE2 does for `(?i)`.
 */
export function compileLiteralTest(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern)
  const cursor = { source: pattern, at: flags?.[0].length ?? 0 }
  try {
    const literals = readAlternatives(cursor)
    if (!literals || cursor.at < pattern.length || literals.length > MAX_LITERALS) return undefined
    return new RegExp(literals.map(escapeLiteral).join('|'), flags?.[1]?.includes('i') ? 'iu' : 'u')
  } catch (error) {
    if (error === NOT_ANALYSED) return undefined
    throw error
  }
}

const escapeLiteral = (literal: string): string =>
  literal.replace(/[^A-Za-z0-9 ]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`)

/** Reads `a|b|c` up to `)` or the end. Any branch can match, so the result is the literals of all branches. */
function readAlternatives(cursor: Cursor): Required {
  let all: Required = readSequence(cursor)
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1
    const branch = readSequence(cursor)
    all = all && branch && [...all, ...branch]
  }
  return all
}

/** Reads one branch. Every part must match, so the result is the part with the longest literals. */
function readSequence(cursor: Cursor): Required {
  let best: Required
  let run = ''
  const offer = (candidate: Required): void => {
    if (candidate && shortest(candidate) >= Math.max(MIN_LENGTH, best ? shortest(best) + 1 : 0)) best = candidate
  }
  const endRun = (): void => {
    offer([run])
    run = ''
  }
  while (cursor.at < cursor.source.length && !/[|)]/.test(cursor.source[cursor.at] ?? '')) {
    const part = readAtom(cursor)
    const times = readQuantifier(cursor)
    if (part.empty && times === 'once') continue
    if (part.literal === undefined || times === 'maybe none') endRun()
    if (times === 'maybe none') continue
    if (part.literal !== undefined) run += part.literal
    else offer(part.required)
    if (times === 'at least once') endRun()
  }
  endRun()
  return best
}

const shortest = (literals: readonly string[]): number => Math.min(...literals.map((literal) => literal.length))

interface Part {
  readonly literal?: string
  readonly required?: Required
  readonly empty?: boolean
}

function readAtom(cursor: Cursor): Part {
  const letter = cursor.source[cursor.at] ?? ''
  if (letter === '(') return readGroup(cursor)
  if (letter === '[') {
    CLASS.lastIndex = cursor.at
    if (!CLASS.test(cursor.source)) throw NOT_ANALYSED
    cursor.at = CLASS.lastIndex
    return {}
  }
  if (letter === '\\') return readEscape(cursor)
  cursor.at += 1
  if (LITERAL.test(letter)) return { literal: letter }
  if (letter === '.') return {}
  if (letter === '^' || letter === '$') return { empty: true }
  throw NOT_ANALYSED
}

function readGroup(cursor: Cursor): Part {
  const { source } = cursor
  const openingLength = source.startsWith('(?:', cursor.at) ? 3 : 1
  if (openingLength === 1 && source[cursor.at + 1] === '?') throw NOT_ANALYSED
  cursor.at += openingLength
  const required = readAlternatives(cursor)
  if (source[cursor.at] !== ')') throw NOT_ANALYSED
  cursor.at += 1
  return { required }
}

function readEscape(cursor: Cursor): Part {
  const letter = cursor.source[cursor.at + 1] ?? ''
  cursor.at += 2
  if (/[dDsSwW]/.test(letter)) return {}
  if (/[bB]/.test(letter)) return { empty: true }
  if (/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(letter)) return { literal: letter }
  throw NOT_ANALYSED
}

function readQuantifier(cursor: Cursor): 'once' | 'maybe none' | 'at least once' {
  QUANTIFIER.lastIndex = cursor.at
  const match = QUANTIFIER.exec(cursor.source)
  if (!match) return 'once'
  cursor.at = QUANTIFIER.lastIndex
  return match[1] !== undefined || Number(match[2]) === 0 ? 'maybe none' : 'at least once'
}
