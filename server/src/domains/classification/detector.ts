import type { Finding } from '../../shared/finding.ts'

/**
 * Finds one kind of content in a text. Pure and synchronous. Its time must be linear in the length of the text, so that the author of
 * a text cannot block the server.
 */
export interface Detector {
  /** Audit records contain it if the detector fails. */
  readonly name: string
  /**
   * The detector reads the text as written. Default: it reads the plain text (`platform/lib/plain-text.ts`, without invisible characters), and
   * additionally the text as written if the plain text could hide a finding.
   */
  readonly raw?: true
  /**
   * Maximum number of characters from the start of a finding to the last character that decides about it. A finding inside one word of
   * ASCII characters may be longer, because growing-scan.ts waits for the end of the word. Absent: unbounded.
   */
  readonly reach?: number
  /** Beginnings of findings that are longer than `reach`, with the reach of those findings. The expression is global. */
  readonly marks?: { readonly pattern: RegExp; readonly reach: number }
  /**
   * The form of a value decides alone, not the words near it. Such a detector also reads values that are split over texts (scan-split.ts)
   * or encoded (encoded-readings.ts); the others would find something in any two sentences.
   */
  readonly byForm?: true
  /** Findings in any order; findings of one type may overlap. Their number is not limited. */
  detect(text: string): Finding[]
  /** The original of a detector that additionally reports its failures (`withFaultReports`). */
  readonly original?: Detector
  /** Called when the detector threw, or when the time budget of the scan was exceeded at its end. */
  reportFailure?(how: 'threw' | 'overran', error?: unknown): void
  /** Called with the time in milliseconds that the detector took for the texts of one scan. */
  reportTime?(ms: number): void
}
