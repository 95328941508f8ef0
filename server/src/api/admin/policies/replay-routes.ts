import { Type } from 'typebox'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import type { ReplayedDecision, UndecidedRule } from '../../../domains/policy/replay/replayer.ts'
import { type ChangedDecision, REPLAY_LIMITS, type Replay, replay } from '../../../pipeline/replay/run-replay.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { POLICY_POINTS, VERDICTS } from '../../../shared/decision.ts'
import { invalid } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { encodeCursor } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { startOf, toRecordFilter } from '../audit/audit-query.ts'
import { AUDIT_FILTER } from '../audit/audit-shapes.ts'
import { inWorkspace } from '../kit/operation.ts'
import { ChosenPolicyView, chosenPolicyView, loadChosenPolicy, RuleView, Source } from './policy-shapes.ts'

const ReplayBody = Type.Object({
  source: Type.Optional({ ...Source, description: 'A draft. Alternative: `policy_set_id`.' }),
  policy_set_id: Type.Optional(Type.String({ description: 'A published version.' })),
  last: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'Number of audit records, newest first.' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 1_000, description: '`next_cursor` of the previous part. Default: the newest records.' }),
  ),
  ...AUDIT_FILTER,
})

const strings = Type.Array(Type.String())
const ReplayedDecisionView = Type.Object(
  {
    verdict: oneOf(VERDICTS, 'Verdict'),
    classification: Type.String({ description: 'The minimum that rules raise it to.' }),
    risk_level: Type.String({ description: 'The minimum that rules raise it to.' }),
    transforms: { ...strings, description: 'Transforms that rules demand, whether or not they changed a text.' },
    directives: strings,
    rules: Type.Array(RuleView),
  },
  { title: 'ReplayedDecision' },
)

const limit = {
  reason: oneOf(Object.keys(REPLAY_LIMITS) as (keyof typeof REPLAY_LIMITS)[]),
  rule: nullable(Type.String({ description: 'null: the record as a whole.' })),
  point: nullable(oneOf(POLICY_POINTS, 'PolicyPoint')),
  fact: nullable(Type.String({ description: 'The name that the rule reads and the record does not contain.' })),
}

const count = Type.Integer({ minimum: 0 })
const transforms_lost = Type.Boolean({ description: 'The draft no longer demands a transform, and no stricter one.' })
const ReplayView = Type.Object({
  object: Type.Literal('policy_replay'),
  policy: ChosenPolicyView,
  records: { ...count, description: 'Records that were read.' },
  from: nullable(Timestamp),
  to: nullable(Timestamp),
  unchanged: count,
  changed: count,
  not_replayed: { ...count, description: 'Records without a known outcome; `limits` lists the reasons.' },
  transitions: Type.Array(
    Type.Object({ from: oneOf(VERDICTS, 'Verdict'), to: oneOf(VERDICTS, 'Verdict'), transforms_lost, count }),
    { description: 'Changed decisions by old and new verdict, which can be equal, and by whether transforms are lost.' },
  ),
  changes: Type.Array(
    Type.Object({
      audit_id: Type.String(),
      created_at: Timestamp,
      application_id: nullable(Type.String()),
      endpoint: Type.String(),
      before: ReplayedDecisionView,
      after: ReplayedDecisionView,
      transforms_lost,
      uncertain: Type.Array(Type.String(), {
        description: 'Further rules that may match; the record does not contain enough to decide.',
      }),
    }),
    { description: 'Newest first, at most 500.' },
  ),
  next_cursor: nullable(
    Type.String({
      description:
        'Continues with the older records. A long replay in parts shows its progress and can be stopped. null: no more records.',
    }),
  ),
  has_more: Type.Boolean({ description: 'More changed records exist than are listed.' }),
  limits: Type.Array(Type.Object({ ...limit, message: Type.String(), count }), {
    description: 'Reasons why records cannot be replayed, with the number of records.',
  }),
})

const docs = inWorkspace('POST /policy-sets/replay', 'replayPolicies', 'Replay the newest records against a draft', {
  scope: 'audit:read',
  description:
    'Evaluates the draft on the audit records, which contain no content. A rule whose condition was in the original policy keeps its outcome. A new condition is evaluated on the recorded values.',
  body: ReplayBody,
  answers: { 200: ReplayView },
  errors: { 404: 'NOT_FOUND: the policy set, or the Workspace', ...EVALUATION_LIMIT_ERRORS },
})

export function replayRoutes(app: TypedApp, { db, reads, workspaceKeys, evaluationLimiter }: AdminDeps): void {
  handle(app, docs, async ({ workspaceId, body }) => {
    const draft = await loadChosenPolicy(db, workspaceId, body)
    if (!draft) throw invalid({ param: 'source', message: 'is required, or the other of policy_set_id and source; not both' })
    const { hasher } = await workspaceKeys.get(workspaceId)
    const { last = 1_000, source: _, policy_set_id: __, ...query } = body
    const { limit: ___, ...found } = toRecordFilter(query, hasher)
    const filter = { ...found, ...startOf(query) }
    const result = await evaluationLimiter.run((pause) =>
      reads.run((readDb) => replay(readDb, workspaceId, { draft, last, filter, hasher, pause })),
    )
    return { object: 'policy_replay', policy: chosenPolicyView(draft.version), ...replayView(result) }
  })
}

const replayView = ({ notReplayed, newest, oldest, end, transitions, changes, limits, ...counts }: Replay) => ({
  ...counts,
  not_replayed: notReplayed,
  from: oldest?.toISOString() ?? null,
  to: newest?.toISOString() ?? null,
  transitions: [...transitions.values()]
    .toSorted((a, b) => b.count - a.count)
    .map(({ transformsLost: transforms_lost, ...transition }) => ({ ...transition, transforms_lost })),
  changes: changes.map(changeView),
  next_cursor: end === undefined ? null : encodeCursor(String(end)),
  has_more: counts.changed > changes.length,
  limits: [...limits.values()]
    .toSorted((a, b) => b.count - a.count)
    .map((limit) => ({ ...limit, message: REPLAY_LIMITS[limit.reason] })),
})

const changeView = ({ record, before, after, transformsLost: transforms_lost, uncertain }: ChangedDecision) => ({
  transforms_lost,
  audit_id: record.id,
  created_at: record.created_at,
  application_id: record.application_id,
  endpoint: record.endpoint,
  before: replayedDecisionView(before),
  after: replayedDecisionView(after),
  uncertain: [...new Set(uncertain.map(({ rule }: UndecidedRule) => rule))],
})

const replayedDecisionView = ({ risk: risk_level, ...decision }: ReplayedDecision) => ({ ...decision, risk_level })
