import { type Static, Type } from 'typebox'
import type { FindMatches } from '../../../domains/policy/condition/text-matches.ts'
import { type HoldContent, REVIEW_STATES } from '../../../domains/review/review.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import type { Completion } from '../../../shared/completion.ts'
import { POLICY_POINTS } from '../../../shared/decision.ts'
import { FINDING_TYPES, type Finding } from '../../../shared/finding.ts'
import type { ChatMessage } from '../../../shared/message.ts'
import { Anything, nullable } from '../../../shared/schemas.ts'
import { PolicyVersionView, RuleView } from '../policies/policy-shapes.ts'

const nullableIndex = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const RULE_MATCH = 'rule'

export const MarkView = Type.Object(
  {
    message: nullableIndex('Index in `content.messages`. null: `content.completion` or a parameter.'),
    part: nullableIndex('Index of the content part. null when the content is one text.'),
    parameter: Type.Union([Type.String(), Type.Null()], {
      description: 'JSON Pointer of the text in `content.parameters`. null: the text is in a message or the completion.',
    }),
    type: { ...oneOf([...FINDING_TYPES, RULE_MATCH]), description: 'A finding, or `rule`: the text that a rule looks for.' },
    rule: Type.Optional(Type.String({ description: 'Id of the rule, if the type is `rule`.' })),
    start: Type.Integer({ minimum: 0, description: 'Start in the text, in UTF-16 units.' }),
    end: Type.Integer({ minimum: 0, description: 'End in the text (exclusive), in UTF-16 units.' }),
  },
  { title: 'TextMark' },
)
type Mark = Static<typeof MarkView>

interface Place extends Pick<Mark, 'message' | 'part' | 'parameter'> {
  readonly text: string
}

interface MarkedContent extends Pick<HoldContent, 'messages' | 'parameters'> {
  readonly completion?: Pick<Completion, 'choices'> | undefined
}

/** A rule that held an item, and the search for its text. */
export interface RuleMatches {
  readonly rule: string
  readonly find: FindMatches
}

/** UTF-16 units of texts that are searched for the matches of rules, because a pattern can take four seconds for a megabyte. */
const MAX_SEARCHED = 100_000

/** Findings of the current detectors and matches of rules in held content: for display, not for decisions. */
export function findMarks(
  content: MarkedContent,
  findInTexts: (texts: readonly string[]) => readonly (readonly Finding[])[],
  rules: readonly RuleMatches[] = [],
): Mark[] {
  const places = placesIn(content)
  const findings = findInTexts(places.map(({ text }) => text))
  const budget = { left: MAX_SEARCHED }
  return places.flatMap(({ message, part, parameter, text }, index) => [
    ...(findings[index] ?? []).map(({ type, start, end }) => ({ message, part, parameter, type, start, end })),
    ...rules.flatMap(({ rule, find }) =>
      find(text, budget).map((span) => ({ message, part, parameter, type: RULE_MATCH, rule, ...span }) as const),
    ),
  ])
}

const placesIn = ({ messages, parameters, completion }: MarkedContent): readonly Place[] => [
  ...messages.flatMap((message, index) => messagePlaces(message, index)),
  ...parameterPlaces('', parameters),
  ...(completion?.choices.slice(0, 1).flatMap(({ message }) => messagePlaces(message, null)) ?? []),
]

function messagePlaces({ content }: Pick<ChatMessage, 'content'>, message: number | null): readonly Place[] {
  if (typeof content === 'string') return [{ message, part: null, parameter: null, text: content }]
  return (content ?? []).flatMap(({ text }, part) => (typeof text === 'string' ? { message, part, parameter: null, text } : []))
}

function parameterPlaces(pointer: string, value: unknown): readonly Place[] {
  if (typeof value === 'string') return [{ message: null, part: null, parameter: pointer, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => parameterPlaces(`${pointer}/${escapePointer(name)}`, field))
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

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
  question: nullable(
    Type.String({ description: 'The question of a reviewer to the requester. The 409 of the next resubmission has it.' }),
  ),
  asked_by: nullable(Type.String({ description: 'Id of the operator or admin token that asks.' })),
  asked_at: nullable(Timestamp),
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
          sent_characters: Type.Optional(
            Type.Integer({
              description:
                'How many characters of the completion were sent before the item was opened (`settings.release: windowed`). They are before the first finding that a rule reads. Absent: none.',
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'null after erasure: when the item is denied or expires.' },
    ),
    expected_cost: nullable(
      Type.Number({
        description:
          'Of a held request when it was held, in USD: at the price of the first provider, for an estimate of its tokens and a completion of `max_tokens` (4,096 without). null: no price was known, or the item is another one.',
      }),
    ),
    marks: Type.Array(MarkView, {
      description: 'Current findings of the detectors in the content, and the places that the rules of the item look for.',
    }),
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
