import type { Finding } from '../../shared/finding.ts'

/** Finds one kind of content. Pure, and linear in the length of the text, so that the author of a text cannot block the server. */
export interface Detector {
  readonly name: string
  /** Reads the text as written. Default: the plain text, and the text as written if the plain text could hide a finding (plain-text.ts). */
  readonly raw?: true
  /**
   * Maximum number of characters from the start of a finding to the last character that decides about it. A finding inside one word of
   * ASCII characters may be longer, because growing-scan.ts waits for the end of the word. Absent: unbounded.
   */
  readonly reach?: number
  /** Beginnings of findings that are longer than `reach`, with the reach of those findings. The expression is global. */
  readonly marks?: { readonly pattern: RegExp; readonly reach: number }
  /** The form of a value decides, not the words near it, so it is also searched in texts that are split or encoded. */
  readonly byForm?: true
  /** Adds findings in any order; findings of one type may overlap. Their number is not limited. */
  find(text: string, findings: Finding[]): void
  /** `overran`: the time budget of the scan was exceeded at the end of this detector. */
  reportFailure?(how: 'threw' | 'overran', error?: unknown): void
  reportTime?(ms: number): void
}

export const detector = (settings: Omit<Detector, 'find'>, find: Detector['find']): Detector => ({ ...settings, find })
