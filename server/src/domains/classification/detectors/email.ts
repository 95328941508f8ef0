import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet, DIGITS, isAlphabeticBeyondAscii, LOWER, UPPER } from '../text/characters.ts'
import { eachMatch } from '../text/matches.ts'

const LOCAL = new CharacterSet(`${LOWER}${UPPER}${DIGITS}._%+-'`)
const DOMAIN = new CharacterSet(`${LOWER}${UPPER}${DIGITS}.-`)
const EDGE = new CharacterSet(`${LOWER}${UPPER}${DIGITS}_`)
const isLocal = (unit: number): boolean => LOCAL.has(unit) || isAlphabeticBeyondAscii(unit)
const isDomain = (unit: number): boolean => DOMAIN.has(unit) || isAlphabeticBeyondAscii(unit)
const isEdge = (unit: number): boolean => EDGE.has(unit) || isAlphabeticBeyondAscii(unit)

/** RFC 5321 §4.5.3.1. */
const MAX_LOCAL = 64
const MAX_DOMAIN = 255

/** A name with a top-level domain of letters (or `xn--…`). */
const HOST = /^(?:[^\s.-][^\s.]{0,62}\.)+(?:[a-z\u00c0-\u052f]{2,24}|xn--[a-z0-9-]{2,59})$/i
/** `icon@2x.png` is a file. */
const FILE = /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|css|scss|less|m?js|cjs|jsx|tsx?|json|ya?ml|html?|lock|log|txt)$/i

/** `(at) example (dot) com`: the spelling that hides an address from address collectors. */
const SPELLED = /[([{] ?at ?[)\]}] ?[\w-]{1,63}(?: ?(?:[([{] ?dot ?[)\]}]|\.) ?[\w-]{1,63}){1,4}/gi
const BRACKET = /[([{]/

function localStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start <= MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start--
  if (at - start > MAX_LOCAL) return at
  while (start < at && !isEdge(text.charCodeAt(start))) start++
  return start
}

function addressAt(text: string, at: number): Finding | undefined {
  const start = localStart(text, at)
  if (start === at || text[start - 1] === '@' || text.startsWith('//', start - 2)) return undefined
  let end = at + 1
  while (end < text.length && end - at <= MAX_DOMAIN && isDomain(text.charCodeAt(end))) end++
  while (end > at && !isEdge(text.charCodeAt(end - 1))) end--
  const host = text.slice(at + 1, end)
  if (!HOST.test(host) || FILE.test(host)) return undefined
  // `git@github.com:owner/repository` is the address of a repository.
  if (text[end] === ':' && text.slice(start, at) === 'git') return undefined
  return { type: 'pii.email', start, end }
}

function addSpelled(findings: Finding[], text: string): void {
  eachMatch(text, SPELLED, ({ 0: match, index }) => {
    const at = text[index - 1] === ' ' ? index - 1 : index
    const start = localStart(text, at)
    if (start < at) findings.push({ type: 'pii.email', start, end: index + match.length })
  })
}

/** E-mail addresses in European alphabets. User names in URLs (`ssh://git@host`), handles (`@jane@host`) and files are not findings. */
export const email: Detector = {
  name: 'email',
  reach: 440,
  detect(text) {
    const findings: Finding[] = []
    for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
      const finding = addressAt(text, at)
      if (finding) findings.push(finding)
    }
    if (BRACKET.test(text)) addSpelled(findings, text)
    return findings
  },
}
