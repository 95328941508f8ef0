import { countrySpecs, isValidIBAN } from 'ibantools'
import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { bounded } from '../text/bounded.ts'
import { remainder } from '../text/checksums.ts'

/** Two letters, two check digits and up to 30 letters and digits, in one piece or in groups. */
const SHAPE = /(?<![a-z0-9])[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}/gi

/** How many checks of a country's own rules one text may buy (2 µs each); the check digits of ISO 7064 are always computed. */
const CHECKS = 1_000

/** The length in characters that the compact IBAN `length` long has in `written`, or 0 when `written` does not end a word there. */
function writtenLength(written: string, length: number): number {
  let seen = 0
  for (let i = 0; i < written.length; i++) {
    if (written[i] !== ' ' && written[i] !== '-') seen++
    if (seen === length) return /[a-z0-9]/i.test(written[i + 1] ?? '') ? 0 : i + 1
  }
  return 0
}

/** ISO 7064 MOD 97-10 over the IBAN with its first four characters last and letters as 10…35. */
function hasCheckDigits(iban: string): boolean {
  let digits = ''
  for (const letter of iban.slice(4) + iban.slice(0, 4)) digits += Number.parseInt(letter, 36)
  return remainder(digits, 97) === 1
}

/** International bank account numbers: country, its length and format, and check digits must fit. */
export const iban: Detector = {
  name: 'iban',
  detect(text) {
    const findings: Finding[] = []
    const mayBe = bounded(CHECKS)
    for (const { 0: written, index } of text.matchAll(SHAPE)) {
      const length = countrySpecs[written.slice(0, 2).toUpperCase()]?.chars ?? 0
      const end = writtenLength(written, length)
      if (end === 0) continue
      const compact = written.slice(0, end).replace(/[ -]/g, '').toUpperCase()
      if (hasCheckDigits(compact) && mayBe(() => isValidIBAN(compact))) {
        findings.push({ type: 'pii.iban', start: index, end: index + end })
      }
    }
    return findings
  },
}
