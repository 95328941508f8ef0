import { isIPv6 } from 'node:net'
import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { addMatches, CharacterSet, DIGITS, eachMatch, isAlphabeticBeyondAscii, LOWER, UPPER } from '../text/search.ts'

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

const LOCAL_PART = "[\\w.%+'\u00c0-\u052f-]{1,64}"
/** An address whose domain may continue, and the spelled form. */
const MARK = new RegExp(`${LOCAL_PART}(?:@[\\w.\u00c0-\u052f-]{0,256}$| ?[([{] ?at ?[)\\]}])`, 'gi')

const EMAIL = { name: 'email', type: 'pii.email', reach: 80, longest: 424, marks: [{ pattern: MARK, reach: 440 }] } as const

/** In European alphabets. User names in URLs (`ssh://git@host`), handles (`@jane@host`) and files are not findings. */
export const email = detector(EMAIL, (text, findings) => {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const finding = addressAt(text, at)
    if (finding) findings.push(finding)
  }
  if (BRACKET.test(text)) addSpelled(findings, text)
})

const V4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)/g
/** Part of every IPv4 address, which is faster to search than its first digit. */
const STOPS = /\.\d{1,3}\.\d/
/** Eight groups, or fewer with `::`. `node:net` checks them. */
const V6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:.])/gi
const COLONS = /:[0-9a-f]{0,4}:/i

/** Releases and sections. "ver" and "figure" must be whole words because of "server" and "configure"; others can end `FileVersion`. */
const NUMBERING =
  /(?:\b(?:v|ver|figure|table|chrome|chromium|edge?|opr|opera|firefox|safari|electron|webview|browser|vivaldi|brave)|_ver|version|versión|release|stable|build|section|chapter|clause|paragraph|§|firmware|driver|revision)[ .:="']{0,3}$/i
/** A product token of a user agent (RFC 9110 §10.1.5): `Chrome/131.0.0.0`. Java writes addresses with a host's name in lower case. */
const PRODUCT = /(?:^|[\s("';,])[A-Z][A-Za-z]*(?:[ _-]?[A-Z][A-Za-z]*)*\/$/
const ADDRESSING =
  /(?:\bips?|address(?:es)?|adresse|host|server|client|from|ping|ssh|dns|v4|routing table)\W{1,4}(?:is |was |of )?$/i

const before = (text: string, index: number): string => text.slice(Math.max(0, index - 20), index)

/** Not loopback, any, multicast, broadcast, a network or a netmask. */
function isHostAddress(octets: readonly string[]): boolean {
  if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0')))) return false
  const first = Number(octets[0])
  // A network, or the version of a browser.
  if (octets.slice(1).every((octet) => octet === '0')) return false
  return first !== 0 && first !== 127 && first < 224
}

function isV4(text: string, index: number, match: string): boolean {
  const octets = match.split('.')
  if (!isHostAddress(octets)) return false
  const preceding = before(text, index)
  // Four single digits are usually the number of a section or release.
  const mayBeNumbering = octets.every((octet) => octet.length === 1) || NUMBERING.test(preceding) || PRODUCT.test(preceding)
  return !mayBeNumbering || ADDRESSING.test(preceding)
}

/** Requires a digit and three groups, because `a::b` is also a name in C++. */
const isV6 = (match: string): boolean => /\d/.test(match) && (match.match(/[0-9a-f]+/gi)?.length ?? 0) >= 3 && isIPv6(match)

/** Private addresses included. Versions, section numbers, times, loopback and netmasks are not findings. */
export const ip = detector({ name: 'ip', type: 'pii.ip', reach: 60, longest: 42 }, (text, findings) => {
  if (STOPS.test(text)) addMatches(findings, 'pii.ip', text, V4, ({ 0: match, index }) => isV4(text, index, match))
  if (text.includes(':') && COLONS.test(text)) addMatches(findings, 'pii.ip', text, V6, ({ 0: match }) => isV6(match))
})
