import { covers, FINDING_GROUPS, FINDING_TYPES, type Finding, type FindingGroup, type FindingType } from '../domain/finding.ts'
import { FINDING_LABELS, maskText, redactionLabel } from './redaction.ts'
import type { Vault } from './vault.ts'

/** One obligation to change texts before they go on (GW-POL-10). */
export type Transform =
  | { readonly kind: SpanTransform; readonly target: FindingType | FindingGroup }
  /** `length` in Unicode characters, of each text. */
  | { readonly kind: 'truncate'; readonly length: number }

/** Gentlest first: where several meet on one span, the last of them wins. */
const SPAN_TRANSFORMS = ['pseudonymize', 'mask', 'redact'] as const
type SpanTransform = (typeof SPAN_TRANSFORMS)[number]

/** A text with what the detectors found in exactly this text. */
export interface FoundText {
  readonly text: string
  readonly findings: readonly Finding[]
}

/** As people are told when they write another. */
export const TRANSFORM_FORMS = 'redact:<finding>, mask:<finding>, pseudonymize:<finding>, truncate:<characters>'

const TARGETS: ReadonlySet<string> = new Set([...FINDING_TYPES, ...FINDING_GROUPS])

/** Undefined when `text` is no transform. */
export function parseTransform(text: string): Transform | undefined {
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon)
  const target = text.slice(colon + 1)
  if (kind === 'truncate') return /^[1-9]\d{0,8}$/.test(target) ? { kind, length: Number(target) } : undefined
  if (!SPAN_TRANSFORMS.includes(kind as SpanTransform) || !TARGETS.has(target)) return undefined
  return { kind: kind as SpanTransform, target: target as FindingType | FindingGroup }
}

/** Shortening suits prose only: a tool's schema cut short would be none. */
export const isTruncation = (text: string): boolean => parseTransform(text)?.kind === 'truncate'

/**
 * Carries out all transforms on all texts. `applied` lists those that changed a text, in the order given. Throws when one cannot
 * be carried out (unknown, or findings that do not fit their text): nothing may then go on.
 */
export function applyTransforms(
  texts: readonly FoundText[],
  transforms: readonly string[],
  vault: Vault,
): { texts: readonly string[]; applied: readonly string[] } {
  if (transforms.length === 0) return { texts: texts.map(({ text }) => text), applied: [] }
  const wanted = transforms.map((name) => {
    const transform = parseTransform(name)
    if (!transform) throw new TypeError(`unknown transform: ${name}`)
    return { name, transform }
  })
  for (const { text } of texts) vault.reserve(text)
  const applied = new Set<string>()
  const changed = texts.map((text) => changeOne(text, wanted, vault, applied))
  return { texts: changed, applied: transforms.filter((name, i) => applied.has(name) && transforms.indexOf(name) === i) }
}

interface Wanted {
  readonly name: string
  readonly transform: Transform
}

function changeOne({ text, findings }: FoundText, wanted: readonly Wanted[], vault: Vault, applied: Set<string>): string {
  const pieces: Piece[] = []
  let at = 0
  for (const span of spansOf(text, findings, wanted)) {
    const replacement = replaced(text.slice(span.start, span.end), span, vault)
    pieces.push({ text: text.slice(at, span.start), whole: false }, { text: replacement, whole: span.kind !== 'mask' })
    at = span.end
    if (replacement !== text.slice(span.start, span.end)) for (const name of span.names) applied.add(name)
  }
  pieces.push({ text: text.slice(at), whole: false })
  return truncated(pieces, wanted, applied)
}

/** A stretch of a text that is replaced as one. */
interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SpanTransform
  /** What stands here: the longest of the findings that meet. */
  readonly type: FindingType
  readonly names: ReadonlySet<string>
  /** The rest stands in the next text. */
  readonly continues: boolean
}

/** Findings that overlap become one span, under the sternest of their transforms: no end of one may stick out of another. */
function spansOf(text: string, findings: readonly Finding[], wanted: readonly Wanted[]): readonly Span[] {
  const spans: Span[] = []
  for (const span of findings.flatMap((finding) => spanOf(text, finding, wanted) ?? []).toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && span.start < last.end) spans[spans.length - 1] = merged(last, span)
    else spans.push(span)
  }
  return spans
}

function spanOf(text: string, { type, start, end, continues }: Finding, wanted: readonly Wanted[]): Span | undefined {
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end && end <= text.length)) {
    throw new RangeError(`a ${type} finding does not fit its text`)
  }
  const own = wanted.filter(({ transform }) => transform.kind !== 'truncate' && covers(transform.target, type))
  const kind = SPAN_TRANSFORMS.findLast((candidate) => own.some(({ transform }) => transform.kind === candidate))
  if (!kind) return undefined
  const names = new Set(own.filter(({ transform }) => transform.kind === kind).map(({ name }) => name))
  return {
    start: start - (splitsPair(text, start) ? 1 : 0),
    end: end + (splitsPair(text, end) ? 1 : 0),
    kind,
    type,
    names,
    continues: continues === true,
  }
}

function merged(a: Span, b: Span): Span {
  const sternest = SPAN_TRANSFORMS.indexOf(a.kind) >= SPAN_TRANSFORMS.indexOf(b.kind) ? a : b
  return {
    start: a.start,
    end: Math.max(a.end, b.end),
    kind: sternest.kind,
    continues: a.continues || b.continues,
    type: a.end - a.start >= b.end - b.start ? a.type : b.type,
    names: a.kind === b.kind ? new Set([...a.names, ...b.names]) : sternest.names,
  }
}

/** Whether a cut at `index` would go through a pair of surrogates. */
const splitsPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800

function replaced(original: string, { kind, type, continues }: Span, vault: Vault): string {
  if (kind === 'redact') return redactionLabel(type)
  // The last four of the whole stand in the next text.
  if (kind === 'mask') return continues ? '*'.repeat([...original].length) : maskText(original)
  return vault.placeholderFor(FINDING_LABELS[type], original)
}

/** Part of a changed text; `whole`: means nothing when cut. */
interface Piece {
  readonly text: string
  readonly whole: boolean
}

/** Cuts at the shortest length wanted, between characters, and before a label or placeholder rather than through it. */
function truncated(pieces: readonly Piece[], wanted: readonly Wanted[], applied: Set<string>): string {
  const text = pieces.map((piece) => piece.text).join('')
  const limits = wanted.flatMap(({ name, transform }) =>
    transform.kind === 'truncate' ? [{ name, length: transform.length }] : [],
  )
  const limit = Math.min(...limits.map(({ length }) => length))
  const end = indexOfCharacter(text, limit)
  if (end === text.length) return text
  for (const { name, length } of limits) if (indexOfCharacter(text, length) < text.length) applied.add(name)
  let start = 0
  for (const piece of pieces) {
    if (piece.whole && start < end && end < start + piece.text.length) return text.slice(0, start)
    start += piece.text.length
  }
  return text.slice(0, end)
}

/** Where the first `count` characters end, in UTF-16 units. */
function indexOfCharacter(text: string, count: number): number {
  if (count >= text.length) return text.length
  let index = 0
  for (let left = count; left > 0 && index < text.length; left--) index += splitsPair(text, index + 1) ? 2 : 1
  return index
}
