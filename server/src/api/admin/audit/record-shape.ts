import { type TProperties, Type } from 'typebox'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../../shared/decision.ts'
import { nullable } from '../../../shared/schemas.ts'

export const Hash = Type.String({ description: 'Lowercase hexadecimal.' })

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
  stored_response: Type.Optional(Type.Record(Type.String(), Type.String())),
  dry_run: Type.Boolean(),
  features: Type.Record(Type.String(), Type.Any(), { description: 'Values that policies read, by their variables.' }),
  change: nullable(
    Open({ action: Type.String(), object_type: Type.String(), object_id: Type.String(), fields: Type.Array(Type.String()) }),
  ),
  integrity: Type.Object({ sequence: Type.Integer(), prev_hash: Hash, hash: Hash }),
})
