import identityCard from 'validator/lib/isIdentityCard.js'
import taxId from 'validator/lib/isTaxID.js'
import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { digitsOf, luhn, remainder, weighted } from '../text/checksums.ts'
import { isLabelled, labels } from '../text/label.ts'
import { addMatches, bounded, eachMatch } from '../text/search.ts'

/** The index of the library would load a hundred more files. */
const { default: isIdentityCard } = identityCard
const { default: isTaxID } = taxId

const scheme = (name: string, shape: string, check: (written: string) => boolean) => ({ name, shape, check })

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

const YEARS = /^(?:(?:19|20)\d\d[ -]?){3}$/

const isGermanTaxNumber = (written: string): boolean => /^\d[\d ]{9,13}\d$/.test(written) && isTaxID(compact(written), 'de-DE')

export const SCHEMES = [
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

const LABELS = labels(
  `ssn, itin, tin, social security, social insurance, sin, national insurance, nino, ni, nhs, medicare, medicaid, tfn, tax file,
  tax id, taxid, tax identification, tax identifier, tax reference, taxpayer reference, unique taxpayer, utr, ppsn, pps, taxpayer id,
  taxpayer identification, passport, passeport, pasaporte, passaporto, reisepass, reisepassnummer, passnummer, paspoort, paszport,
  паспорт, паспорта, driver licence, driver license, drivers licence, drivers license, driver s licence, driver s license,
  driving licence, driving license, dl, führerschein, führerscheinnummer, permis de conduire, national id, national identity,
  national identification, identity card, id card, identification card, personalausweis, personalausweisnummer, ausweisnummer,
  ausweis nr, steuer id, steuer idnr, steuerid, steueridnr, steueridentifikationsnummer, steuer identifikationsnummer,
  steuerliche identifikationsnummer, steuerliche idnr, steuerl idnr, persönliche identifikationsnummer, steuernummer, steuer nr, steuernr,
  st nr, stnr, wirtschafts idnr, sozialversicherungsnummer, sozialversicherungs nr, versicherungsnummer, rentenversicherungsnummer, sv nummer,
  sv nr, svnr, rvnr, ahv, ahv nr, avs, sécurité sociale, nir, insee, numéro fiscal, identification fiscale, identifiant fiscal, número fiscal,
  dni, nie, nif, nuss, niss, identificación fiscal, identificação fiscal, contribuinte, contribuyente, identificación tributaria, cédula,
  cedula, curp, rut, ruc, cpf, rg, cuil, cuit, codice fiscale, carta d identità, tessera sanitaria, bsn,
  burgerservicenummer, sofinummer, fiscaal nummer, rijksregisternummer, registre national, numéro national, personnummer,
  samordningsnummer, fødselsnummer, fodselsnummer, cpr, henkilötunnus, hetu, isikukood, asmens kodas, personas kods, pesel, nip,
  identyfikacji podatkowej, dowód osobisty, dowodu osobistego, rodné číslo, rodne cislo, rodného čísla, občanský průkaz, daňové identifikační číslo, dič, cnp, egn,
  егн, oib, jmbg, emšo, davčna številka, adóazonosító, adóazonosító jel, taj, tckn, tc kimlik, t c kimlik, kimlik, vergi kimlik, vkn,
  инн, снилс, рнокпп, іпн, налогоплательщика, αφμ, αμκα, aadhaar, aadhar, uidai, आधार, pan, पैन, voter id, nric, fin, hkid, mykad, rrn, my number,
  resident identity, รหัสประจำตัวประชาชน, رقم الهوية, الهوية, תעודת זהות, 身份证, 身分證, 身份證, 居民身份证, 公民身份, 身份号码, 护照, 護照, マイナンバー, 個人番号, パスポート,
  旅券, 運転免許証, 免許証, 基礎年金, 被保険者, 在留カード, 주민등록번호, 주민등록, 외국인등록번호, 여권, 여권번호, 운전면허, green card, alien registration, ni number`,
  `number numbers no nr num nummer número numero n numéro is it the my your his her our their was are ist lautet est es é di de details
  code pps card holder номер серия číslo numer numarası numarasi no' szám szama für des 番号 号码 號碼 号 號 字號 是 为 為 は が です の 证 번호 는 은 이 가 संख्या नंबर`,
)

/** Labels of many kinds of numbers. The number must be a German tax number. */
const WEAK_LABELS = labels(
  'idnr, id nr, identifikationsnummer, identifikations nr, id nummer, identnummer',
  'lautet ist meine ihre seine die der',
  'fahrzeug produkt geräte kunden artikel',
)

const SHAPES = new RegExp(
  String.raw`(?<![\w.+-]|\d )(?:${SCHEMES.map(({ shape }) => `(${shape})`).join('|')})(?![\w-]|\.\d)`,
  'g',
)
const CHECKS = 2_000

/**
 * Part of every number of a scheme: nine close digits (one can be a letter in Corsica and Finland), fewer digits next to letters (Spain,
 * Singapore, India, Britain, Mexico, Italy), or the end of a Chilean number. Texts without it skip the slow search for all schemes.
 */
export const SHAPED =
  /\d(?<!\d\d)(?:(?:[AB]?[ .+-]?\d){8}|\d{6,7}-?[A-Z]|(?<=[A-Z]\d)\d{3}[A-Z]|\d ?\d\d ?\d\d ?[A-D]|\d{5}[HMX]|\d[A-Z]\d\d[A-Z]|\d\d-[\dKk](?<=\.\d{3}-.))/

/** Up to six letters, then groups that contain digits, at least four near the first. Its only group is the text before the first digit. */
const VALUE =
  /\d(?<=(?<![\w.])([A-Z]{2} |[A-Za-z]{1,6}-?|)\d)(?=(?:[A-Za-z]{0,19}(?:[ ./-][A-Za-z]{0,2}| [A-D]-)?\d){4})[A-Za-z\d]{0,19}(?:[ ./-](?=[A-Za-z]{0,2}\d)[A-Za-z\d]{1,12}){0,5}(?: [A-D](?![\w]))?(?!\w)/g
/** Five close digits, four next to a letter, or mixed letters and digits. A labelled number has them. */
const CLUSTER = /\d(?:(?:[ ./-]?\d){4}|(?<=[A-Za-z]\d)(?:\d{3}|\d[A-Za-z]\d)|\d{3}[A-Za-z])/
const MIN_DIGITS = 5
const MAX_LENGTH = 24

/** Two capitals before a value are a country code, unless they are the end of the label: `tax ID 912345678`, `passport NO 12345678`. */
const LABEL_ENDS: ReadonlySet<string> = new Set(
  [...LABELS.lastWords, ...LABELS.fillers].filter((word) => word.length === 2).map((word) => `${word.toUpperCase()} `),
)

function addLabelled(findings: Finding[], text: string): void {
  let last = 0
  eachMatch(text, VALUE, ({ 0: written, 1: prefix = '', index }) => {
    // The prefix must not overlap the previous value.
    const prefixed = index - prefix.length >= last ? index - prefix.length : index
    const start = LABEL_ENDS.has(prefix) ? index : prefixed
    last = index + written.length
    const length = last - start
    if (length > MAX_LENGTH || length < MIN_DIGITS + 1) return
    // `passport ID 12345678`: the label is before the capitals.
    const isKnown = isLabelled(text, start, LABELS) || (start !== prefixed && isLabelled(text, prefixed, LABELS))
    if (!isKnown && !(isLabelled(text, start, WEAK_LABELS) && isGermanTaxNumber(written))) return
    if (digitsOf(written).length < MIN_DIGITS) return
    if (CLUSTER.test(text.slice(Math.max(0, start - 1), last + 1))) findings.push({ type: 'pii.national_id', start, end: last })
  })
}

function addRecognised(findings: Finding[], text: string): void {
  const may = bounded(CHECKS)
  addMatches(findings, 'pii.national_id', text, SHAPES, (match) => {
    const scheme = SCHEMES.find((_, i) => match[i + 1] !== undefined)
    return scheme !== undefined && may(() => scheme.check(match[0]))
  })
}

/** By shape and check digits, and any number after a label that names such a number. */
export const nationalId = detector(
  { name: 'national-id', type: 'pii.national_id', reach: 64, longest: 100 },
  (text, findings) => {
    if (SHAPED.test(text)) addRecognised(findings, text)
    addLabelled(findings, text)
  },
)
