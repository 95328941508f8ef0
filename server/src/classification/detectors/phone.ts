import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Finding } from '../../domain/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet } from '../text/characters.ts'
import { bounded } from '../text/check-limit.ts'
import { digitsOf } from '../text/checksums.ts'
import { isLabelled, labels } from '../text/label.ts'
import { eachMatch } from '../text/matches.ts'

/** Six to twenty digits with up to two separators between them. The length is bounded, so each candidate takes constant time. */
const CANDIDATE =
  /(?<![\w$€£#%/+-]|\d[.,])(?:\+ ?)?\(?\d(?:[ ./()-]{0,2}\d){5,19}(?: ?(?:x|ext\.?|extension) ?\d{1,6})?(?![\w%]|[.,]\d)/gi

/** Maximum number of checks by libphonenumber for one text (12 µs each). */
const CHECKS = 400

/** +CC… or 00CC…: the country code determines the numbering plan. */
const INTERNATIONAL = /^(?:\+|00)/
/** North American numbers: 3-3-4 in all spellings with separators. Without separators it could be an order number. */
const NORTH_AMERICAN =
  /^(?:(?:\+?1|001)[ .-]?)?(?:\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}([.-])\d{3}\1\d{4}|[2-9]\d{2} [2-9]\d{2}[ -]\d{4})(?: ?[a-z.]+ ?\d{1,6})?$/i
const MIN_NORTH_AMERICAN = 12
/** A national number with trunk zero in groups, as in most of Europe: `030 1234567`, `06 12 34 56 78`, `0171/2345678`. */
const TRUNK_ZERO = /^(?:\(?0[1-9]\d{0,3}\)?(?:[ /-]\d{2,8}){1,5}|0[1-9](?:\.\d\d){4})$/
/** First characters of international and trunk-zero numbers. */
const BEGINNING = new CharacterSet('+0(')
/** E.164. */
const MAX_DIGITS = 15
/** Digits in pairs. Lists of bytes look the same, so only five pairs (a French number) count. */
const PAIRS = /^\d{2}(?:[ ./-]\d{2})+$/
const DATE = /^(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{2,4})(?![./-]?\d)/

const LABELS = labels(
  `phone, phones, telephone, tel, telefon, telefono, teléfono, téléphone, telefone, telefoon, fon, fono, mobile, mobil, mobiel,
  mobilnummer, cell, cellphone, cellular, handy, handynummer, rufnummer, telefonnummer, telefoonnummer, durchwahl, portable, celular,
  móvil, cellulare, fax, telefax, faxnummer, whatsapp, sms, viber, call, calling, called, dial, ring, text, reach, answering, hotline, helpline,
  landline, switchboard, pager, 电话, 手机, 電話`,
  `number numbers no nr num nummer número numero n is it at me us on the my your his her our their him them this under unter al au le
  el was are to via by or and please now back directly toll free direct work home office business ist lautet est es é der die meine
  mein customer support service desk team line`,
)
const AFTER = /[ -]{0,2}\(?(?:office|fax|mobile|cell|home|work|phone|mobil|büro|direct)\b/iy

function isLabelledEitherSide(text: string, start: number, end: number): boolean {
  AFTER.lastIndex = end
  return AFTER.test(text) || isLabelled(text, start, LABELS)
}

/** Whether a number needs no label because of its shape, which amounts and order numbers do not have. */
function hasShape(written: string, may: (check: () => boolean) => boolean): boolean {
  if (written.length >= MIN_NORTH_AMERICAN && NORTH_AMERICAN.test(written)) return true
  if (!BEGINNING.has(written.charCodeAt(0))) return false
  const digits = digitsOf(written)
  if (INTERNATIONAL.test(written)) {
    if (digits.length < 8) return false
    const number = written.startsWith('+') ? written : `+${written.slice(2)}`
    return may(() => parsePhoneNumberFromString(number)?.isPossible() ?? false)
  }
  if (!TRUNK_ZERO.test(written)) return false
  return PAIRS.test(written) ? digits.length === 10 : digits.length >= 9 && digits.length <= 12
}

/**
 * Telephone numbers: with country code (libphonenumber has the numbering plans), North American and trunk-zero numbers by their groups,
 * and any 6 to 15 digits beside a label such as "phone".
 */
export const phone: Detector = {
  name: 'phone',
  reach: 120,
  detect(text) {
    const findings: Finding[] = []
    const may = bounded(CHECKS)
    eachMatch(text, CANDIDATE, ({ 0: written, index }) => {
      if (DATE.test(written)) return
      const end = index + written.length
      const isNumber =
        hasShape(written, may) || (isLabelledEitherSide(text, index, end) && digitsOf(written).length <= MAX_DIGITS)
      if (isNumber) findings.push({ type: 'pii.phone', start: index, end })
    })
    return findings
  },
}
