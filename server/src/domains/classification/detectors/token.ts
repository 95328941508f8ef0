import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'
import { isGenerated } from '../text/secret-value.ts'

/** JSON Web Tokens (RFC 7519): three parts if signed, five if encrypted. `eyJ` is `{"` in base64url. */
const JWT = /(?<![\w-])eyJ[\w-]{10,}\.(?:eyJ[\w-]{8,}\.[\w-]*|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)/g
/** RFC 6750, with or without the name of the header. */
const BEARER = /bearer +([\w.~+/-]{16,4096}={0,2})/gi
/** RFC 7617. */
const BASIC = /authorization["']?[ \t]*[:=][ \t]*["']?basic +([A-Za-z0-9+/]{8,512}={0,2})/gi
const MIN_BEARER = 16
/** Common part of "bearer " and "basic ", so that one search finds both. */
const HINT = /a(?:rer|sic) /i

function addCarried(findings: Finding[], text: string, expression: RegExp, isReal: (value: string) => boolean): void {
  eachMatch(text, expression, ({ 0: match, index, 1: value = '' }) => {
    const end = index + match.length
    if (isReal(value)) findings.push({ type: 'secret.token', start: end - value.length, end })
  })
}

/** JWTs, and the values after `Bearer` and `Authorization: Basic`. */
export const token: Detector = {
  name: 'token',
  byForm: true,
  reach: 64,
  detect(text) {
    const findings: Finding[] = []
    // A capital J is rare in texts, so this is faster than searching `eyJ`.
    if (text.includes('J') && text.includes('eyJ')) {
      eachMatch(text, JWT, ({ 0: match, index }) =>
        findings.push({ type: 'secret.token', start: index, end: index + match.length }),
      )
    }
    if (HINT.test(text)) {
      addCarried(findings, text, BEARER, (value) => isGenerated(value, MIN_BEARER))
      if (/asic /i.test(text)) addCarried(findings, text, BASIC, () => true)
    }
    return findings
  },
}
