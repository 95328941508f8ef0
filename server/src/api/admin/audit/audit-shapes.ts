import { type TProperties, type TSchema, Type } from 'typebox'
import { FAULT_MESSAGES } from '../../../domains/audit/verify/chain-checker.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../../shared/decision.ts'
import { ENDPOINTS } from '../../../shared/principal.ts'
import { OUTCOMES } from '../../../shared/request-outcome.ts'
import { nullable } from '../../../shared/schemas.ts'
import { SEARCH_SERVICES } from '../../../shared/service-call.ts'
import { sortQuery } from '../../kit/paging.ts'

const Hash = Type.String({ description: 'Lowercase hexadecimal.' })

/** Records of other versions may have further fields, and their hash covers all of them. */
const Open = <P extends TProperties>(properties: P, options: { readonly title?: string; readonly description?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: true })
const Count = Type.Optional(Type.Number())

const Facts = Open(
  {
    hash: nullable(Type.String()),
    bytes: Type.Number(),
    messages: Count,
    choices: Count,
    embeddings: Count,
    models: Count,
    hits: Count,
    carried_fields: Count,
  },
  { title: 'ContentFacts' },
)

const Attempt = Open({
  provider: Type.String(),
  model: Type.String(),
  status: Type.Number({ description: 'HTTP status; 0: none was received.' }),
  outcome: Type.String({ description: '`ok`, `stubbed`, or the name of the failure.' }),
  ms: Type.Number(),
  prompt_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  completion_tokens: Count,
  reasoning_tokens: Count,
  cost: Type.Optional(Type.Number({ description: 'USD. Absent: no price is known.' })),
})

const ServiceCall = Open(
  {
    service: oneOf(SEARCH_SERVICES),
    host: Type.String(),
    model: Type.String(),
    region: Type.Optional(Type.String({ description: 'Of the server. Absent: the configuration does not state it.' })),
    stage: Type.Optional(Type.String({ description: 'The stage of the request: `retrieve` or `recall`.' })),
    texts: Type.Number({ description: 'Number of texts that were sent.' }),
    status: Type.Number({ description: 'HTTP status; 0: none was received.' }),
    outcome: Type.String({
      description:
        '`ok`, or the name of the failure. Nothing was sent: `above_ceiling`, `other_region` (limits of the server), `paused` (it failed shortly before), `cached` (the result of the same query was known).',
    }),
    ms: Type.Number(),
    sources: Type.Optional(
      Type.Array(Open({ id: Type.String(), version: Count, texts: Type.Number() }, { title: 'SentSource' }), {
        description: 'Present for texts of documents and memories: their ids, and how many texts of each were sent.',
      }),
    ),
  },
  { title: 'SearchServiceCall' },
)

const Decision = Open({
  verdict: oneOf(VERDICTS, 'Verdict'),
  transforms: Type.Array(Type.String()),
  directives: Type.Array(Type.String()),
  rules: Type.Array(
    Open({
      id: Type.String(),
      point: oneOf(POLICY_POINTS, 'PolicyPoint'),
      verdict: oneOf(VERDICTS, 'Verdict'),
      error: Type.Optional(Type.String({ description: 'Name of the failure of the condition.' })),
      left_out: Type.Optional(
        Type.Literal(true, { description: 'It decided only on hits that were left out. The Application does not see it.' }),
      ),
    }),
  ),
})

const Hits = Type.Array(Open({ id: Type.String(), hash: Type.String(), score: Type.Number() }, { title: 'RecordedHit' }))

