import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { GovernedString } from '../domain/governed.ts'
import type { MessagingTables } from './messaging-tables.ts'
import type { OperatorTables } from './operator-tables.ts'

/** jsonb: read as a value, written as JSON text. */
type Json<T> = ColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null, string | null>
type Bytes = Buffer
type CreatedAt = ColumnType<Date, Date, never>

/** Ids are UUIDv7 in the tables and TypeIDs (`aud_…`) everywhere else; lib/id.ts turns one into the other. */
export interface Schema extends MessagingTables, OperatorTables {
  workspace: WorkspaceTable
  application: ApplicationTable
  api_key: ApiKeyTable
  admin_token: AdminTokenTable
  workspace_user: WorkspaceUserTable
  provider: ProviderTable
  model: ModelTable
  policy_set: PolicySetTable
  review_item: ReviewItemTable
  audit_record: AuditRecordTable
  audit_head: AuditHeadTable
  audit_checkpoint: AuditCheckpointTable
  audit_delivery: AuditDeliveryTable
  retrieval_partition: RetrievalPartitionTable
  retrieval_entry: RetrievalEntryTable
  retrieval_posting: RetrievalPostingTable
  embedding_model: EmbeddingModelTable
  retrieval_vector: RetrievalVectorTable
  knowledge_collection: KnowledgeCollectionTable
  knowledge_partition: KnowledgePartitionTable
  knowledge_document: KnowledgeDocumentTable
  knowledge_chunk: KnowledgeChunkTable
  memory_owner: MemoryOwnerTable
  memory_partition: MemoryPartitionTable
  memory_item: MemoryItemTable
  applied_declaration: AppliedDeclarationTable
}

/** What the configuration file declared of a thing when it was last applied (setup/ledger.ts). */
export interface AppliedDeclarationTable {
  /** The nil UUID: of the whole server. */
  workspace_id: string
  object: string
  /** Hashed for users. */
  name: string
  /** SHA-256 of what was declared; of a policy set: of its text. */
  hash: string
  applied_at: Date
}

export interface WorkspaceTable {
  id: string
  name: string
  /** JWKS, claim names, audit retention … (applications/workspace.ts). */
  settings: Json<unknown>
  /** Sealed (lib/secret-box.ts): the HMAC key of content hashes. Destroying it erases what the hashes stand for. */
  hash_key: Bytes
  /** Sealed: the Ed25519 private key that signs audit checkpoints, PKCS#8 PEM. */
  signing_key: Bytes
  /** SPKI PEM of the same key, so that anybody can check a checkpoint. */
  signing_public_key: string
  /** The policy set version in force; null: no policies. */
  active_policy_id: string | null
  /** What the server vouches for in the audit log (audit/log-seal.ts); null: made by an older version and not adopted yet. */
  audit_seal: Generated<string | null>
  created_at: CreatedAt
}

export interface ApplicationTable {
  id: string
  workspace_id: string
  name: string
  settings: Json<unknown>
  limits: Json<unknown>
  models: NullableJson<readonly string[]>
  providers: NullableJson<readonly string[]>
  default_model: string | null
  ceiling: string
  created_at: CreatedAt
  updated_at: Date
}

export interface ApiKeyTable {
  id: string
  workspace_id: string
  application_id: string
  name: string
  /** SHA-256 of the key; the key itself is never stored. */
  hash: Bytes
  /** First letters of the key, so that people can tell keys apart. */
  hint: string
  /** The operator who issued it (`opr_…`), or an admin token without one (`adm_…`); null: issued on the server itself. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  created_at: CreatedAt
  revoked_at: Date | null
  /** To about a minute. */
  last_used_at: Date | null
}

export interface AdminTokenTable {
  id: string
  name: string
  hash: Bytes
  /** domain/scope.ts; null: all. */
  scopes: readonly string[] | null
  /** Who answers for it: `opr_…`, or `adm_…`; null: issued on the server itself. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  created_at: CreatedAt
  revoked_at: Date | null
}

export interface WorkspaceUserTable {
  workspace_id: string
  /** Canonical user id, stable across Applications. */
  id: string
  username: ColumnType<string, GovernedString, GovernedString>
  role: string
  department: string
  attributes: Json<Record<string, unknown>>
  created_at: CreatedAt
  updated_at: Date
}

export interface ProviderTable {
  workspace_id: string
  /** A slug such as `openai`; shown as `owned_by` in the models list. */
  id: string
  /** openai (any OpenAI-compatible server) or stub. */
  kind: string
  /** api, environment or config: who declared it, and so whether private addresses are allowed. */
  source: string
  base_url: string | null
  /** Sealed; null when there is none or when it comes from the environment. */
  api_key: Bytes | null
  /** Name of the environment variable that holds the key, if it is not stored. */
  api_key_env: string | null
  headers: Json<Record<string, string>>
  /** Path of chat completions below base_url. */
  path: string
  timeout_ms: number
  /** null: the server's setting. */
  idle_timeout_ms: number | null
  max_retries: number
  max_concurrency: number
  weight: number
  region: string | null
  max_classification: string
  enabled: boolean
  created_at: CreatedAt
  updated_at: Date
}

