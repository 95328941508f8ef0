import { type PlainText, readings } from '../../platform/lib/plain-text.ts'
import { endsInPair } from '../../platform/lib/surrogates.ts'
import { firstDataUrl } from '../../shared/content-reading.ts'
import {
  countFindings,
  covers,
  FINDING_GROUPS,
  type Finding,
  type FindingCounts,
  type FindingName,
  type FindingType,
  NOTHING_FOUND,
} from '../../shared/finding.ts'
import { firstEscape } from '../../shared/json-text.ts'
import { MIN_RELEASE_WINDOW } from '../../shared/principal.ts'
import type { Detector, Mark } from './detector.ts'
import { openCode } from './encoded-readings.ts'
import { resolveOverlaps, type ScanOptions, scan } from './scan.ts'

export interface GrowingScan {
  /** The text before this index has no finding that counts, and none will begin there. */
  readonly clearEnd: number
  /** Such a finding begins at `clearEnd`, or encoded text that may hold one, so the text after it does not become clear. */
  readonly isBlocked: boolean
  /** Of findings that stay as they are, whatever follows. */
  readonly counts: FindingCounts
  readonly failed: boolean
}

/** The detectors are bounded. */
interface Options extends ScanOptions {
  /** Characters at the end of the text that do not become clear: `windowOf`, or more. */
  readonly window: number
  /** The findings that count; others leave with the text. */
  readonly reads: readonly FindingName[]
  /** Whether escapes in a JSON document and the contents of data: URLs are read or changed when the text is complete. */
  readonly readsEncoded: boolean
}

/** Whether findings depend on a limited length of text. */
export const isBounded = ({ reach, raw }: Detector): boolean => reach !== undefined && raw === undefined

/** Characters that following combining marks can still change. */
const CHANGING = 16

type Reading = Pick<Options, 'detectors' | 'reads'>

const isRead = (type: FindingType, { reads }: Pick<Options, 'reads'>): boolean => reads.some((name) => covers(name, type))

/** The detectors of findings that count. */
const readingDetectors = ({ detectors, reads }: Reading): readonly Detector[] =>
  detectors.filter(({ type }) => type === undefined || isRead(type, { reads }))

/**
 * The characters at the end of a text that are needed to know the findings before them that count. `MIN_RELEASE_WINDOW` for a detector without a
 * limit, because marks do not cover each finding that is longer than a reach (decision 0025).
 */
export const windowOf = (reading: Reading): number =>
  Math.max(
    0,
    ...readingDetectors(reading).map(({ longest }) => (longest === undefined ? MIN_RELEASE_WINDOW : longest + CHANGING)),
  )

/** The characters after a finding that decide whether it stays: one of another type can take its place. */
export const settlingWindowOf = (detectors: readonly Detector[]): number => windowOf({ detectors, reads: FINDING_GROUPS })

/**
 * Words that some detectors look for anywhere in a text before they search it (`assignment.ts`, `credential-lines.ts`, `encoded-readings.ts`). They may
 * follow later, so a text that grows is scanned as if they did.
 */
const HINTS = '\n\n\nthe password 3rd\nuser a -u b\n550e8400-e29b-41d4-a716-446655440000'

