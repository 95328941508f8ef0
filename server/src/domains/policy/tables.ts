import type { CreatedAt, Json } from '../../platform/db/columns.ts'
import type { TestDefinition } from './policy-test-case.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    policy_set: {
      id: string
      workspace_id: string
      name: string
      /** Counted from 1 without gaps in the Workspace. Earlier releases counted for each name. */
      version: number
      sha256: string
      /** The published YAML document, byte for byte. */
      source: string
      published_by: string
      /** The reason for the version, in the words of the operator who published it. */
      note: string
      created_at: CreatedAt
    }
    policy_draft: {
      id: string
      workspace_id: string
      title: string
      note: string
      source: string
      /** The version that publishing the draft replaces; null: the Workspace had none. */
      base_id: string | null
      author: string
      edited_by: string
      revision: number
      created_at: CreatedAt
      updated_at: Date
      /** When an audit record last named an edit of the text. */
      recorded_at: Date
    }
    policy_test: {
      id: string
      workspace_id: string
      name: string
      /** The name under `tests:` of a document that the case belongs to; null: the case applies to every document. */
      file: string | null
      definition: Json<TestDefinition>
      created_by: string
      created_at: CreatedAt
      updated_at: Date
    }
  }
}