export interface ModelTable {
  workspace_id: string
  provider_id: string
  /** The name callers use. */
  id: string
  /** The name the provider knows; null: the same. */
  upstream_name: string | null
  /** Price per million tokens; null: unknown. */
  input_price: number | null
  output_price: number | null
  created_at: CreatedAt
}

export interface PolicySetTable {
  id: string
  workspace_id: string
  name: string
  version: number
  sha256: string
  /** The YAML as it was published, byte for byte. */
  source: string
  published_by: string
  created_at: CreatedAt
}

export interface ReviewItemTable {
  id: string
  workspace_id: string
  /** null: a message of the messaging API, which no Application sends. */
  application_id: string | null
  /** The message that it is about; null: an exchange of the gateway. */
  message_id: string | null
  /** hold: something waits for it. escalation: nothing waits. */
  kind: string
  /** pending, approved, released, denied; escalations: pending, acknowledged. Expiry is read from the clock. */
  state: string
  point: string
  endpoint: string
  user_id: string
  session_id: string | null
  /** Keyed hash of the canonical request: what the item is bound to. */
  request_hash: Bytes
  rules: Json<readonly unknown[]>
  findings: Json<Record<string, number>>
  classification: string
  risk_level: string
  policy: NullableJson<unknown>
  model: string | null
  /** Sealed: messages and, for an output hold, the provider's answer. Erased on denial and at expiry. */
  content: Bytes | null
  /** Sealed: what was released, so that a repeated resubmission gets the same. Erased at expiry. */
  result: Bytes | null
  /** Record of the execution that opened the item. */
  audit_id: string
  /** Record of the execution that released it. */
  released_audit_id: string | null
  /** The item that this one's release was held as in turn (input approved, then the output held). */
  successor_id: string | null
  /** The API key that opened it; null: none did. */
  key_id: ColumnType<string | null, string | null | undefined, never>
  /** Operators who issued a key with which it was asked for: they may not decide on it. */
  key_issuers: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>
  created_at: CreatedAt
  expires_at: Date
  decided_by: string | null
  decided_at: Date | null
  comment: string | null
  /** Set, and committed, before the provider is called for a release: after a crash it tells that the call may have happened. */
  release_started_at: Date | null
  released_at: Date | null
}

export interface AuditRecordTable {
  id: string
  workspace_id: string
  /** null: an operator's change, not an Application's exchange. */
  application_id: string | null
  sequence: number
  created_at: CreatedAt
  endpoint: string
  verdict: string | null
  risk_level: string | null
  status: number
  /** Keyed hash of the user id. */
  user_hash: string | null
  duration_ms: number
  /** Of all attempts, in and out. */
  tokens: number
  /** Of all attempts; null: none has a price. */
  cost: number | null
  /** The record in RFC 8785 form, without its own hash: exactly the bytes that were hashed. */
  body: string
  prev_hash: Bytes
  hash: Bytes
  /** Keyed hash of the record in its place (audit/record-seals.ts); null: written by an older version. */
  seal: Generated<Bytes | null>
}

export interface AuditHeadTable {
  workspace_id: string
  sequence: number
  hash: Bytes
}

export interface AuditCheckpointTable {
  workspace_id: string
  /** How many records the tree covers: sequences up to and including this one. */
  size: number
  /** Hash of the last record it covers: what the chain goes on from when retention has removed that record. */
  head_hash: Bytes
  root: Bytes
  /** Roots of the perfect subtrees, largest first: every later root and proof follows from them without the records covered. */
  frontier: Bytes
  signature: Bytes
  created_at: CreatedAt
  /** Hash of the checkpoint before, and the signature over both; null: signed by an older version. */
  previous: Generated<Bytes | null>
  previous_signature: Generated<Bytes | null>
}

/** Up to which checkpoint a Workspace's checkpoints have been written to a place outside. */
export interface AuditDeliveryTable {
  workspace_id: string
  /** The kind of place and where it is. */
  target: string
  size: number
  /** Keyed: whoever moves it on to hide a checkpoint makes all be written once more. */
  seal: string
}

/** Entries that are visible to the same callers, and what is summed over them. */
export interface RetrievalPartitionTable {
  id: GeneratedAlways<number>
  workspace_id: string
  /** knowledge, memory. */
  kind: string
  key: string
  language: string
  entries: Generated<number>
  total_length: Generated<number>
  /** The number of the next entry; numbers are not used again. */
  next_number: Generated<number>
}