/** Scans the beginning of a text. Findings of detectors with a limited reach are the same in the whole text, except near the end. */
export function scanGrowing(text: string, options: Options): GrowingScan {
  const { detectors, budgetMs, window, readsEncoded } = options
  // Detectors read the complete JSON document with its escapes decoded (shared/json-text.ts), so only the text before them is known.
  const end = readsEncoded ? firstEscape(text) : text.length
  if (end < text.length) return { ...scanGrowing(text.slice(0, end), options), isBlocked: true }
  const forms = formsOf(text)
  const all = findAll(text, forms, { detectors, budgetMs })
  // Without the words there may be fewer findings, and only those deny early.
  const certain = all.findings.length === 0 ? undefined : scan([text], { detectors, budgetMs })
  const reading = readingDetectors(options)
  // A finding that does not count can hide one that does, until more text shows that it is none.
  const own = all.findings.every(({ type }) => isRead(type, options))
    ? all
    : findAll(text, forms, { detectors: reading, budgetMs })
  const settledEnd = settledEndOf(forms, reading, window)
  const counting = [...all.findings.filter(({ type }) => isRead(type, options)), ...own.findings]
  // One that begins in another finding, which is not complete, would cover both.
  const open = all.findings.filter(({ end }) => end > settledEnd)
  // The contents of data: URLs are read when the text is complete (shared/content-reading.ts).
  const encoded = readsEncoded ? firstDataUrl(text) : settledEnd
  const blockedAt = firstOf([...counting, { start: encoded }], settledEnd)
  const clearEnd = firstOf(open, blockedAt)
  return {
    clearEnd: clearEnd - (endsInPair(text, clearEnd) ? 1 : 0),
    isBlocked: blockedAt < settledEnd,
    counts: certain ? countSettled(certain.findings[0] ?? [], forms, options) : NOTHING_FOUND,
    failed: all.failed || own.failed || (certain?.failures.length ?? 0) > 0,
  }
}

/** Counts the findings that stay. */
function countSettled(findings: readonly Finding[], forms: readonly PlainText[], { detectors, window }: Options): FindingCounts {
  if (findings.length === 0) return NOTHING_FOUND
  const settledEnd = settledEndOf(forms, detectors, Math.max(window, settlingWindowOf(detectors)))
  return countFindings([findings.filter(({ end }) => end <= settledEnd)])
}

/** All findings that begin in the text, in each of its forms, as if the hints followed. */
function findAll(text: string, forms: readonly PlainText[], { detectors, budgetMs }: ScanOptions) {
  const hinted = `${text}${HINTS}`
  const { findings, failures } = scan([hinted], { detectors, budgetMs })
  const found = findings[0]?.filter(({ start }) => start < text.length) ?? []
  // A letter that follows later can make the text be read as written too (platform/lib/plain-text.ts).
  return {
    findings: forms.length === 1 ? found : resolveOverlaps([...found, ...findWritten(hinted, detectors)]),
    failed: failures.length > 0,
  }
}

/** The readings of the text, and the text as written if it differs from the first of them. */
function formsOf(text: string): readonly PlainText[] {
  const { plain, others } = readings(text)
  const written: PlainText = { text, original: (start, end) => ({ start, end }) }
  return plain.text === text ? [plain] : [plain, ...others, written]
}

const firstOf = (places: readonly Pick<Finding, 'start'>[], end: number): number =>
  places.reduce((first, { start }) => Math.min(first, start), end)

function findWritten(text: string, detectors: readonly Detector[]): readonly Finding[] {
  const findings: Finding[] = []
  try {
    for (const detector of detectors) detector.find(text, findings)
    return findings
  } catch {
    return [{ type: 'secret.private_key', start: 0, end: text.length }]
  }
}

/** The index of the original up to which the findings of the detectors are known. */
const settledEndOf = (forms: readonly PlainText[], detectors: readonly Detector[], window: number): number =>
  Math.min(...forms.map((form) => settledEndOfForm(form, detectors, window)))

function settledEndOfForm({ text, original }: PlainText, detectors: readonly Detector[], window: number): number {
  let end = text.length - window
  if (end <= 0) return 0
  // Keys, tokens and encoded texts can be long, but they have no spaces.
  if (detectors.length > 0) while (end > 0 && isWordUnit(text.charCodeAt(end - 1))) end--
  for (const { marks = [] } of detectors) for (const mark of marks) end = Math.min(end, firstMark(text, mark))
  if (detectors.some(({ byForm }) => byForm)) end = Math.min(end, openCode(text, Math.max(window, MIN_RELEASE_WINDOW)))
  return end === 0 ? 0 : original(end, end + 1).start
}

const isWordUnit = (unit: number): boolean => unit > 0x20 && unit < 0x7f

/** The first mark whose finding can reach beyond the end of the text. */
function firstMark(text: string, { pattern, reach }: Mark): number {
  pattern.lastIndex = Math.max(0, text.length - reach)
  return pattern.exec(text)?.index ?? text.length
}
