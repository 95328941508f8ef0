import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { isGenerated } from '../text/secret-value.ts'

/** JSON Web Tokens (RFC 7519): a signed one's three parts, an encrypted one's five. `eyJ` is `{"` in base64url. */
const JWT = /(?<![\w-])eyJ[\w-]{10,}\.(?:eyJ[\w-]{8,}\.[\w-]*|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)/g
/** RFC 6750; the header's name may be missing. */
const BEARER = /(?:bearer|token) +([\w.~+/-]{16,4096}={0,2})/gi
/** RFC 7617. */
const BASIC = /authorization["']?[ \t]*[:=][ \t]*["']?basic +([A-Za-z0-9+/]{8,512}={0,2})/gi
const MIN_BEARER = 16

function* carried(text: string, expression: RegExp, isReal: (value: string) => boolean): Generator<Finding> {
  for (const { 0: match, index, 1: value = '' } of text.matchAll(expression)) {
    const end = index + match.length
    if (isReal(value)) yield { type: 'secret.token', start: end - value.length, end }
  }
}

/** Tokens that carry themselves: JWTs, and what follows `Bearer` or `Authorization: Basic`. */
export const token: Detector = {
  name: 'token',
  detect(text) {
    const findings: Finding[] = []
    if (text.includes('eyJ')) {
      for (const { 0: match, index } of text.matchAll(JWT))
        findings.push({ type: 'secret.token', start: index, end: index + match.length })
    }
    findings.push(...carried(text, BEARER, (value) => isGenerated(value, MIN_BEARER)))
    if (/authorization/i.test(text)) findings.push(...carried(text, BASIC, () => true))
    return findings
  },
}
