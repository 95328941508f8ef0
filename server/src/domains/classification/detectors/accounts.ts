import { countrySpecs, isValidIBAN } from 'ibantools'
import { detector } from '../detector.ts'
import { digitsOf, luhn } from '../text/checksums.ts'
import { isLabelled, labels } from '../text/label.ts'
import { bounded, eachMatch } from '../text/search.ts'

/** With or without groups. Starts at the first digit, because prose has few; its only group is the text before it. */
const IBAN = /\d(?<=(?<![a-z0-9])([a-z]{2}[ -]?)\d)\d(?:(?:[ ./_-]|[ \t]{0,2}\r?\n[ \t>]{0,4})?[a-z0-9]){11,30}/gi
const isPart = (unit: number): boolean => (unit >= 48 && unit <= 57) || ((unit | 32) >= 97 && (unit | 32) <= 122)

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

/** A number that may continue. */
const IBAN_MARK = /[a-z]{2}[ -]?\d\d(?:(?:[ ./_-]|[ \t]{0,2}\r?\n[ \t>]{0,4})?[a-z0-9]){0,30}[ \t./_>\r\n-]{0,8}$/gi

export const iban = detector(
  { name: 'iban', type: 'pii.iban', byForm: true, reach: 16, longest: 276, marks: [{ pattern: IBAN_MARK, reach: 330 }] },
  (text, findings) => {
    const mayBe = bounded(CHECKS)
    eachMatch(text, IBAN, ({ 0: digits, 1: country = '', index: firstDigit }) => {
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
  },
)

/** `ranges`: first digits, both ends included, as in the tables of ISO/IEC 7812. */
const issuer = (ranges: string, ...lengths: number[]) =>
  ranges.split(' ').map((range) => {
    const [from = '', to = from] = range.split('-')
    return { digits: from.length, from: Number(from), to: Number(to), lengths }
  })

/** Visa numbers of 13 digits require a label: they are obsolete, and every tenth German barcode would match. */
const ISSUERS = [
  issuer('4', 16, 19), // Visa
  issuer('51-55 2221-2720', 16), // Mastercard
  issuer('34 37', 15), // American Express
  issuer('6011 644-659', 16, 19), // Discover
  issuer('300-305 36 38-39', 14, 16), // Diners Club
  issuer('3528-3589', 16, 19), // JCB
  issuer('62', 16, 17, 18, 19), // UnionPay
  issuer('2200-2204', 16, 19), // Mir
  issuer('5018 5020 5038 5893 6304 6759-6763', 16, 18, 19), // Maestro
  issuer('508 606-608 8171-8172', 16), // RuPay
  issuer('9792', 16), // Troy
].flat()

const isIssued = (number: string): boolean =>
  ISSUERS.some(({ digits, from, to, lengths }) => {
    const first = Number(number.slice(0, digits))
    return first >= from && first <= to && lengths.includes(number.length)
  })

const SEPARATOR = String.raw`[ \t./\\|,_:·•*~-]{0,3}(?:\r?\n[ \t>]{0,4})?`
/** Without groups; in groups of 4, 4-6-5 or 4-6-4 with the same separator; in groups of 4 with any separators; or digit by digit. */
const CARD = new RegExp(
  String.raw`\d(?<![\w.+]\d)(?:\d{11,18}|\d{3}([ .-])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5})|\d{3}(?:(?:${SEPARATOR}\d{4}){3}(?:${SEPARATOR}\d{3})?|${SEPARATOR}\d{6}${SEPARATOR}\d{4,5})(?!\d)|([ \t./\\|,_:·•*~\n-]{1,3})\d(?:\2\d){12,17}(?!\d|\2\d(?!\d))|\d{5,11}${SEPARATOR}\d{2,12}(?!${SEPARATOR}\d))(?![\w%]|\.\d)`,
  'g',
)
/** Groups that are usual for cards. Other numbers need a label. */
const GROUPED = /^(?:\d{12,19}|\d{4}(?:\D{1,8}\d{4}){3}(?:\D{1,8}\d{3})?|\d{4}\D{1,8}\d{6}\D{1,8}\d{4,5}|\d(?:\D{1,3}\d){13,18})$/

const MIN_DIGITS = 12

/** After these labels, a number needs no known issuer, because issuers change. */
const CARD_LABELS = labels(
  `card, credit card, debit card, cc, ccn, visa, mastercard, amex, american express, maestro, kreditkarte, kartennummer,
  kreditkartennummer, carte, carte bancaire, carte de crédit, tarjeta, carta di credito, cartão, creditcard, karta, карта, карты, kort, pan, 信用卡, 卡号, 卡號, 银行卡, カード, クレジットカード, 카드`,
  'number numbers no nr num nummer número numero numéro n is it s the my your his her was ends details lautet ist номер 号码 番号 번호 是 は 는',
)

const CARD_DETECTOR = { name: 'payment-card', type: 'pii.card', byForm: true, reach: 80, longest: 80 } as const

export const paymentCard = detector(CARD_DETECTOR, (text, findings) => {
  eachMatch(text, CARD, ({ 0: match, index }) => {
    const card = isCard(text, index, match) ? match : CODE.test(match) ? match.replace(CODE, '') : ''
    if (card === match || (card !== '' && isCard(text, index, card))) {
      findings.push({ type: 'pii.card', start: index, end: index + card.length })
    } else if (FIRST_GROUP.test(match) && !isLongList(text, index + match.length)) CARD.lastIndex = index + GROUP
  })
})

/** Three digits after a number can be its security code. */
const CODE = /\D+\d{3}$/
const FIRST_GROUP = /^\d{4}\D/
const GROUP = 4
/** In a long list of groups, only the first start is tried. Otherwise the scan would take quadratic time. */
const MORE_GROUPS = /(?:\D{1,4}\d{4}(?!\d)){3}/y

function isLongList(text: string, end: number): boolean {
  MORE_GROUPS.lastIndex = end
  return MORE_GROUPS.test(text)
}

function isCard(text: string, index: number, written: string): boolean {
  const digits = digitsOf(written)
  if (digits.length < MIN_DIGITS || !luhn(digits)) return false
  return (isIssued(digits) && GROUPED.test(written)) || isLabelled(text, index, CARD_LABELS)
}
