import { countrySpecs, isValidIBAN } from 'ibantools'
import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { bounded, eachMatch } from '../text/matches.ts'

/**
 * Two letters, two check digits and up to 30 letters and digits, with or without groups. A group can be on the next line. The search
 * starts at the first digit, because prose has few digits; the only group of the expression is the text before it.
 */
const SHAPE = /\d(?<=(?<![a-z0-9])([a-z]{2}[ -]?)\d)\d(?:(?:[ ./_-]|[ \t]{0,2}\r?\n[ \t>]{0,4})?[a-z0-9]){11,30}/gi
const isPart = (unit: number): boolean => (unit >= 48 && unit <= 57) || ((unit | 32) >= 97 && (unit | 32) <= 122)

/** Maximum number of checks by the library for one text (2 µs each). The check digits of ISO 7064 are always computed. */
const CHECKS = 1_000

const DIGIT_0 = 48
const LETTER_A = 65

/** The number of characters of `written` that contain an IBAN of `length` letters and digits; 0: the word continues after them. */
function writtenLength(written: string, length: number): number {
  let seen = 0
  for (let i = 0; i < written.length; i++) {
    if (isPart(written.charCodeAt(i))) seen++
    if (seen === length) return /[a-z0-9]/i.test(written[i + 1] ?? '') ? 0 : i + 1
  }
  return 0
}

/** ISO 7064 MOD 97-10 over the IBAN with its first four characters last and letters as 10 to 35. */
function hasCheckDigits(iban: string): boolean {
  let rest = 0
  for (let i = 0; i < iban.length; i++) {
    const unit = iban.charCodeAt((i + 4) % iban.length)
    rest = (unit < LETTER_A ? rest * 10 + unit - DIGIT_0 : rest * 100 + unit - LETTER_A + 10) % 97
  }
  return rest === 1
}

/** International bank account numbers: country, its length and format, and check digits must fit. */
export const iban: Detector = {
  name: 'iban',
  byForm: true,
  reach: 320,
  detect(text) {
    const findings: Finding[] = []
    const mayBe = bounded(CHECKS)
    eachMatch(text, SHAPE, ({ 0: digits, 1: country = '', index: firstDigit }) => {
      const written = country + digits
      const index = firstDigit - country.length
      const length = countrySpecs[written.slice(0, 2).toUpperCase()]?.chars ?? 0
      const end = writtenLength(written, length)
      if (end === 0) return
      const compact = written
        .slice(0, end)
        .replace(/[^a-z0-9]/gi, '')
        .toUpperCase()
      if (hasCheckDigits(compact) && mayBe(() => isValidIBAN(compact))) {
        findings.push({ type: 'pii.iban', start: index, end: index + end })
      }
    })
    return findings
  },
}
