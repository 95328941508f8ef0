import { type Static, Type } from 'typebox'
import { MEMORY_MODES, MEMORY_SOURCES } from '../../../domains/memory/memory.ts'
import type { Memory } from '../../../domains/memory/memory-row.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { MEMORY_KINDS, MEMORY_SCOPES } from '../../../shared/memory-words.ts'
import { nullable } from '../../../shared/schemas.ts'

export const MemoryView = Type.Object({
  id: Type.String(),
  object: Type.Literal('memory'),
  scope: oneOf(MEMORY_SCOPES, 'MemoryScope'),
  scope_id: Type.String(),
  user_id: nullable(Type.String({ description: 'The owner. null: shared.' })),
  application_id: Type.String({ description: 'The Application that stored the memory.' }),
  kind: oneOf(MEMORY_KINDS, 'MemoryKind'),
  content: Type.String(),
  summary: nullable(Type.String()),
  subject: nullable(Type.String({ description: 'A new memory about the same subject replaces this one.' })),
  classification: oneOf(CLASSIFICATIONS, 'Classification'),
  regulations: Type.Array(Type.String()),
  mode: oneOf(MEMORY_MODES, 'MemoryMode'),
  source: oneOf(MEMORY_SOURCES),
  audit_id: Type.String({ description: 'Audit record of the request that stored the memory.' }),
  message_id: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  superseded_by: nullable(Type.String({ description: 'The memory that replaced this one.' })),
  superseded_at: nullable(Timestamp),
})

export const memoryView = (memory: Memory) => viewOf(MemoryView, memory)

export const MEMORY_FILTER = {
  user_id: Type.Optional(
    Type.String({ maxLength: 512, description: 'Memories of this user, including those of their sessions.' }),
  ),
  scope: Type.Optional(oneOf(MEMORY_SCOPES, 'MemoryScope')),
  scope_id: Type.Optional(Type.String({ maxLength: 512, description: 'Id of the session, department, project …' })),
  application_id: Type.Optional(Type.String({ description: 'The Application that stored the memories.' })),
  mode: Type.Optional(oneOf(MEMORY_MODES, 'MemoryMode')),
  history: Type.Optional(oneOf(['true', 'false'])),
}

export const MemoryCorrection = Type.Object({
  content: Type.String(),
  summary: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Default: no summary.' })),
})
export type MemoryCorrection = Static<typeof MemoryCorrection>

export const ErasureView = Type.Object({
  object: Type.Literal('memory_erasure'),
  erased: Type.Integer({ description: 'Number of erased memories.' }),
  erased_responses: Type.Integer({ description: 'Number of erased stored responses.' }),
})
