import { LAST_TIME } from '../../platform/lib/clock.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import type { Memory } from './memory-row.ts'

/** A memory before it is stored. Its id is newly generated. */
export interface MemoryDraft
  extends Pick<
    Memory,
    | 'id'
    | 'scope'
    | 'kind'
    | 'content'
    | 'summary'
    | 'classification'
    | 'regulations'
    | 'expiresAt'
    | 'mode'
    | 'source'
    | 'auditId'
  > {
  /** As requested; `ownerOfMemory` derives the owner from it. */
  readonly scopeId: string | null
  /** The chat message that it comes from. */
  readonly messageId?: string | null
  /** Absent: derived from the content if it is a simple statement (subject.ts). */
  readonly subject?: string | null
}

const KIB = 1_024
const MAX_CONTENT = 16 * KIB
const MAX_SUMMARY = 4 * KIB
const TOO_LATE = `must not be after ${LAST_TIME.toISOString()}`

/** The problem with a draft, with the field's name in the API; undefined if it is valid. */
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
  // PostgreSQL cannot store these.
  if (text.includes('\0') || !text.isWellFormed()) {
    return { param, message: 'must not contain U+0000 or unpaired surrogates' }
  }
  return undefined
}
