import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Facts } from './facts.ts'
import type { StoredMemory } from './record-draft.ts'
import type { Trail } from './trail.ts'

/** What the endpoint makes its answer from: exactly what the record says. */
export interface PipelineResult {
  readonly status: number
  readonly trail: Trail<Facts>
  /** Absent when stage 1 or 2 refused: then there was no execution. */
  readonly auditId: string | undefined
  /** Set when the answer is an error. */
  readonly error: { readonly code: ErrorCode; readonly fields: ErrorFields } | undefined
  /** The completion as JSON text, the very text that was hashed; undefined for endpoints and outcomes without one. */
  readonly completionJson: string | undefined
  /** Set when a person has to decide first. */
  readonly held: { readonly itemId: string } | undefined
  /** Memories that were written. */
  readonly remembered: readonly StoredMemory[]
  /** The private side of a failure, for the log only. */
  readonly cause?: unknown
}
