import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { digitsOf } from '../text/checksums.ts'
import { isLabelled } from '../text/label.ts'
import { bounded, eachMatch } from '../text/matches.ts'
import { LABELS, WEAK_LABELS } from './national-id-labels.ts'
import { isGermanTaxNumber, SCHEMES } from './national-id-schemes.ts'

/** One expression for all schemes, a group each. */
const SHAPES = new RegExp(
  String.raw`(?<![\w.+-]|\d )(?:${SCHEMES.map(({ shape }) => `(${shape})`).join('|')})(?![\w-]|\.\d)`,
  'g',
)
/** Maximum number of checks for one text (1 µs each). */
const CHECKS = 2_000

/**
 * Part of every number of a scheme: nine close digits (one can be a letter in Corsica and Finland), fewer digits next to letters (Spain,
 * Singapore, India, Britain, Mexico, Italy), or the end of a Chilean number. Texts without it skip the slow search for all schemes.
 */
export const SHAPED =
  /\d(?<!\d\d)(?:(?:[AB]?[ .+-]?\d){8}|\d{6,7}-?[A-Z]|(?<=[A-Z]\d)\d{3}[A-Z]|\d ?\d\d ?\d\d ?[A-D]|\d{5}[HMX]|\d[A-Z]\d\d[A-Z]|\d\d-[\dKk](?<=\.\d{3}-.))/

/**
 * Any number in a form: up to six letters, then groups that contain digits. The search starts at the first digit, because prose has few
 * digits, and requires four more digits nearby. The only group of the expression is the text before the first digit.
 */
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
  eachMatch(text, SHAPES, (match) => {
    const { 0: written, index } = match
    const scheme = SCHEMES.find((_, i) => match[i + 1] !== undefined)
    if (!scheme || !may(() => scheme.check(written))) return
    findings.push({ type: 'pii.national_id', start: index, end: index + written.length })
  })
}

/**
 * Numbers of persons: social security, tax, identity card, passport, driving licence. Numbers of about twenty countries by shape and check
 * digits, and any number after a label that names such a number.
 */
export const nationalId: Detector = {
  name: 'national-id',
  reach: 200,
  detect(text) {
    const findings: Finding[] = []
    if (SHAPED.test(text)) addRecognised(findings, text)
    addLabelled(findings, text)
    return findings
  },
}
