import type { Finding, FindingType } from '../../shared/finding.ts'

/** Finds one kind of content. Pure, and linear in the length of the text, so that the author of a text cannot block the server. */
export interface Detector {
  readonly name: string
  /** Reads the text as written. Default: the plain text, and the text as written if the plain text could hide a finding (plain-text.ts). */
  readonly raw?: true
  /**
   * Maximum number of characters from the start of a finding to the last character that decides about it. Longer findings have a mark, or
   * are inside one word of ASCII characters, for whose end growing-scan.ts waits. Absent: unbounded.
   */
  readonly reach?: number
  readonly marks?: readonly Mark[]
  /** Of all findings. Absent: they can have several types. */
  readonly type?: FindingType
  /**
   * Maximum number of characters from the place where a match can begin to the last character that its expressions read. Marks and ends of words do not
   * count. Absent: a match can be longer than the longest window that no setting asks for.
   */
  readonly longest?: number
  /** The form of a value decides, not the words near it, so it is also searched in texts that are split or encoded. */
  readonly byForm?: true
  /** Adds findings in any order; findings of one type may overlap. Their number is not limited. */
  find(text: string, findings: Finding[]): void
  /** `overran`: the time budget of the scan was exceeded at the end of this detector. */
  reportFailure?(how: 'threw' | 'overran', error?: unknown): void
  reportTime?(ms: number): void
}

/**
 * Beginnings of findings that are longer than the reach of their detector, with the reach of those findings. The expression is global. If it
 * ends with `$`, it matches only while the text may continue the finding.
 */
export interface Mark {
  readonly pattern: RegExp
  readonly reach: number
}

export const detector = (settings: Omit<Detector, 'find'>, find: Detector['find']): Detector => ({ ...settings, find })
