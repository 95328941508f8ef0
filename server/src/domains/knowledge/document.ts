import { FINDING_TYPES, type FindingCounts, type FindingType, groupOf } from '../../shared/finding.ts'

/** The state of the newest upload of a document. `parsed`: its text is read, and is scanned and indexed next. */
export const DOCUMENT_STATES = ['queued', 'parsed', 'indexed', 'failed'] as const
export type DocumentState = (typeof DOCUMENT_STATES)[number]

/** Why the newest upload of a document failed. The message tells the uploader what to do. */
export interface Failure {
  readonly code: string
  readonly message: string
  /** In the form of `Date.toISOString`. */
  readonly at: string
}

/** Number of findings in the title and chunks that may be addressed to a model, by type. Never empty. */
export type Flags = Partial<Readonly<Record<FindingType, number>>>

/** Keeps the findings that may be addressed to a model: instructions and hidden text. */
export function flagsOf(counts: FindingCounts): Flags | null {
  const types = FINDING_TYPES.filter((type) => ['injection', 'hidden'].includes(groupOf(type)) && counts[type] > 0)
  return types.length === 0 ? null : Object.fromEntries(types.map((type) => [type, counts[type]]))
}

/** An entry of the unique index holds at most this many bytes. */
const MAX_BYTES = 2_000

/** The problem with a document key; undefined if it is valid. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (/[\p{Cc}\p{Cs}]/u.test(key)) return 'must not contain control characters or unpaired surrogates'
  return Buffer.byteLength(key) > MAX_BYTES ? `must have at most ${MAX_BYTES} bytes` : undefined
}
