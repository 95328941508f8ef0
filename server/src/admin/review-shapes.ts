import { Type } from 'typebox'
import { oneOf, Timestamp } from '../applications/shapes.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../domain/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../domain/decision.ts'
import { REVIEW_STATES } from '../review/review.ts'
import { MarkView } from './review-marks.ts'
import { Anything, nullable } from './shapes.ts'

export const REVIEW_KINDS = ['hold', 'escalation'] as const

export const RuleView = Type.Object({
  id: Type.String(),
  point: oneOf(POLICY_POINTS),
  verdict: oneOf(VERDICTS),
  error: Type.Optional(Type.String({ description: 'The condition broke, and counted as a denial.' })),
})

export const PolicyVersionView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  sha256: Type.String(),
})

/** review-json.ts, as a schema. */
export const ReviewView = Type.Object({
  id: Type.String(),
  object: Type.Literal('review_item'),
  kind: oneOf(REVIEW_KINDS),
  state: oneOf(REVIEW_STATES),
  workspace_id: Type.String(),
  application_id: nullable(Type.String({ description: 'null: a message of the messaging API.' })),
  message_id: nullable(Type.String({ description: 'The message that it is about.' })),
  user_id: Type.String({ description: 'Empty when the request named nobody.' }),
  session_id: nullable(Type.String()),
  endpoint: Type.String(),
  point: oneOf(POLICY_POINTS),
  rules: Type.Array(RuleView, { description: 'The reasons.' }),
  classification: oneOf(CLASSIFICATIONS),
  risk_level: oneOf(RISK_LEVELS),
  findings: Type.Record(Type.String(), Type.Integer()),
  request_hash: Type.String(),
  policy: nullable(PolicyVersionView),
  model: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_by: nullable(Type.String({ description: "The operator's or the admin token's id." })),
  decided_at: nullable(Timestamp),
  comment: nullable(Type.String()),
  audit_id: Type.String({ description: 'Record of the exchange that opened the item.' }),
  released_at: nullable(Timestamp),
  released_audit_id: nullable(Type.String()),
  successor_id: nullable(Type.String({ description: 'The item that its answer was held as in turn.' })),
  key_id: nullable(
    Type.String({ description: 'The API key that it was asked with; null: a message, or an exchange without a key.' }),
  ),
  key_issuers: Type.Array(Type.String(), {
    description: 'Operators who issued a key that it was asked with: they may not decide on it.',
  }),
})

export const ReviewWithContentView = Type.Object({
  ...ReviewView.properties,
  content: Type.Union(
    [
      Type.Object({
        messages: Type.Array(Anything),
        parameters: Type.Optional({
          ...Anything,
          description:
            'What else goes to the provider: settings of the model, tools, response format, metadata, …. As asked, like the messages: transforms are applied when it leaves. Missing where there is no such thing, as in a message.',
        }),
        completion: Type.Optional({ ...Anything, description: 'The answer, where that is what is held.' }),
      }),
      Type.Null(),
    ],
    { description: 'null once it has been erased: on denial, and at expiry.' },
  ),
  marks: Type.Array(MarkView, { description: 'Where in the content the detectors find something now.' }),
})

export const Judgement = Type.Object({
  comment: Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 4_000, pattern: '^[^\\u0000]*$', description: 'Why.' }),
  ),
})
