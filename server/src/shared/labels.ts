import type { Pause } from '../platform/lib/time-slices.ts'
import type { Classification } from './classification.ts'
import type { MemoryKind, MemoryScope } from './memory-words.ts'

/** The labels of a document that rules at `retrieve` can read (`hit.classification` …). */
export interface HitLabels {
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly title: string
  /** Name of the collection. */
  readonly collection: string
  /** `doc_…` */
  readonly document: string
  readonly updatedAt: Date
}

/** The labels of a memory that rules can read (`memory.scope` …). */
export interface MemoryLabels {
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly scope: MemoryScope
  readonly scopeId: string
  readonly kind: MemoryKind
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

/** Decides by labels alone whether policies deny a document or memory, before anything is ranked or counted. */
export interface LabelJudge<Labels> {
  /** The labels on which the decision depends. */
  readonly reads: ReadonlySet<keyof Labels>
  readonly denies: (labels: Labels) => boolean
  readonly pause: Pause
}
