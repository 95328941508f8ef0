import type { AuditRecord } from '../record/record.ts'

/** A formatted record. */
export interface FeedLine {
  readonly record: AuditRecord
  /** Without a line break. */
  readonly text: string
}

/** A place to which records are sent. */
export interface FeedSink {
  /** Resolves when the receiver has all lines. Throws otherwise; all lines are then sent again. The message contains no secret. */
  write(lines: readonly FeedLine[]): Promise<void>
  close(): Promise<void>
}
