import { Type } from 'typebox'
import { REVIEW_STATES } from '../../../domains/review/review.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import { POLICY_POINTS } from '../../../shared/decision.ts'
import { Anything, nullable } from '../../../shared/schemas.ts'
import { PolicyVersionView, RuleView } from '../../kit/decision-shapes.ts'
import { MarkView } from './review-marks.ts'

export const REVIEW_KINDS = ['hold', 'escalation'] as const

const ApprovalView = Type.Object(
  { by: Type.String({ description: 'Id of the operator or admin token.' }), at: Timestamp, comment: nullable(Type.String()) },
  { title: 'Approval' },
)

export const ReviewView = Type.Object({
  id: Type.String(),
  object: Type.Literal('review_item'),
  kind: oneOf(REVIEW_KINDS, 'ReviewKind'),
  state: oneOf(REVIEW_STATES, 'ReviewState'),
  workspace_id: Type.String(),
  application_id: nullable(Type.String({ description: 'null: a message of the messaging API.' })),
  message_id: nullable(Type.String({ description: 'The held message.' })),
  user_id: Type.String({ description: 'Empty for a request without a user.' }),
  session_id: nullable(Type.String()),
  endpoint: Type.String(),
  point: oneOf(POLICY_POINTS, 'PolicyPoint'),
  rules: Type.Array(RuleView, { description: 'The reasons.' }),
  classification: oneOf(CLASSIFICATIONS, 'Classification'),
  risk_level: oneOf(RISK_LEVELS, 'RiskLevel'),
  findings: Type.Record(Type.String(), Type.Integer()),
  request_hash: Type.String(),
  policy: nullable(PolicyVersionView),
  model: nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Timestamp,
  decided_by: nullable(Type.String({ description: 'Id of the operator or admin token.' })),
  decided_at: nullable(Timestamp),
  comment: nullable(Type.String()),
  audit_id: Type.String({ description: 'Audit record of the request that created the item.' }),
  released_at: nullable(Timestamp),
  released_audit_id: nullable(Type.String()),
  successor_id: nullable(Type.String({ description: 'The item that later held the completion of the same request.' })),
  key_id: nullable(Type.String({ description: 'The API key of the request. null: a message, or a request without a key.' })),
  key_issuers: Type.Array(Type.String(), { description: 'Operators who issued a key of the request. They cannot decide on it.' }),
  assigned_to: nullable(Type.String({ description: 'The operator who is asked to decide. Other reviewers can decide too.' })),
  assigned_for: nullable(
    Type.String({ description: 'The absent operator whose delegate `assigned_to` is. null: `assigned_to` was asked directly.' }),
  ),
  required_approvals: Type.Integer({ description: 'Number of different operators who must approve the hold.' }),
  approvals: Type.Array(ApprovalView, {
    description: 'The approvals so far, if several are required. The item is pending until the last one.',
  }),
})

export const reviewView = (item: ReviewItem) => viewOf(ReviewView, item, { request_hash: item.requestHash.toString('hex') })

export const ReviewWithContentView = Type.Object(
  {
    ...ReviewView.properties,
    content: Type.Union(
      [
        Type.Object({
          messages: Type.Array(Anything),
          parameters: Type.Optional({
            ...Anything,
            description:
              'Other parts of the upstream request: model settings, tools, response format, metadata … Shown before transforms, like the messages. Absent for a message of the messaging API.',
          }),
          completion: Type.Optional({ ...Anything, description: 'The held completion.' }),
        }),
        Type.Null(),
      ],
      { description: 'null after erasure: when the item is denied or expires.' },
    ),
    marks: Type.Array(MarkView, { description: 'Current findings of the detectors in the content.' }),
  },
  { title: 'ReviewItemWithContent' },
)

export const DecisionBody = Type.Object(
  {
    comment: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 4_000,
        pattern: '^[^\\u0000]*$',
        description: 'Reason of the decision.',
      }),
    ),
  },
  { title: 'ReviewDecision' },
)
