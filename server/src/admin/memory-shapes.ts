import { type Static, Type } from 'typebox'
import { oneOf, Timestamp } from '../applications/shapes.ts'
import { CLASSIFICATIONS } from '../domain/classification.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../domain/memory-words.ts'
import { MEMORY_MODES, MEMORY_SOURCES, type Memory } from '../memory/memory.ts'
import { nullable } from './shapes.ts'

export const MemoryView = Type.Object({
  id: Type.String(),
  object: Type.Literal('memory'),
  scope: oneOf(MEMORY_SCOPES),
  scope_id: Type.String(),
  user_id: nullable(Type.String({ description: 'Whose own it is; null: shared.' })),
  application_id: Type.String({ description: 'The Application that had it remembered.' }),
  kind: oneOf(MEMORY_KINDS),
  content: Type.String(),
  summary: nullable(Type.String()),
  subject: nullable(Type.String({ description: 'A new memory about the same takes its place.' })),
  classification: oneOf(CLASSIFICATIONS),
  regulations: Type.Array(Type.String()),
  mode: oneOf(MEMORY_MODES),
  source: oneOf(MEMORY_SOURCES),
  audit_id: Type.String({ description: 'Record of the exchange that it comes from.' }),
  message_id: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  superseded_by: nullable(Type.String({ description: 'The memory that took its place: this one is history.' })),
  superseded_at: nullable(Timestamp),
})

export const memoryView = (memory: Memory) => ({
  id: memory.id,
  object: 'memory' as const,
  scope: memory.scope,
  scope_id: memory.scopeId,
  user_id: memory.userId,
  application_id: memory.applicationId,
  kind: memory.kind,
  content: memory.content,
  summary: memory.summary,
  subject: memory.subject,
  classification: memory.classification,
  regulations: memory.regulations,
  mode: memory.mode,
  source: memory.source,
  audit_id: memory.auditId,
  message_id: memory.messageId,
  created_at: memory.createdAt.toISOString(),
  expires_at: memory.expiresAt?.toISOString() ?? null,
  superseded_by: memory.supersededBy,
  superseded_at: memory.supersededAt?.toISOString() ?? null,
})

/** Which memories; what is left out narrows nothing. */
export const MEMORY_FILTER = {
  user_id: Type.Optional(Type.String({ maxLength: 512, description: "The user's own, those of their sessions included." })),
  scope: Type.Optional(oneOf(MEMORY_SCOPES)),
  scope_id: Type.Optional(Type.String({ maxLength: 512, description: 'The session, department, project … by its id.' })),
  application_id: Type.Optional(Type.String({ description: 'The Application that had them remembered.' })),
  mode: Type.Optional(oneOf(MEMORY_MODES)),
  history: Type.Optional(oneOf(['true', 'false'])),
}

export const MemoryCorrection = Type.Object({
  content: Type.String(),
  summary: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Left out: none.' })),
})
export type MemoryCorrection = Static<typeof MemoryCorrection>

export const ErasureView = Type.Object({ object: Type.Literal('memory_erasure'), erased: Type.Integer() })
