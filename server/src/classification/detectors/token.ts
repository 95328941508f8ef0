import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'
import { isGenerated } from '../text/secret-value.ts'

/** JSON Web Tokens (RFC 7519): a signed one's three parts, an encrypted one's five. `eyJ` is `{"` in base64url. */
const JWT = /(?<![\w-])eyJ[\w-]{10,}\.(?:eyJ[\w-]{8,}\.[\w-]*|[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)/g
/** RFC 6750, with or without the header's name. */
const BEARER = /bearer +([\w.~+/-]{16,4096}={0,2})/gi
/** RFC 7617. */
const BASIC = /authorization["']?[ \t]*[:=][ \t]*["']?basic +([A-Za-z0-9+/]{8,512}={0,2})/gi
const MIN_BEARER = 16
/** Part of "bearer" and "basic" and the space behind them: one look for both. */
const HINT = /a(?:rer|sic) /i

function addCarried(findings: Finding[], text: string, expression: RegExp, isReal: (value: string) => boolean): void {
  eachMatch(text, expression, ({ 0: match, index, 1: value = '' }) => {
    const end = index + match.length
    if (isReal(value)) findings.push({ type: 'secret.token', start: end - value.length, end })
  })
}

/** Tokens that carry themselves: JWTs, and what follows `Bearer` or `Authorization: Basic`. */
export const token: Detector = {
  name: 'token',
  detect(text) {
    const findings: Finding[] = []
    // A capital J is rare, while nearly every e of a text would be looked at for the whole.
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
