import { FINDING_TYPES, type FindingCounts, type FindingType, groupOf } from '../../shared/finding.ts'
import type { Language } from '../retrieval/language.ts'
import type { DocumentLabels } from './labels.ts'

/** Number of findings in the title and chunks that may be addressed to a model, by type. Never empty. */
export type Flags = Partial<Readonly<Record<FindingType, number>>>

/** A document without its text. Ids are TypeIDs (`doc_…`). */
export interface KnowledgeDocument extends DocumentLabels {
  readonly id: string
  readonly workspaceId: string
  readonly collectionId: string
  /** Path or URL, unique within its collection. */
  readonly key: string
  readonly title: string
  /** Starts at 1 and increases with each change of the content. */
  readonly version: number
  /** SHA-256 of the ingested bytes, in hexadecimal. */
  readonly contentHash: string
  readonly mediaType: string
  readonly bytes: number
  /** The source that is shown with its passages. */
  readonly source: string
  /** Findings that no operator has checked; null: none. */
  readonly flags: Flags | null
  readonly chunks: number
  /** The language that it is indexed in. */
  readonly language: Language
  readonly createdAt: Date
  /** When the current version was ingested. */
  readonly updatedAt: Date
}

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
