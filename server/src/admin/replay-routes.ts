import { Type } from 'typebox'
import { oneOf, Timestamp } from '../applications/shapes.ts'
import { POLICY_POINTS, VERDICTS } from '../domain/decision.ts'
import type { Demand, Unknown } from '../policy/replay/replay.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { recordFilter } from './audit-query.ts'
import { AUDIT_FILTER } from './audit-shapes.ts'
import { chosenPolicy } from './chosen-policy.ts'
import { inWorkspace } from './operation.ts'
import { ChosenPolicyView, chosenPolicyView, Source } from './policy-shapes.ts'
import { invalid } from './refusals.ts'
import { type ChangedDecision, LIMITS, type Replay, replay } from './replay.ts'
import { RuleView } from './review-shapes.ts'
import { nullable } from './shapes.ts'
import { TRIAL_ERRORS } from './trials.ts'

const ReplayBody = Type.Object({
  source: Type.Optional({ ...Source, description: 'A draft; or else `policy_set_id`.' }),
  policy_set_id: Type.Optional(Type.String({ description: 'A published version.' })),
  last: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'How many records, the newest first.' }),
  ),
  ...AUDIT_FILTER,
})

const strings = Type.Array(Type.String())
const DemandView = Type.Object({
  verdict: oneOf(VERDICTS),
  classification: Type.String({ description: 'What rules raise it to at least.' }),
  risk_level: Type.String({ description: 'What rules raise it to at least.' }),
  transforms: { ...strings, description: 'Those demanded, whether or not there was anything to change.' },
  directives: strings,
  rules: Type.Array(RuleView),
})

const limit = {
  reason: oneOf(Object.keys(LIMITS) as (keyof typeof LIMITS)[]),
  rule: nullable(Type.String({ description: 'null: the record as a whole.' })),
  point: nullable(oneOf(POLICY_POINTS)),
  fact: nullable(Type.String({ description: 'The name that the rule reads and the record does not hold.' })),
}

const count = Type.Integer({ minimum: 0 })
const ReplayView = Type.Object({
  object: Type.Literal('policy_replay'),
  policy: ChosenPolicyView,
  records: { ...count, description: 'Looked at.' },
  from: nullable(Timestamp),
  to: nullable(Timestamp),
  unchanged: count,
  changed: count,
  not_replayed: { ...count, description: 'What would become of them is not known; `limits` says why.' },
  transitions: Type.Array(Type.Object({ from: oneOf(VERDICTS), to: oneOf(VERDICTS), count }), {
    description: 'Changed decisions by their verdicts, which may be the same.',
  }),
  changes: Type.Array(
    Type.Object({
      audit_id: Type.String(),
      created_at: Timestamp,
      application_id: nullable(Type.String()),
      endpoint: Type.String(),
      before: DemandView,
      after: DemandView,
      uncertain: Type.Array(Type.String(), { description: 'Rules that might match besides; the record does not tell.' }),
    }),
    { description: 'Newest first, 500 at most.' },
  ),
  has_more: Type.Boolean({ description: 'More have changed than are shown.' }),
  limits: Type.Array(Type.Object({ ...limit, message: Type.String(), count }), {
    description: 'What cannot be replayed, and in how many records.',
  }),
})

const docs = inWorkspace('replayPolicies', 'What a draft would have made of the newest records', {
  scope: 'audit:read',
  description:
    'Decides again on what records hold of each exchange, which is never its content. A rule whose condition stood in the policy that decided then keeps its outcome; a new condition is asked of the stored values.',
  query: {},
  body: ReplayBody,
  answers: { 200: ReplayView },
  errors: { 404: 'NOT_FOUND: the policy set, or the Workspace', ...TRIAL_ERRORS },
})

export function replayRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, workspaceKeys, trials } = deps

  app.post('/policy-sets/replay', { schema: docs }, async ({ workspaceId, body }) => {
    const draft = await chosenPolicy(db, workspaceId, body)
    if (!draft) throw invalid({ param: 'source', message: 'give either policy_set_id or source' })
    const { hasher } = await workspaceKeys.get(workspaceId)
    const { last = 1_000, source: _, policy_set_id: __, ...query } = body
    const { limit: ___, ...filter } = recordFilter(query, hasher)
    const result = await trials.run((pause) => replay(db, workspaceId, { draft, last, filter, hasher, pause }))
    return { object: 'policy_replay', policy: chosenPolicyView(draft.version), ...replayView(result) }
  })
}

const replayView = ({ notReplayed, newest, oldest, transitions, changes, limits, ...counts }: Replay) => ({
  ...counts,
  not_replayed: notReplayed,
  from: oldest?.toISOString() ?? null,
  to: newest?.toISOString() ?? null,
  transitions: [...transitions.values()].toSorted((a, b) => b.count - a.count),
  changes: changes.map(changeView),
  has_more: counts.changed > changes.length,
  limits: [...limits.values()].toSorted((a, b) => b.count - a.count).map((one) => ({ ...one, message: LIMITS[one.reason] })),
})

const changeView = ({ record, before, after, uncertain }: ChangedDecision) => ({
  audit_id: record.id,
  created_at: record.created_at,
  application_id: record.application_id,
  endpoint: record.endpoint,
  before: demandView(before),
  after: demandView(after),
  uncertain: [...new Set(uncertain.map(({ rule }: Unknown) => rule))],
})

const demandView = ({ verdict, classification, risk, transforms, directives, rules }: Demand) => ({
  verdict,
  classification,
  risk_level: risk,
  transforms,
  directives,
  rules,
})
