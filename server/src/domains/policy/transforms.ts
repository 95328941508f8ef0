import { splitsPair } from '../../platform/lib/surrogates.ts'
import { covers, FINDING_GROUPS, FINDING_TYPES, type Finding, type FindingGroup, type FindingType } from '../../shared/finding.ts'
import type { Vault } from './vault.ts'

/** An obligation that changes texts (GW-POL-10). */
export type Transform =
  | { readonly kind: SpanTransform; readonly target: FindingType | FindingGroup }
  /** `length`: of each text, in Unicode characters. */
  | { readonly kind: 'truncate'; readonly length: number }

/** In order of strictness: of several transforms of one span, the last one applies. */
const SPAN_TRANSFORMS = ['pseudonymize', 'mask', 'redact'] as const
type SpanTransform = (typeof SPAN_TRANSFORMS)[number]

export interface ScannedText {
  readonly text: string
  readonly findings: readonly Finding[]
}

export const TRANSFORM_FORMS = 'redact:<finding>, mask:<finding>, pseudonymize:<finding>, truncate:<characters>'

const TARGETS: ReadonlySet<string> = new Set([...FINDING_TYPES, ...FINDING_GROUPS])

/** All transforms of findings, to suggest one for a misspelt name. */
export const SPAN_TRANSFORM_NAMES = SPAN_TRANSFORMS.flatMap((kind) => [...TARGETS].map((target) => `${kind}:${target}`))

export function parseTransform(text: string): Transform | undefined {
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon)
  const target = text.slice(colon + 1)
  if (kind === 'truncate') return /^[1-9]\d{0,8}$/.test(target) ? { kind, length: Number(target) } : undefined
  if (!SPAN_TRANSFORMS.includes(kind as SpanTransform) || !TARGETS.has(target)) return undefined
  return { kind: kind as SpanTransform, target: target as FindingType | FindingGroup }
}

/** Whether a transform changes at least as much as another one. */
function replacesTransform(name: string, other: string): boolean {
  const [a, b] = [parseTransform(name), parseTransform(other)]
  if (!a || !b) return false
  if (a.kind === 'truncate') return b.kind === 'truncate' && a.length <= b.length
  if (b.kind === 'truncate') return false
  return covers(a.target, b.target as FindingType) && SPAN_TRANSFORMS.indexOf(a.kind) >= SPAN_TRANSFORMS.indexOf(b.kind)
}

/** Whether a text may pass with less changed than before. */
export const losesTransforms = (before: readonly string[], after: readonly string[]): boolean =>
  before.some((name) => !after.some((other) => replacesTransform(other, name)))

/** Truncation is for prose only: a truncated schema of a tool is invalid. */
export const isTruncation = (text: string): boolean => parseTransform(text)?.kind === 'truncate'

/** Throws for an unknown transform and a finding outside its text; the texts must then not be used. */
export function applyTransforms(
  texts: readonly ScannedText[],
  transforms: readonly string[],
  vault: Vault,
): { texts: readonly string[]; applied: readonly string[] } {
  if (transforms.length === 0) return { texts: texts.map(({ text }) => text), applied: [] }
  const demanded = transforms.map((name) => {
    const transform = parseTransform(name)
    if (!transform) throw new TypeError(`unknown transform: ${name}`)
    return { name, transform }
  })
  for (const { text } of texts) vault.reserve(text)
  const applied = new Set<string>()
  const byType = new Map(FINDING_TYPES.map((type) => [type, effectOn(type, demanded)]))
  const changed = texts.map((text) => transformText(text, { demanded, byType }, vault, applied))
  return { texts: changed, applied: transforms.filter((name, i) => applied.has(name) && transforms.indexOf(name) === i) }
}

interface Demanded {
  readonly demanded: readonly { readonly name: string; readonly transform: Transform }[]
  /** A text can hold half a million findings of a few types. */
  readonly byType: ReadonlyMap<FindingType, ReturnType<typeof effectOn>>
}

function effectOn(type: FindingType, transforms: Demanded['demanded']) {
  const matching = transforms.filter(({ transform }) => transform.kind !== 'truncate' && covers(transform.target, type))
  const kind = SPAN_TRANSFORMS.findLast((candidate) => matching.some(({ transform }) => transform.kind === candidate))
  return kind && { kind, names: new Set(matching.filter(({ transform }) => transform.kind === kind).map(({ name }) => name)) }
}

function transformText({ text, findings }: ScannedText, { demanded, byType }: Demanded, vault: Vault, applied: Set<string>) {
  const limits = demanded.flatMap(({ name, transform }) =>
    transform.kind === 'truncate' ? [{ name, length: transform.length }] : [],
  )
  const pieces: Piece[] = []
  let [result, position] = ['', 0]
  for (const span of toSpans(text, findings, byType)) {
    const before = text.slice(position, span.start)
    const original = text.slice(span.start, span.end)
    const replacement = toReplacement(original, span, vault)
    result += before + replacement
    if (limits.length > 0) pieces.push({ text: before, divisible: true }, { text: replacement, divisible: span.kind === 'mask' })
    position = span.end
    if (replacement !== original) for (const name of span.names) applied.add(name)
  }
  const rest = text.slice(position)
  pieces.push({ text: rest, divisible: true })
  return truncate(result + rest, pieces, limits, applied)
}

interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SpanTransform
  /** Type of the longest finding in the span. */
  readonly type: FindingType
  readonly names: ReadonlySet<string>
  /** The finding continues in the next text. */
  readonly continues: boolean
}

/** Overlapping findings become one span with the strictest of their transforms, so that no part of a finding remains. */
function toSpans(text: string, findings: readonly Finding[], byType: Demanded['byType']): readonly Span[] {
  const spans: Span[] = []
  const found: Span[] = []
  for (const finding of findings) {
    const span = toSpan(text, finding, byType.get(finding.type))
    if (span) found.push(span)
  }
  for (const span of found.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && span.start < last.end) spans[spans.length - 1] = mergeSpans(last, span)
    else spans.push(span)
  }
  return spans
}

function toSpan(text: string, { type, start, end, continues }: Finding, effect: ReturnType<typeof effectOn>): Span | undefined {
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end && end <= text.length)) {
    throw new RangeError(`a ${type} finding is outside its text`)
  }
  return (
    effect && {
      start: start - (splitsPair(text, start) ? 1 : 0),
      end: end + (splitsPair(text, end) ? 1 : 0),
      ...effect,
      type,
      continues: continues === true,
    }
  )
}

function mergeSpans(a: Span, b: Span): Span {
  const strictest = SPAN_TRANSFORMS.indexOf(a.kind) >= SPAN_TRANSFORMS.indexOf(b.kind) ? a : b
  return {
    start: a.start,
    end: Math.max(a.end, b.end),
    kind: strictest.kind,
    continues: a.continues || b.continues,
    type: a.end - a.start >= b.end - b.start ? a.type : b.type,
    names: a.kind === b.kind ? new Set([...a.names, ...b.names]) : strictest.names,
  }
}

function toReplacement(original: string, { kind, type, continues }: Span, vault: Vault): string {
  if (kind === 'redact') return redactionLabel(type)
  // The visible last four characters are in the next text.
  if (kind === 'mask') return continues ? '*'.repeat([...original].length) : maskText(original)
  return vault.placeholderFor(FINDING_LABELS[type], original)
}

/** A part of a transformed text. `divisible`: truncation may cut it; placeholders and labels are not divisible. */
interface Piece {
  readonly text: string
  readonly divisible: boolean
}

/** Cuts at the shortest demanded length, between characters, and before a label or placeholder. `pieces`: of the text. */
function truncate(
  text: string,
  pieces: readonly Piece[],
  limits: readonly { readonly name: string; readonly length: number }[],
  applied: Set<string>,
): string {
  if (limits.length === 0) return text
  const limit = Math.min(...limits.map(({ length }) => length))
  const end = indexOfCharacter(text, limit)
  if (end === text.length) return text
  for (const { name, length } of limits) if (indexOfCharacter(text, length) < text.length) applied.add(name)
  let start = 0
  for (const piece of pieces) {
    if (!piece.divisible && start < end && end < start + piece.text.length) return text.slice(0, start)
    start += piece.text.length
  }
  return text.slice(0, end)
}

function indexOfCharacter(text: string, count: number): number {
  if (count >= text.length) return text.length
  let index = 0
  for (let remaining = count; remaining > 0 && index < text.length; remaining--) index += splitsPair(text, index + 1) ? 2 : 1
  return index
}

export const FINDING_LABELS: Readonly<Record<FindingType, string>> = {
  'pii.email': 'EMAIL',
  'pii.phone': 'PHONE',
  'pii.card': 'CARD',
  'pii.iban': 'IBAN',
  'pii.national_id': 'NATIONAL_ID',
  'pii.ip': 'IP',
  'pii.person': 'PERSON',
  'secret.api_key': 'API_KEY',
  'secret.token': 'TOKEN',
  'secret.private_key': 'PRIVATE_KEY',
  'secret.connection_string': 'CONNECTION_STRING',
  'injection.override': 'INJECTION',
  'injection.exfiltration': 'INJECTION',
  'injection.role_play': 'INJECTION',
  'hidden.text': 'HIDDEN_TEXT',
}

const redactionLabel = (type: FindingType): string => `[${FINDING_LABELS[type]}]`

const VISIBLE = 4

/** Stars, except the last four letters or digits, if there are more. Separators would show the shape of the value. */
export function maskText(text: string): string {
  const characters = [...text]
  const alphanumeric = characters.flatMap((character, index) => (/[\p{L}\p{N}]/u.test(character) ? [index] : []))
  const visibleFrom = alphanumeric.length > VISIBLE ? (alphanumeric.at(-VISIBLE) ?? characters.length) : characters.length
  return characters.map((character, index) => (index < visibleFrom ? '*' : character)).join('')
}