export interface RetrievalEntryTable {
  id: string
  partition_id: number
  /** Its place within the partition: names its block of postings, and its posting there. */
  number: number
  length: number
  /** Its distinct terms, with spaces between: where its postings are, should it be removed. */
  terms: string
}

export interface RetrievalPostingTable {
  partition_id: number
  term: string
  /** Entry number ÷ 256. */
  block: number
  /** Four bytes for each entry with the term (retrieval/postings.ts). */
  postings: Bytes
}

/** Who shares memories (memory/owner.ts). Whoever writes memories of an owner holds its row. */
export interface MemoryOwnerTable {
  id: string
  workspace_id: string
  /** One text for one owner of the Workspace. */
  key: string
  scope: string
  /** What callers know it by: the user, the session, the Application, the department … */
  scope_id: string
  /** Sessions and Applications: which Application's. */
  application_id: string | null
  /** Users and sessions: whose. */
  user_id: string | null
}

/** Where an owner's memories of one classification are found. */
export interface MemoryPartitionTable {
  workspace_id: string
  owner_id: string
  classification: string
  /** retrieval_partition */
  partition_id: number
  language: string
}

export interface MemoryItemTable {
  id: string
  workspace_id: string
  owner_id: string
  /** The Application that had it remembered. */
  application_id: string
  kind: string
  content: string
  summary: string | null
  /** What it says something about (memory/subject.ts); a new value takes the place of the old one. */
  subject: string | null
  classification: string
  regulations: Json<readonly string[]>
  /** Keyed hash of the normalised content. */
  content_hash: string
  /** Keyed hash of the words that tell something: the same for near duplicates. */
  signature: string
  /** active, audit_only. */
  mode: string
  /** capture, explicit, extract, admin. */
  source: string
  /** Record of the exchange that it comes from. */
  audit_id: string
  message_id: string | null
  created_at: CreatedAt
  expires_at: Date | null
  /** The memory that took its place: this one is history. */
  superseded_by: string | null
  superseded_at: Date | null
  /** Where it can be found; null: nowhere, it is history or for auditors only. */
  partition_id: number | null
}

export interface KnowledgeCollectionTable {
  id: string
  workspace_id: string
  name: string
  description: string
  classification: string | null
  regulations: Json<readonly string[]>
  acl: NullableJson<unknown>
  /** Of what comes in from now on; a partition keeps its own. */
  language: string
  /** TypeIDs of the Applications it serves; null: all of the Workspace. */
  applications: NullableJson<readonly string[]>
  created_at: CreatedAt
  updated_at: Date
  /** Set: it is gone, and what it held is being removed. */
  removed_at: Date | null
}

/** The documents of a collection that have the same labels: each partition is one of `retrieval_partition`. */
export interface KnowledgePartitionTable {
  id: number
  workspace_id: string
  collection_id: string
  language: string
  /** Of the documents' labels, what decides who sees them (knowledge/labels.ts). The collection's count when they are read. */
  access: Json<unknown>
}

export interface KnowledgeDocumentTable {
  id: string
  workspace_id: string
  collection_id: string
  /** Path or URL, unique within the collection. */
  key: string
  title: string
  /** Counts up from 1 with each change of its content. */
  version: number
  /** SHA-256 of the bytes that came in. */
  content_hash: Bytes
  media_type: string
  bytes: number
  source: string
  classification: string | null
  regulations: Json<readonly string[]>
  acl: NullableJson<unknown>
  /** Labels of its own front matter: they only narrow. */
  limits: Json<unknown>
  /** Instructions found in it, by type, that nobody has looked at yet; null: none. */
  flags: NullableJson<unknown>
  chunks: number
  partition_id: number
  created_at: CreatedAt
  /** When its present version came in. */
  updated_at: Date
}

export interface KnowledgeChunkTable {
  id: string
  workspace_id: string
  document_id: string
  /** Counts up from 0 in reading order. */
  position: number
  headings: Json<readonly string[]>
  content: string
  tokens: number
  flagged: boolean
  /** Its document's. */
  partition_id: number
}

export interface EmbeddingModelTable {
  id: GeneratedAlways<number>
  name: string
  dimensions: number
  /** Whether the server has to be asked for that many dimensions. */
  shortened: boolean
  /** building: not every entry has a vector yet. ready: it answers. retired: another took its place, its vectors are deleted. */
  state: string
  changed_at: Generated<Date>
  /** Whether its HNSW index is there, and whole. */
  indexed: Generated<boolean>
  /** Which node makes its vectors right now, and until when it may be silent. */
  leased_by: string | null
  leased_until: Generated<Date>
}

/** Only there with the extension `vector`, and where an embedder has been configured. */
export interface RetrievalVectorTable {
  model_id: number
  partition_id: number
  entry_id: string
  /** Of length 1; null: the model takes no such text. */
  embedding: string | null
}
