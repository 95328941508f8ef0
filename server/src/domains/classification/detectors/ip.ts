import { isIPv6 } from 'node:net'
import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'

const V4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)/g
/** Part of every IPv4 address, which is faster to search than its first digit. */
const STOPS = /\.\d{1,3}\.\d/
/** Candidates for IPv6 addresses: eight groups, or fewer with `::`. `node:net` checks them. */
const V6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:.])/gi

/** Part of every IPv6 address. */
const COLONS = /:[0-9a-f]{0,4}:/i

/**
 * `version 1.2.3.4`, `§ 1.2.3.4`: numbers of releases and sections. "ver" and "figure" must be whole words because of "server" and
 * "configure"; the others can be the end of a word such as `FileVersion`.
 */
const NUMBERING =
  /(?:\b(?:v|ver|figure|table|chrome|chromium|edge?|opr|opera|firefox|safari|electron|webview|browser|vivaldi|brave)|_ver|version|versión|release|stable|build|section|chapter|clause|paragraph|§|firmware|driver|revision)[ .:="']{0,3}$/i
/** A product token of a user agent (RFC 9110 §10.1.5): `Chrome/131.0.0.0`. Java writes addresses with a host's name in lower case. */
const PRODUCT = /(?:^|[\s("';,])[A-Z][A-Za-z]*(?:[ _-]?[A-Z][A-Za-z]*)*\/$/
const ADDRESSING =
  /(?:\bips?|address(?:es)?|adresse|host|server|client|from|ping|ssh|dns|v4|routing table)\W{1,4}(?:is |was |of )?$/i

const before = (text: string, index: number): string => text.slice(Math.max(0, index - 20), index)

/** Whether all octets are in range and the address is not loopback, any, multicast, broadcast, a network or a netmask. */
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

/** IPv4 and IPv6 addresses of machines, private addresses included. Versions, section numbers, times, loopback and netmasks are not findings. */
export const ip: Detector = {
  name: 'ip',
  reach: 60,
  detect(text) {
    const findings: Finding[] = []
    if (STOPS.test(text)) {
      eachMatch(text, V4, ({ 0: match, index }) => {
        if (isV4(text, index, match)) findings.push({ type: 'pii.ip', start: index, end: index + match.length })
      })
    }
    if (!text.includes(':') || !COLONS.test(text)) return findings
    eachMatch(text, V6, ({ 0: match, index }) => {
      if (isV6(match)) findings.push({ type: 'pii.ip', start: index, end: index + match.length })
    })
    return findings
  },
}
