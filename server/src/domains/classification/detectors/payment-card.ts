import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { digitsOf, luhn } from '../text/checksums.ts'
import { isLabelled, labels } from '../text/label.ts'
import { eachMatch } from '../text/matches.ts'

/** First digits (inclusive range, as in the tables of ISO/IEC 7812) and lengths of one kind of card. */
interface Issuer {
  readonly from: number
  readonly to: number
  readonly lengths: readonly number[]
}

const issuer = (from: number, to: number, ...lengths: number[]): Issuer => ({ from, to, lengths })

/** Visa numbers of 13 digits require a label: they are obsolete, and every tenth German barcode would match. */
const ISSUERS: readonly Issuer[] = [
  issuer(4, 4, 16, 19), // Visa
  issuer(51, 55, 16), // Mastercard
  issuer(2221, 2720, 16),
  issuer(34, 34, 15), // American Express
  issuer(37, 37, 15),
  issuer(6011, 6011, 16, 19), // Discover
  issuer(644, 659, 16, 19),
  issuer(300, 305, 14, 16), // Diners Club
  issuer(36, 36, 14, 16),
  issuer(38, 39, 14, 16),
  issuer(3528, 3589, 16, 19), // JCB
  issuer(62, 62, 16, 17, 18, 19), // UnionPay
  issuer(2200, 2204, 16, 19), // Mir
  issuer(5018, 5018, 16, 18, 19), // Maestro
  issuer(5020, 5020, 16, 18, 19),
  issuer(5038, 5038, 16, 18, 19),
  issuer(5893, 5893, 16, 18, 19),
  issuer(6304, 6304, 16, 18, 19),
  issuer(6759, 6763, 16, 18, 19),
  issuer(508, 508, 16), // RuPay
  issuer(606, 608, 16),
  issuer(8171, 8172, 16),
  issuer(9792, 9792, 16), // Troy
]

const isIssued = (digits: string): boolean =>
  ISSUERS.some(({ from, to, lengths }) => {
    const first = Number(digits.slice(0, String(from).length))
    return first >= from && first <= to && lengths.includes(digits.length)
  })

/** A separator between groups: up to three signs, also a line break. `4111 / 1111`, `4111. 1111`, `4111\n1111` */
const SEPARATOR = String.raw`[ \t./\\|,_:·•*~-]{0,3}(?:\r?\n[ \t>]{0,4})?`
/**
 * Without groups, in groups of four, 4-6-5 (American Express) or 4-6-4 (Diners Club) with the same separator; or in groups of four with
 * any separators; or digit by digit.
 */
const SHAPE = new RegExp(
  String.raw`\d(?<![\w.+]\d)(?:\d{11,18}|\d{3}([ .-])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5})|\d{3}(?:(?:${SEPARATOR}\d{4}){3}(?:${SEPARATOR}\d{3})?|${SEPARATOR}\d{6}${SEPARATOR}\d{4,5})(?!\d)|([ \t./\\|,_:·•*~\n-]{1,3})\d(?:\2\d){12,17}(?!\d|\2\d(?!\d))|\d{5,11}${SEPARATOR}\d{2,12}(?!${SEPARATOR}\d))(?![\w%]|\.\d)`,
  'g',
)
/** Groups that are usual for cards. Other numbers need a label. */
const GROUPED = /^(?:\d{12,19}|\d{4}(?:\D{1,8}\d{4}){3}(?:\D{1,8}\d{3})?|\d{4}\D{1,8}\d{6}\D{1,8}\d{4,5}|\d(?:\D{1,3}\d){13,18})$/

const MIN_DIGITS = 12

/** After these labels, a number needs no known issuer, because issuers change. */
const LABELS = labels(
  `card, credit card, debit card, cc, ccn, visa, mastercard, amex, american express, maestro, kreditkarte, kartennummer,
  kreditkartennummer, carte, carte bancaire, carte de crédit, tarjeta, carta di credito, cartão, creditcard, karta, карта, карты, kort, pan, 信用卡, 卡号, 卡號, 银行卡, カード, クレジットカード, 카드`,
  'number numbers no nr num nummer número numero numéro n is it s the my your his her was ends details lautet ist номер 号码 番号 번호 是 は 는',
)

/** Payment card numbers with a correct Luhn check digit, and with a known issuer and length or a label. */
export const paymentCard: Detector = {
  name: 'payment-card',
  byForm: true,
  reach: 120,
  detect(text) {
    const findings: Finding[] = []
    eachMatch(text, SHAPE, ({ 0: match, index }) => {
      const card = isCard(text, index, match) ? match : CODE.test(match) ? match.replace(CODE, '') : ''
      if (card === match || (card !== '' && isCard(text, index, card))) {
        findings.push({ type: 'pii.card', start: index, end: index + card.length })
      } else if (FIRST_GROUP.test(match) && !isLongList(text, index + match.length)) SHAPE.lastIndex = index + GROUP
    })
    return findings
  },
}

/** Three digits after a number can be its security code. */
const CODE = /\D+\d{3}$/
/** A card number can begin with the second group. */
const FIRST_GROUP = /^\d{4}\D/
const GROUP = 4
/** In a list of many groups, no other beginning is tried, so that it takes linear time. */
const MORE_GROUPS = /(?:\D{1,4}\d{4}(?!\d)){3}/y

function isLongList(text: string, end: number): boolean {
  MORE_GROUPS.lastIndex = end
  return MORE_GROUPS.test(text)
}

function isCard(text: string, index: number, written: string): boolean {
  const digits = digitsOf(written)
  if (digits.length < MIN_DIGITS || !luhn(digits)) return false
  return (isIssued(digits) && GROUPED.test(written)) || isLabelled(text, index, LABELS)
}
