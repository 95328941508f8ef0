import { FINDING_TYPES, type FindingCounts, type FindingType, groupOf } from '../domain/finding.ts'
import type { Language } from '../retrieval/language.ts'
import type { DocumentLabels } from './labels.ts'

/** How often each type of what may be meant for a model was found in its title and its chunks. Never empty. */
export type Flags = Partial<Readonly<Record<FindingType, number>>>

/** A document without its text. Ids are TypeIDs (`doc_…`). */
export interface KnowledgeDocument extends DocumentLabels {
  readonly id: string
  readonly workspaceId: string
  readonly collectionId: string
  /** Path or URL, unique within its collection. */
  readonly key: string
  readonly title: string
  /** Counts up from 1 with each change of its content. */
  readonly version: number
  /** SHA-256 of the bytes that came in, in hexadecimal. */
  readonly contentHash: string
  readonly mediaType: string
  readonly bytes: number
  /** Where it came from, as it is shown with its passages. */
  readonly source: string
  /** What nobody has looked at yet; null: nothing. */
  readonly flags: Flags | null
  readonly chunks: number
  /** In which it is indexed. */
  readonly language: Language
  readonly createdAt: Date
  /** When its present version came in. */
  readonly updatedAt: Date
}

/** Of all that was found, what may be meant for a model: instructions, and text that people do not see. */
export function flagsOf(counts: FindingCounts): Flags | null {
  const found = FINDING_TYPES.filter((type) => ['injection', 'hidden'].includes(groupOf(type)) && counts[type] > 0)
  return found.length === 0 ? null : Object.fromEntries(found.map((type) => [type, counts[type]]))
}
