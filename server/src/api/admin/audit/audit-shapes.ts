import { type TSchema, Type } from 'typebox'
import { FAULT_MESSAGES } from '../../../domains/audit/verify/chain-checker.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { RISK_LEVELS } from '../../../shared/classification.ts'
import { VERDICTS } from '../../../shared/decision.ts'
import { ENDPOINTS } from '../../../shared/principal.ts'
import { nullable } from '../../../shared/schemas.ts'
import { sortQuery } from '../../kit/paging.ts'
import { Hash, RecordView } from './record-shape.ts'

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
