/** The least that a literal must have to be worth looking for. */
const MIN_LENGTH = 3
const MAX_LITERALS = 100

/** Literals of which every match contains at least one; undefined: nothing is known. */
type Required = readonly string[] | undefined

interface Cursor {
  readonly source: string
  at: number
}

/** Thrown on syntax that this reader does not know; the pattern then simply goes without literals. */
const UNKNOWN = new Error('syntax not analysed')

const LITERAL = /[A-Za-z0-9 _\-,;:'"!@#%&=/<>~`]/
/** A class such as `[a-z\d]`, without nested `[:alpha:]`. */
const CLASS = /\[\^?\]?(?:\\[^pPQ]|[^\][\\])*\]/y
const QUANTIFIER = /(?:([*?])|\+|\{(\d+)(?:,\d*)?\})\??/y

/**
 * Looks for text that every match of an RE2 pattern must contain, whatever the rest demands: `(?i)\b(wire|bank) transfer` needs
 * “ transfer”. Answers a test that is false only for texts which the pattern cannot match, or undefined where none can be
 * derived. Literals are ASCII only and compared under Unicode simple case folding (flags `iu`), as RE2 does under `(?i)`.
 */
export function compileLiteralTest(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern)
  const cursor = { source: pattern, at: flags?.[0].length ?? 0 }
  try {
    const literals = alternatives(cursor)
    if (!literals || cursor.at < pattern.length || literals.length > MAX_LITERALS) return undefined
    return new RegExp(literals.map(escaped).join('|'), flags?.[1]?.includes('i') ? 'iu' : 'u')
  } catch (error) {
    if (error === UNKNOWN) return undefined
    throw error
  }
}

const escaped = (literal: string): string => literal.replace(/[^A-Za-z0-9 ]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`)

/** `a|b|c` up to `)` or the end: any branch may match, so the literals of all are needed. */
function alternatives(cursor: Cursor): Required {
  let all: Required = sequence(cursor)
  while (cursor.source[cursor.at] === '|') {
    cursor.at += 1
    const branch = sequence(cursor)
    all = all && branch && [...all, ...branch]
  }
  return all
}

/** One branch: every part must match, so the most telling part alone will do. */
function sequence(cursor: Cursor): Required {
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
    const part = atom(cursor)
    const times = quantifier(cursor)
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
  /** Matches without taking a character: `^`, `\b`. */
  readonly empty?: boolean
}

function atom(cursor: Cursor): Part {
  const letter = cursor.source[cursor.at] ?? ''
  if (letter === '(') return group(cursor)
  if (letter === '[') {
    CLASS.lastIndex = cursor.at
    if (!CLASS.test(cursor.source)) throw UNKNOWN
    cursor.at = CLASS.lastIndex
    return {}
  }
  if (letter === '\\') return escapeSequence(cursor)
  cursor.at += 1
  if (LITERAL.test(letter)) return { literal: letter }
  if (letter === '.') return {}
  if (letter === '^' || letter === '$') return { empty: true }
  throw UNKNOWN
}

function group(cursor: Cursor): Part {
  const { source } = cursor
  const opening = source.startsWith('(?:', cursor.at) ? 3 : 1
  if (opening === 1 && source[cursor.at + 1] === '?') throw UNKNOWN
  cursor.at += opening
  const required = alternatives(cursor)
  if (source[cursor.at] !== ')') throw UNKNOWN
  cursor.at += 1
  return { required }
}

function escapeSequence(cursor: Cursor): Part {
  const letter = cursor.source[cursor.at + 1] ?? ''
  cursor.at += 2
  if (/[dDsSwW]/.test(letter)) return {}
  if (/[bB]/.test(letter)) return { empty: true }
  if (/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(letter)) return { literal: letter }
  throw UNKNOWN
}

function quantifier(cursor: Cursor): 'once' | 'maybe none' | 'at least once' {
  QUANTIFIER.lastIndex = cursor.at
  const match = QUANTIFIER.exec(cursor.source)
  if (!match) return 'once'
  cursor.at = QUANTIFIER.lastIndex
  return match[1] !== undefined || Number(match[2]) === 0 ? 'maybe none' : 'at least once'
}