/** A record (record/record.ts). It never holds content. */
export const RecordView = Open({
  id: Type.String(),
  object: Type.Literal('audit_record'),
  workspace_id: Type.String(),
  application_id: nullable(Type.String({ description: 'null: a message, or a change by an operator.' })),
  endpoint: Type.String(),
  created_at: Timestamp,
  duration_ms: Type.Number(),
  status: Type.Integer(),
  error_code: nullable(Type.String()),
  user: Open({ id: nullable(Hash), verified: Type.Boolean(), role: Type.String(), department: Type.String() }),
  request: Facts,
  response: nullable(Facts),
  stages: Type.Array(Open({ name: Type.String(), outcome: Type.String(), ms: Type.Number() })),
  findings: Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()), { description: 'Stage → finding → count.' }),
  classification: nullable(oneOf(CLASSIFICATIONS, 'Classification')),
  risk_level: nullable(oneOf(RISK_LEVELS, 'RiskLevel')),
  decision: nullable(Decision),
  playground: Type.Optional(
    Open(
      { operator: nullable(Hash) },
      { description: 'Present for requests of the playground: the keyed hash of the operator.' },
    ),
  ),
  policy_versions: Type.Array(
    Open({ id: Type.String(), name: Type.Optional(Type.String()), version: Type.Number(), sha256: Type.Optional(Hash) }),
  ),
  attempts: Type.Array(Attempt),
  charge: Type.Optional(
    Open(
      { cost: Type.Number(), tokens: Type.Number(), estimated: Type.Boolean() },
      { description: 'The charge of budgets, in USD and tokens. `estimated`: a provider did not report its usage.' },
    ),
  ),
  key_id: Type.Optional(Type.String({ description: 'The API key of the request.' })),
  knowledge: Hits,
  memory: Hits,
  release: Type.Optional(Open({ characters: Type.Number(), mode: Type.String() })),
  remembered: Type.Array(Open({ id: Type.String(), mode: Type.String(), hash: Type.Optional(Hash) })),
  review: nullable(Open({ id: Type.String(), state: Type.Optional(Type.String()) })),
  search_services: Type.Optional(
    Type.Array(ServiceCall, { description: 'Calls of the embedder and the reranker. The Application does not see them.' }),
  ),
  stored_response: Type.Optional(Type.Record(Type.String(), Type.String())),
  dry_run: Type.Boolean(),
  features: Type.Record(Type.String(), Type.Any(), { description: 'Values that policies read, by their variables.' }),
  change: nullable(
    Open({
      action: Type.String(),
      object_type: Type.String(),
      object_id: Type.String(),
      fields: Type.Array(Type.String()),
      failure: Type.Optional(Type.String({ description: 'Present for an upload that failed: the code of its failure.' })),
      restores: Type.Optional(
        Open(
          { id: Type.String(), version: Type.Integer() },
          { description: 'Present for a roll back of policies: the earlier version with the same document.' },
        ),
      ),
    }),
  ),
  integrity: Type.Object({ sequence: Type.Integer(), prev_hash: Hash, hash: Hash }),
})

const AUDIT_ENDPOINTS = [...ENDPOINTS, 'message', 'admin'] as const

export const TIME_RANGE_QUERY = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Records created at this time or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Records created before this time.' })),
}

export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

const Cost = Type.String({
  pattern: '^[0-9]{1,9}([.][0-9]{1,9})?$',
  description: 'USD, inclusive. Records without a cost do not match.',
})

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 256, description })

export const RECORD_SORTS = ['latency', 'cost', 'tokens'] as const
const SORT_DESCRIPTION =
  'Default: newest first. `-`: descending. Sorts the newest 10,000 records of the most selective filter; set `from` and `to` to sort others.'

export const AUDIT_SORT = sortQuery(RECORD_SORTS, SORT_DESCRIPTION)

export const AuditActors = Type.Object({
  object: Type.Literal('audit_actors'),
  data: Type.Array(
    Type.Object({
      user_id: Type.String({ description: 'Keyed hash of the id, as in `user.id` of records.' }),
      id: Type.String(),
      kind: oneOf(['operator', 'admin_token']),
      name: Type.String(),
    }),
  ),
})

