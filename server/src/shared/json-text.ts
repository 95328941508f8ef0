import { isJson } from '../platform/lib/json.ts'

/** A parser reads `\u0047` in JSON as G, a detector would not. This module decodes such a text for scanning, and encodes it again. */

const OPENING = /^\s*[{[]/
/** JSON white space before a brace or bracket: nearly every text fails at its first character. */
export const mayBeJson = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return first === 0x7b || first === 0x5b || (first <= 0x20 && OPENING.test(text))
}

/** A pair of surrogates, another unit, or one character. In JSON a backslash occurs only in strings. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^u])/g
/** A quote or a backslash stays escaped, because it would end the string. */
const KEPT: ReadonlySet<string> = new Set(['"', '\\'])
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '/': '/' }

function unescaped(written: string): string {
  const kind = written.charAt(1)
  if (kind !== 'u') return SHORT[kind] ?? written
  const first = Number.parseInt(written.slice(2, 6), 16)
  const characters =
    written.length === 6 ? String.fromCharCode(first) : String.fromCharCode(first, Number.parseInt(written.slice(8), 16))
  if (KEPT.has(characters)) return `\\${characters}`
  // Half of a pair has no UTF-8 form.
  return characters.isWellFormed() ? characters : written
}

const decoded = (json: string): string => json.replace(ESCAPE, unescaped)

/** A JSON text with its strings decoded in place. Arguments of a tool call are decoded even if they are cut off or not an object. */
export function readable(text: string, isArguments: boolean): string {
  if (!(isArguments || mayBeJson(text)) || !text.includes('\\')) return text
  return isArguments || isJson(text) ? decoded(text) : text
}

/** Index of the first escape that `readable` decodes if the text becomes a JSON document; the length of the text: none so far. */
export function firstEscape(text: string): number {
  if (!mayBeJson(text)) return text.length
  let at = text.indexOf('\\')
  while (at >= 0 && KEPT.has(text.charAt(at + 1))) at = text.indexOf('\\', at + 2)
  return at < 0 || at + 1 === text.length ? text.length : at
}

/** Encodes a changed result of `readable`. The rest of a JSON text stays the same to the byte; arguments always stay JSON. */
export function rewritten(text: string, changed: string, isArguments: boolean): string {
  if (!(isArguments || mayBeJson(text)) || !isJson(text)) return changed
  return merged(text, changed) ?? (isArguments ? JSON.stringify({ text: changed }) : changed)
}

/** The JSON `text` with the strings and numbers of `changed`; undefined if `changed` has another form. */
function merged(text: string, changed: string): string | undefined {
  const pieces: string[] = []
  let at = 0
  let to = 0
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      const string = stringAt(text, at)
      const other = stringAt(changed, to)
      if (other === undefined || string === undefined) return undefined
      pieces.push(decoded(string) === other ? string : JSON.stringify(other.slice(1, -1).replace(/\\(["\\])/g, '$1')))
      at += string.length
      to += other.length
    } else {
      const number = matchAt(NUMBER, text, at)
      const form = matchAt(FORM, text, at + number.length)
      const end = number === '' ? to : formAt(form, changed, to, at + number.length + form.length === text.length)
      if (end < 0 || !changed.startsWith(form, end)) return undefined
      const other = changed.slice(to, end)
      pieces.push(number === other ? number : JSON.stringify(other), form)
      at += number.length + form.length
      to = end + form.length
    }
  }
  return to === changed.length ? pieces.join('') : undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NUMBER = /[-\d][-+.\deE]*|/y
/** The form between strings and numbers: punctuation, white space, `true`, `false` and `null`. */
const FORM = /[^"\d-]*/y

function matchAt(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at
  return expression.exec(text)?.[0] ?? ''
}

/** The start of the form after a number; the last one ends the text. Labels and masks contain no comma, other forms do. */
const formAt = (form: string, changed: string, from: number, isLast: boolean): number =>
  isLast ? Math.max(changed.length - form.length, from) : changed.indexOf(form, from)

/** The string that begins at `start`, with its quotes; it may contain raw line breaks. */
function stringAt(text: string, start: number): string | undefined {
  if (text.charCodeAt(start) !== QUOTE) return undefined
  for (let end = start + 1; end < text.length; end++) {
    const unit = text.charCodeAt(end)
    if (unit === BACKSLASH) end++
    else if (unit === QUOTE) return text.slice(start, end + 1)
  }
  return undefined
}
