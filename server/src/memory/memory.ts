import type { Classification } from '../domain/classification.ts'
import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import { LAST_TIME } from '../lib/clock.ts'
import type { Problem } from '../lib/schema.ts'

/** audit_only: kept for auditors, never found. */
export const MEMORY_MODES = ['active', 'audit_only'] as const
export type MemoryMode = (typeof MEMORY_MODES)[number]

/** capture: the endpoint. explicit, extract: from a chat. admin: an operator's correction. */
export const MEMORY_SOURCES = ['capture', 'explicit', 'extract', 'admin'] as const
export type MemorySource = (typeof MEMORY_SOURCES)[number]

/** A memory as it is to be stored. */
export interface MemoryDraft {
  /** `mem_…`, fresh. */
  readonly id: string
  readonly scope: MemoryScope
  /** As asked for; what it means is for `ownerOfMemory` to say. */
  readonly scopeId: string | null
  readonly kind: MemoryKind
  readonly content: string
  readonly summary: string | null
  readonly classification: Classification
  readonly regulations: readonly string[]
  /** null: never. */
  readonly expiresAt: Date | null
  readonly mode: MemoryMode
  readonly source: MemorySource
  /** `aud_…`: the record of the exchange it comes from. */
  readonly auditId: string
  /** Which message of a chat it comes from. */
  readonly messageId?: string | null
  /** What it says something about; absent: read from simple statements (subject.ts). */
  readonly subject?: string | null
}

/** A memory as people who look after memories see it. */
export interface Memory {
  /** `mem_…` */
  readonly id: string
  readonly scope: MemoryScope
  readonly scopeId: string
  /** Whose own it is; null: shared. */
  readonly userId: string | null
  /** The Application that had it remembered. */
  readonly applicationId: string
  readonly kind: MemoryKind
  readonly content: string
  readonly summary: string | null
  readonly subject: string | null
  readonly classification: Classification
  readonly regulations: readonly string[]
  /** Keyed hash of the normalised content: what audit records may tell of it. */
  readonly contentHash: string
  readonly mode: MemoryMode
  readonly source: MemorySource
  readonly auditId: string
  readonly messageId: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  /** The memory that took its place: this one is history. */
  readonly supersededBy: string | null
  readonly supersededAt: Date | null
}

const KIB = 1_024
const MAX_CONTENT = 16 * KIB
const MAX_SUMMARY = 4 * KIB
const TOO_LATE = `must not be after ${LAST_TIME.toISOString()}`

/** What is wrong with a draft before anything is written, with the field's name in the API. Undefined: nothing. */
export function checkDraft(
  { content, summary, expiresAt }: Pick<MemoryDraft, 'content' | 'summary' | 'expiresAt'>,
  now: Date,
): Problem | undefined {
  if (content.trim() === '') return { param: 'content', message: 'must not be blank' }
  const expiry = expiresAt && (expiresAt > LAST_TIME ? TOO_LATE : expiresAt > now ? undefined : 'must be in the future')
  return (
    textProblem('content', content, MAX_CONTENT) ??
    textProblem('summary', summary ?? '', MAX_SUMMARY) ??
    (expiry ? { param: 'expires_at', message: expiry } : undefined)
  )
}

function textProblem(param: string, text: string, max: number): Problem | undefined {
  if (Buffer.byteLength(text) > max) return { param, message: `must have at most ${max / KIB} KiB` }
  // PostgreSQL stores neither.
  if (text.includes('\0') || !text.isWellFormed()) {
    return { param, message: 'must have neither U+0000 nor half of a surrogate pair' }
  }
  return undefined
}
