import type { Finding } from '../domain/finding.ts'

/**
 * Looks for one kind of thing in one text. Pure and synchronous, and its time grows with the length of the text and nothing
 * else: whoever writes the text must not be able to choose how long we look at it.
 */
export interface Detector {
  /** Named in the audit record when the detector fails. */
  readonly name: string
  /**
   * Reads the text as written. Without it, a detector reads the plain text (`lib/plain-text.ts`): invisible characters gone,
   * typographic forms as their ASCII ones; and where that hides something, the text as written as well.
   */
  readonly raw?: true
  /** Spans in any order; spans of one type may overlap. Bounded in number only by the length of the text. */
  detect(text: string): Finding[]
  /** The detector that this one watches over. */
  readonly watches?: Detector
  /** Told when it threw, or when the time of the whole scan was over as it ended. */
  failed?(how: 'threw' | 'overran', error?: unknown): void
}
