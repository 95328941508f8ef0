import type { Generated } from 'kysely'
import type { Bytes, CreatedAt, Json, NullableJson } from '../../platform/db/columns.ts'
import type { Classification } from '../../shared/classification.ts'
import type { Language } from '../retrieval/language.ts'
import type { Acl } from './acl.ts'
import type { DocumentState, Failure, Flags } from './document.ts'
import type { Labels, PartitionAccess } from './labels.ts'
import type { Warning } from './parsing/warning.ts'
import type { SourceKind, SyncResult } from './source.ts'
import type { UploadRequest } from './upload.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    knowledge_collection: {
      id: string
      workspace_id: string
      name: string
      description: string
      classification: Classification | null
      regulations: Json<readonly string[]>
      acl: NullableJson<Acl>
      /** For documents ingested from now on; a stored one takes it over when it is ingested again. */
      language: Language
      /** TypeIDs of the Applications that may search it; null: every Application of the Workspace. */
      applications: NullableJson<readonly string[]>
      created_at: CreatedAt
      updated_at: Date
      /** Set when it is deleted; its documents are then removed in the background. */
      removed_at: Date | null
    }
    /** Documents of a collection with equal labels, or with rare ACLs. Each row belongs to a row of `retrieval_partition`. */
    knowledge_partition: {
      id: number
      workspace_id: string
      collection_id: string
      language: Language
      /** The document labels that decide visibility (domains/knowledge/labels.ts). Each search reads the collection's labels separately. */
      access: Json<PartitionAccess>
      /** The only document of the partition, because it is large (large-versions.ts). Null: the partition is for all documents with its labels. */
      document_id: string | null
    }
    knowledge_document: {
      id: string
      workspace_id: string
      collection_id: string
      /** Path or URL, unique within the collection. */
      key: string
      title: string
      /** Starts at 1 and increases with each change of the content. 0: no upload of it has succeeded, so it has no content. */
      version: number
      /** SHA-256 of the ingested bytes. */
      content_hash: Bytes
      media_type: string
      bytes: number
      /** Shown with its passages. */
      source: string
      classification: Classification | null
      regulations: Json<readonly string[]>
      acl: NullableJson<Acl>
      /** Labels of its front matter. They can only restrict access further. */
      limits: Json<Labels>
      /** Findings by type that no operator has checked; null: none. */
      flags: NullableJson<Flags>
      /** null: stored by a version that did not keep warnings. */
      warnings: NullableJson<readonly Warning[]>
      chunks: number
      /** The position of the first chunk of the active version. Other versions have other positions. */
      first_position: Generated<number>
      /** null: it has no content. */
      partition_id: number | null
      /** Of the newest upload. The last version stays searchable while a newer upload waits or has failed. */
      state: Generated<DocumentState>
      failure: NullableJson<Failure>
      /** The document that contains this one as an attachment. */
      parent_id: string | null
      /** Given by the client or shown by the text; null: that of the collection. */
      own_language: Generated<Language | null>
      created_at: CreatedAt
      /** When the current version was ingested. */
      updated_at: Date
    }
    /** Files that wait to be read, or that could not be read and are kept for another attempt. At most one of a document. */
    knowledge_upload: {
      id: string
      workspace_id: string
      document_id: string
      /** `opr_…` or `adm_…`, for the audit record. */
      operator_id: string
      request: Json<UploadRequest>
      /** null: the file is fetched from the URL of the request, or is in parts. */
      file: Bytes | null
      /** Increases when a node begins to read the file. */
      attempts: number
      created_at: CreatedAt
      leased_until: Date | null
      failed_at: Date | null
    }
    /** Files that are large. A trigger removes the parts of an upload with it. */
    knowledge_upload_part: {
      workspace_id: string
      upload_id: string
      /** Starts at 0. */
      part: number
      /** This part of it. */
      file: Bytes
      created_at: Date
    }
    /** Where documents of a collection are copied from. */
    knowledge_source: {
      id: string
      workspace_id: string
      collection_id: string
      /** Unique in the collection: the first part of the keys of its documents. */
      name: string
      kind: SourceKind
      url: string
      /** Only files below it. Empty, or ends with a slash. */
      folder: string
      branch: string | null
      region: string | null
      username: string | null
      /** Sealed. */
      secret: Bytes | null
      /** Start of the `source` of its documents; null: the URL. */
      link: string | null
      /** Of its documents; null: they have none from it. */
      acl: NullableJson<Acl>
      /** The last key whose document has the list, while its documents get a changed list in the order of their keys; null: all have it. */
      relabelled_to: string | null
      interval_minutes: number
      enabled: boolean
      /** Whether the next run deletes documents that the deletion guard would keep. */
      forced: Generated<boolean>
      /** Of the connector, from the last complete run; null: none. */
      cursor: string | null
      next_sync_at: Date
      leased_until: Date | null
      /** While a node works on it. */
      syncing_since: Date | null
      last_sync: NullableJson<SyncResult>
      /** Of the last run; null: it did not fail. */
      failure: NullableJson<Failure>
      created_at: CreatedAt
      updated_at: Date
    }
    /** The files of a source that are stored as documents, or could not be read. */
    knowledge_source_file: {
      workspace_id: string
      source_id: string
      /** Of its document. */
      key: string
      /** When it was last stored. Empty: it is read again. */
      version: string
    }
    /** Versions of large documents that are not active: they are being written, or a job removes them. */
    knowledge_version: {
      /** With the entries of this version only. */
      partition_id: number
      workspace_id: string
      document_id: string
      first_position: number
      chunks: number
      expires_at: Date
    }
    knowledge_chunk: {
      id: string
      workspace_id: string
      document_id: string
      /** In reading order, from the first position of its version on. */
      position: number
      headings: Json<readonly string[]>
      content: string
      tokens: number
      flagged: boolean
      partition_id: number
    }
  }
}
