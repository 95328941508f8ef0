import { isIPv6 } from 'node:net'
import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'

const V4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\w)/g
/** Without two full stops this close there is no V4: cheaper to look for than a first digit. */
const STOPS = /\.\d{1,3}\.\d/
/** Eight groups, or fewer with `::`; what is one, `node:net` decides. */
const V6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:.])/gi

/** Without two colons this close there is no V6. */
const COLONS = /:[0-9a-f]{0,4}:/i

/**
 * `version 1.2.3.4`, `§ 1.2.3.4`: numbers that count releases and sections. The words that others end in (server, configure) stand alone;
 * the rest do not, for `FileVersion` and `app_version`.
 */
const NUMBERING =
  /(?:\b(?:v|ver|figure|table)|_ver|version|versión|release|stable|build|section|chapter|clause|paragraph|§|firmware|driver|revision)[ .:=]{0,3}$/i
const ADDRESSING =
  /(?:\bips?|address(?:es)?|adresse|host|server|client|from|ping|ssh|dns|v4|routing table)\W{1,4}(?:is |was |of )?$/i

const before = (text: string, index: number): string => text.slice(Math.max(0, index - 20), index)

/** Every octet in range, and not an address of no machine in particular: loopback, any, multicast, broadcast, netmasks. */
function isHostAddress(octets: readonly string[]): boolean {
  if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0')))) return false
  const first = Number(octets[0])
  return first !== 0 && first !== 127 && first < 224
}

function isV4(text: string, index: number, match: string): boolean {
  const octets = match.split('.')
  if (!isHostAddress(octets)) return false
  const preceding = before(text, index)
  // Four single digits are a section or a release more often than a machine.
  const mayBeNumbering = octets.every((octet) => octet.length === 1) || NUMBERING.test(preceding)
  return !mayBeNumbering || ADDRESSING.test(preceding)
}

/** `a::b` is an address by the letter, and a name in C++: one that matters has a digit and three groups. */
const isV6 = (match: string): boolean => /\d/.test(match) && (match.match(/[0-9a-f]+/gi)?.length ?? 0) >= 3 && isIPv6(match)

/** IPv4 and IPv6 addresses of machines, private ones included; not versions, section numbers, times, loopback and netmasks. */
export const ip: Detector = {
  name: 'ip',
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
