import type { Pause } from '../platform/lib/time-slices.ts'

/** Decides by labels alone whether policies deny a document or memory, before anything is ranked or counted. */
export interface LabelJudge<Labels> {
  /** The labels on which the decision depends. */
  readonly reads: ReadonlySet<keyof Labels>
  readonly denies: (labels: Labels) => boolean
  readonly pause: Pause
}
