import type { CreatedAt, Json } from '../../platform/db/columns.ts'
import type { Classification } from '../../shared/classification.ts'
import type { MemoryKind, MemoryMode, MemoryScope, MemorySource } from '../../shared/memory-words.ts'
import type { Language } from '../retrieval/language.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    /** Owners of memories (domains/memory/owner.ts). Writing memories of an owner locks its row. */
    memory_owner: {
      id: string
      workspace_id: string
      /** Unique for each owner of the Workspace. */
      key: string
      scope: MemoryScope
      /** Id of the user, session, Application, department … */
      scope_id: string
      /** For the scopes session and application. */
      application_id: string | null
      /** For the scopes user and session. */
      user_id: string | null
    }
    /** The search partition of an owner's memories of one classification. */
    memory_partition: {
      workspace_id: string
      owner_id: string
      classification: Classification
      /** retrieval_partition */
      partition_id: number
      language: Language
    }
    memory_item: {
      id: string
      workspace_id: string
      owner_id: string
      /** The Application that stored it. */
      application_id: string
      kind: MemoryKind
      content: string
      summary: string | null
      /** A new memory with the same subject replaces this one (domains/memory/subject.ts). */
      subject: string | null
      classification: Classification
      regulations: Json<readonly string[]>
      /** Keyed hash of the normalised content. */
      content_hash: string
      /** Keyed hash of the significant words: equal for near duplicates (domains/memory/duplicate-text.ts). */
      signature: string
      mode: MemoryMode
      source: MemorySource
      /** Audit record of the request that it comes from. */
      audit_id: string
      message_id: string | null
      created_at: CreatedAt
      /** null: never expires. */
      expires_at: Date | null
      /** The memory that replaced it; null: current. */
      superseded_by: string | null
      superseded_at: Date | null
      /** Its search partition; null: not searchable, because it is superseded or audit_only. */
      partition_id: number | null
    }
  }
}