export const AUDIT_FILTER = {
  ...TIME_RANGE_QUERY,
  application_id: Type.Optional(Type.String()),
  user: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'User id. Audit records contain its keyed hash.' }),
  ),
  verdict: Type.Optional(
    Type.String({
      pattern: `^(${VERDICTS.join('|')})(,(${VERDICTS.join('|')})){0,3}$`,
      description: 'A verdict, or several: `deny,escalate`.',
    }),
  ),
  outcome: Type.Optional(
    Type.String({
      pattern: `^(${OUTCOMES.join('|')})(,(${OUTCOMES.join('|')})){0,7}$`,
      description:
        'How the request ended, or several: `refused,failed`. A request that policies allow may be `refused` (4xx), `failed` (5xx) or `canceled` by its client; `redacted`: it was allowed with transforms.',
    }),
  ),
  model: Type.Optional(Text('As requested, or as sent to a provider.')),
  provider: Type.Optional(Text('Name of a provider that was tried.')),
  rule: Type.Optional(Text('Id of a rule that matched.')),
  latency_from: Type.Optional(Type.Integer({ minimum: 0, description: 'Milliseconds, inclusive.' })),
  latency_to: Type.Optional(Type.Integer({ minimum: 0, description: 'Milliseconds, inclusive.' })),
  cost_from: Type.Optional(Cost),
  cost_to: Type.Optional(Cost),
  risk_level: Type.Optional(oneOf(RISK_LEVELS, 'RiskLevel')),
  endpoint: Type.Optional(oneOf(AUDIT_ENDPOINTS, 'AuditEndpoint')),
  status: Type.Optional(
    Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), oneOf(STATUS_CLASSES, 'StatusClass')], {
      description: 'A status, or a class such as `5xx`.',
    }),
  ),
}

/** The response is a stream and is not serialised. */
export const Export = {
  description: 'A header, the records oldest first, and the checkpoint that covers them.',
  content: { 'application/x-ndjson': { schema: Type.String() } },
} as TSchema

export const Checkpoint = Type.Object({
  object: Type.Literal('audit_checkpoint'),
  workspace_id: Type.String(),
  size: Type.Integer({ minimum: 1, description: 'Number of audit records that the checkpoint covers.' }),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Hash of the last record.' }),
  root: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Root hash of the RFC 9162 Merkle tree.' }),
  created_at: Timestamp,
  signature: Type.String({ maxLength: 200, description: 'Ed25519, base64.' }),
  frontier: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 64 }),
  previous: Type.Object({
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Hash of the previous checkpoint. 64 zeros for the first.' }),
    signature: Type.String({ maxLength: 200, description: 'Ed25519 over this checkpoint and `hash`, base64.' }),
  }),
})

export const PublicKey = Type.String({ description: "The Workspace's signing key, SPKI PEM." })

const FirstFault = Type.Object(
  {
    sequence: Type.Integer({ description: "0: the Workspace's keys or its audit seal, not a record." }),
    through: Type.Optional(Type.Integer({ description: 'The bad record is between `sequence` and `through`.' })),
    id: nullable(Type.String()),
    reason: oneOf(Object.keys(FAULT_MESSAGES)),
    message: Type.String(),
  },
  { title: 'AuditFault' },
)

export const VerificationView = Type.Object({
  object: Type.Literal('audit_verification'),
  ok: Type.Boolean(),
  records: Type.Integer({ description: 'Number of valid records, up to the first bad one.' }),
  checkpoints: Type.Integer(),
  first: Type.Integer({ description: 'Sequence of the oldest record that retention has kept.' }),
  signed_through: Type.Integer({ description: 'Sequence of the last record that a checkpoint covers.' }),
  accepted_through: Type.Integer({
    description: 'An operator accepted the records up to this sequence; they are not checked. 0: none.',
  }),
  waiting: Type.Integer({
    description: 'Number of records that have waited for their position in the log for more than a minute. They are no fault.',
  }),
  first_bad: nullable(FirstFault),
})

export const AuditStateView = Type.Object({
  object: Type.Literal('audit_state'),
  ok: Type.Boolean({ description: 'false: the log was tampered with. No checkpoint is signed until an operator acts.' }),
  first_bad: nullable(FirstFault),
})

export const ProofView = Type.Object({
  object: Type.Literal('audit_inclusion_proof'),
  checkpoint: Checkpoint,
  path: Type.Array(Hash, { description: 'RFC 9162 audit path of the leaf `integrity.sequence - 1`, from the leaf upwards.' }),
  record: RecordView,
  public_key: PublicKey,
})
