import identityCard from 'validator/lib/isIdentityCard.js'
import taxId from 'validator/lib/isTaxID.js'
import { digitsOf, luhn, remainder, weighted } from '../text/checksums.ts'

/** The index of the library would load a hundred more files. */
const { default: isIdentityCard } = identityCard
const { default: isTaxID } = taxId

/** A country's number for persons that is recognised without a label, by its shape and its check digits, if any. */
export interface Scheme {
  readonly name: string
  /** Source of a regular expression without capturing groups. */
  readonly shape: string
  readonly check: (written: string) => boolean
}

const scheme = (name: string, shape: string, check: Scheme['check']): Scheme => ({ name, shape, check })

const compact = (written: string): string => written.replace(/[ .-]/g, '')
const always = (): boolean => true

/** Social Security Administration: no area 000, 666 or 9xx, no group 00, no serial 0000; ITINs are 9xx with these groups. */
function isUsNumber(written: string): boolean {
  const digits = digitsOf(written)
  const group = Number(digits.slice(3, 5))
  if (digits.startsWith('9')) return group >= 50 && group !== 66 && group !== 89 && group !== 93
  return !/^(?:000|666)|^...00|0000$/.test(digits)
}

/** INSEE: 97 minus the number's remainder; Corsica's departments 2A and 2B count as 19 and 18. */
function isNir(written: string): boolean {
  const digits = compact(written).replace('2A', '19').replace('2B', '18')
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13))
}

/** EAN-13 check digit. */
const isAhv = (written: string): boolean => weighted(digitsOf(written), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0

function isRut(written: string): boolean {
  const id = compact(written).toUpperCase().padStart(9, '0')
  return '0K987654321'[weighted(id, [3, 2, 7, 6, 5, 4, 3, 2]) % 11] === id.at(-1)
}

/** Singapore: a weighted sum picks the letter; each series has its own alphabet. */
function isNric(written: string): boolean {
  const series = written[0] ?? ''
  const sum = weighted(written.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (/[TG]/.test(series) ? 4 : 0)
  return (/[ST]/.test(series) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[sum % 11] === written.at(-1)
}

const isMonthAndDay = (month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31

const isSwedish = (written: string): boolean =>
  isMonthAndDay(digitsOf(written).slice(-8, -6), digitsOf(written).slice(-6, -4)) && luhn(digitsOf(written).slice(-10))

/** Three columns with years. */
const YEARS = /^(?:(?:19|20)\d\d[ -]?){3}$/

const GERMAN_TAX_DIGITS = 11

/** The number is one of the German tax office: eleven digits with a check digit. */
export const isGermanTaxNumber = (written: string): boolean =>
  written.length >= GERMAN_TAX_DIGITS && /^\d[\d ]{9,13}\d$/.test(written) && isTaxID(compact(written), 'de-DE')

export const SCHEMES: readonly Scheme[] = [
  // With spaces it needs a label, because three columns of a table look the same: `310 42 2025`.
  scheme('us', String.raw`\d{3}-\d{2}-\d{4}`, isUsNumber),
  scheme(
    'gb',
    String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?:\d{6}| \d{2} \d{2} \d{2} | \d{6} )[A-D]`,
    always,
  ),
  scheme('fr', String.raw`[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`, isNir),
  scheme('es', String.raw`\d{8}-?[A-HJ-NP-TV-Z]|[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]`, (written) =>
    isIdentityCard(compact(written), 'ES'),
  ),
  scheme('it', String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`, (written) => isTaxID(written, 'it-IT')),
  scheme('de', String.raw`[1-9]\d \d{3} \d{3} \d{3}`, (written) => isTaxID(compact(written), 'de-DE')),
  scheme('be', String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`, (written) => isTaxID(compact(written), 'fr-BE')),
  scheme('ch', String.raw`756\.\d{4}\.\d{4}\.\d{2}`, isAhv),
  scheme('se', String.raw`(?:19|20)?\d{6}[-+]\d{4}`, isSwedish),
  scheme('fi', String.raw`\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]`, (written) => isTaxID(written, 'fi-FI')),
  scheme('no', String.raw`\d{6} \d{5}`, (written) => isIdentityCard(compact(written), 'NO')),
  scheme(
    'in_aadhaar',
    String.raw`[2-9]\d{3} \d{4} \d{4}(?! \d)|[2-9]\d{3}-\d{4}-\d{4}`,
    (written) => !YEARS.test(written) && isIdentityCard(compact(written), 'IN'),
  ),
  scheme('in_pan', String.raw`[A-Z]{3}P[A-Z]\d{4}[A-Z]`, always),
  scheme('br', String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, (written) => isTaxID(written, 'pt-BR')),
  scheme('cl', String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dkK]`, isRut),
  scheme('mx', String.raw`[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z\d]\d`, always),
  scheme('cn', String.raw`[1-9]\d{16}[\dXx]`, (written) => isIdentityCard(written, 'zh-CN')),
  scheme('kr', String.raw`\d{6}-[1-8]\d{6}`, (written) => isMonthAndDay(written.slice(2, 4), written.slice(4, 6))),
  scheme('sg', String.raw`[STFG]\d{7}[A-Z]`, isNric),
  scheme('tw', String.raw`[A-Z][12]\d{8}`, (written) => isIdentityCard(written, 'zh-TW')),
]
