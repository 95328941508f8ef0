import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Finding } from '../../../shared/finding.ts'
import { detector } from '../detector.ts'
import { digitsOf } from '../text/checksums.ts'
import { isLabelled, labels } from '../text/label.ts'
import { bounded, CharacterSet, eachMatch } from '../text/search.ts'

const FILLERS = `number numbers no nr num nummer número numero n is it at us on the my your his her our their this under unter al au le
  el was are to via by or and please now back directly toll free direct work home office business ist lautet est es é der die meine
  mein customer support service desk team line numéro номер numer číslo numara numarası szám 番号 号码 號碼 号 號 是 为 為 は が です の 的 联系 聯絡
  連絡 번호 는 은 이 가 नंबर`
const LABELS = labels(
  `phone, phones, telephone, tel, telefon, telefono, teléfono, téléphone, telefone, telefoon, telefonnr, telnr, fon, fono, mobile, mobil,
  mobiel, mobilnummer, mobilnr, mobiltelefon, cell, cellphone, cellular, handy, handynummer, handynr, rufnummer, telefonnummer,
  telefoonnummer, durchwahl, festnetz, portable, gsm, celular, móvil, cellulare, telemóvel, fax, telefax, faxnummer, whatsapp, sms, viber,
  hotline, helpline, landline, switchboard, pager, tlf, mob, komórka, telefonszám, puhelin, puh, matkapuhelin, τηλέφωνο, τηλ, κινητό,
  телефон, телефона, тел, моб, мобильный, мобільний, факс, điện thoại, sđt, telepon, telefonu, cep, โทร, โทรศัพท์, फ़ोन, फोन, मोबाइल, هاتف,
  الهاتف, جوال, الجوال, טלפון, נייד, 电话, 手机, 電話, 手機, 携帯, 携帯電話, 座机, 传真, 傳真, 热线, 熱線, ファックス, ファクス, スマホ, 연락처, 전화, 휴대폰, 핸드폰, 휴대전화, 팩스`,
  FILLERS,
)
/** Verbs that ask for a call. The same words are nouns: `function call 4815162`, `the text 1234567`. */
const VERBS = labels('call, calling, called, dial, ring, text, reach, answering', `${FILLERS} me him her them`)
/** A request: the verb starts a sentence, or follows a word that introduces one, or is followed by a name. */
const REQUEST =
  /(?:(?:^|[.!?:;,("'\n-]\s*|\b(?:please|to|by|or|can|could|should|must|may|just|and|then|you|we|i|they|he|she|pls|always|never|now|also|so|kindly|simply)\s+)(?:call|calling|called|dial|ring|text|reach|answering)|\b(?:call|calling|called|dial|ring|text|reach|answering)\s+(?:me|us|him|her|them|back|at|our|my|his|their|your|toll)\b)[^.!?\d\n]{0,30}$/i
const REQUEST_REACH = 60
/** After a verb's number, these words show that the verb was a noun. */
const REPORTED =
  /,? (?:was|is|were|are|has|had|failed|fails|returned|returns|took|takes|ended|ends|timed|not|does|did|could|cannot|exceeded|succeeded|completed|crashed|times?|and failed|with (?:status|code|error|exit))\b/iy

/** Up to two separators between digits, or one with spaces around it (`030 / 123456`). Bounded, so a candidate takes constant time. */
const CANDIDATE =
  /(?<![\w$€£#%/+-]|\d[.,])(?:\+ ?)?\(?\d(?:(?:[ ./()-]{0,2}|\)? [/-] \(?)\d){5,19}(?: ?(?:x|ext\.?|extension) ?\d{1,6})?(?![\w%]|[.,]\d)/gi
/** A separator with spaces. It follows an area code, or separates two numbers. */
const WIDE = /\)? [/-] \(?(?=\d)/g
const AREA = /^(?:(?:\+ ?|00)\d{1,3}[ .-]?)?(?:\(0\) ?)?\(?\d(?: ?\d){0,4}$/

const CHECKS = 400

/** +CC… or 00CC…: the country code determines the numbering plan. */
const INTERNATIONAL = /^(?:\+|00)/
/** North American numbers: 3-3-4 in all spellings with separators. Without separators it could be an order number. */
const NORTH_AMERICAN =
  /^(?:(?:\+?1|001)[ .-]?)?(?:\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}([.-])\d{3}\1\d{4}|[2-9]\d{2} [2-9]\d{2}[ -]\d{4})(?: ?[a-z.]+ ?\d{1,6})?$/i
const MIN_NORTH_AMERICAN = 12
/** A national number with trunk zero in groups, as in most of Europe: `030 1234567`, `06 12 34 56 78`, `0171/2345678`. */
const TRUNK_ZERO = /^(?:\(?0[1-9]\d{0,3}\)?(?: ?\/ ?| - |[ -])\d{2,8}(?:[ /-]\d{2,8}){0,4}|0[1-9](?:\.\d\d){4})$/
/** Groups of thousands, as in amounts: `+49 500 000`. */
const THOUSANDS = /^\+ ?\d{1,3}(?:[ .]\d{3}){2,}$/
/** A round amount, or one that is too short for most telephone numbers. */
const ROUND = /^\+ ?\d{1,2}(?:[ .]\d{3}){2}$|[ .]000$/
const CURRENCY = `(?:[€$£¥₹₽₩₴₺%]|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB|SEK|NOK|DKK|ISK|CZK|PLN|HUF|RON|BGN|RUB|UAH|TRY|ILS|AED|SAR|INR|KRW|TWD|HKD|SGD|AUD|CAD|NZD|BRL|MXN|ARS|CLP|COP|ZAR|TEUR|TUSD|Kč|zł|kr|Ft|lei|Euro?s?|dollars?|pounds?|francs?|Franken|rubles?|units?|people|users?|customers?|shares?|tons?|tonnes?|Stück|Mio|Mrd|million|billion|thousand|руб|тыс|млн|元|円|원|万|萬)(?![a-z]))`
const AMOUNT_AFTER = new RegExp(`[ \\u00a0]?${CURRENCY}`, 'iy')
const AMOUNT_BEFORE = new RegExp(`(?:^|[^a-z])${CURRENCY} ?$`, 'i')
/** The last group of three columns is a year: `310 420 2025`. */
const COLUMNS = /^\d{3} \d{3} (?:19|20)\d\d$/
const BEGINNING = new CharacterSet('+0(')
const MIN_DIGITS = 6
const MAX_DIGITS = 15 // E.164
/** Digits in pairs. Lists of bytes look the same, so only five pairs (a French number) count. */
const PAIRS = /^\d{2}(?:[ ./-]\d{2})+$/
const DATE = /^(?:\d{4}( ?[./-] ?)\d{1,2}\1\d{1,2}|\d{1,2}( ?[./-] ?)\d{1,2}\2\d{2,4})(?![./-]?\d)/

const AFTER = /[ -]{0,2}\(?(?:office|fax|mobile|cell|home|work|phone|mobil|büro|direct)\b/iy

function isLabelledEitherSide(text: string, start: number, end: number): boolean {
  AFTER.lastIndex = end
  return AFTER.test(text) || isLabelled(text, start, LABELS) || isAskedFor(text, start, end)
}

function isAskedFor(text: string, start: number, end: number): boolean {
  if (!isLabelled(text, start, VERBS)) return false
  REPORTED.lastIndex = end
  return !REPORTED.test(text) && REQUEST.test(text.slice(Math.max(0, start - REQUEST_REACH), start))
}

function isAmount(text: string, start: number, written: string): boolean {
  if (!THOUSANDS.test(written)) return false
  AMOUNT_AFTER.lastIndex = start + written.length
  return ROUND.test(written) || AMOUNT_AFTER.test(text) || AMOUNT_BEFORE.test(text.slice(Math.max(0, start - 12), start))
}

/** Whether a number needs no label because of its shape, which amounts and order numbers do not have. */
function hasShape(written: string, may: (check: () => boolean) => boolean): boolean {
  if (written.length >= MIN_NORTH_AMERICAN && NORTH_AMERICAN.test(written)) return !COLUMNS.test(written)
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

type Check = Parameters<typeof hasShape>[1]

function isNumber(text: string, start: number, written: string, may: Check): boolean {
  if (DATE.test(written)) return false
  const isLabelledNumber = () =>
    isLabelledEitherSide(text, start, start + written.length) &&
    (written.length <= MAX_DIGITS || digitsOf(written).length <= MAX_DIGITS)
  return (hasShape(written, may) && !isAmount(text, start, written)) || isLabelledNumber()
}

/** Adds the numbers of a candidate with wide separators: each part alone, or after its area code. Returns where the last part begins. */
function addParts(findings: Finding[], text: string, index: number, written: string, may: Check): number {
  const parts: { readonly from: number; readonly to: number }[] = []
  let from = 0
  for (const { 0: separator, index: at } of written.matchAll(WIDE)) {
    parts.push({ from, to: at + (separator.startsWith(')') ? 1 : 0) })
    from = at + separator.length - (separator.endsWith('(') ? 1 : 0)
  }
  parts.push({ from, to: written.length })
  const isOne = parts.every(({ from: at }, part) => part === 0 || !'+0'.includes(written.charAt(at)))
  if (isOne && isNumber(text, index, written, may)) {
    findings.push({ type: 'pii.phone', start: index, end: index + written.length })
    return index + written.length
  }
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? { from: 0, to: 0 }
    const next = parts[at + 1]
    const isArea =
      next !== undefined &&
      AREA.test(written.slice(part.from, part.to).replace(/[)]$/, '')) &&
      !'+0'.includes(written.charAt(next.from))
    const end = isArea ? next.to : part.to
    const number = written.slice(part.from, end)
    const isFound = digitsOf(number).length >= MIN_DIGITS && isNumber(text, index + part.from, number, may)
    if (isFound) findings.push({ type: 'pii.phone', start: index + part.from, end: index + end })
    if (isFound && isArea) at++
    else if (!isFound && at === parts.length - 1) return index + part.from
  }
  return index + written.length
}

/** A long candidate, whose last digits or following words are not known. */
const MARK = /[+(\d][\d ./()-]{24,118}(?: ?[ex][a-z.]{0,9} ?\d{0,6})?[\s\S]{0,24}$/gi

const PHONE = { name: 'phone', type: 'pii.phone', reach: 80, longest: 150, marks: [{ pattern: MARK, reach: 150 }] } as const

/** With country code (libphonenumber has the numbering plans), by North American or trunk-zero groups, or next to a label. */
export const phone = detector(PHONE, (text, findings) => {
  const may = bounded(CHECKS)
  eachMatch(text, CANDIDATE, ({ 0: written, index }) => {
    if (written.includes(' - ') || written.includes(' / ')) {
      // The last part can continue after the longest candidate.
      const rest = addParts(findings, text, index, written, may)
      if (rest > index) CANDIDATE.lastIndex = rest
    } else if (isNumber(text, index, written, may)) {
      findings.push({ type: 'pii.phone', start: index, end: index + written.length })
    }
  })
})
