import type { Logger } from 'pino'
import { type ChangeDeps, change } from '../../api/admin/kit/change.ts'
import { type ChatDeps, parserOf } from '../../api/gateway/chat.ts'
import { openaiChat } from '../../dialects/openai-chat/openai-chat.ts'
import { BUDGETS_TOPIC, findBudgetByName, updateBudget } from '../../domains/budgets/budget-store.ts'
import { readWindows } from '../../domains/budgets/window-store.ts'
import type { ApplicationKey } from '../../domains/identity/api-key-store.ts'
import { acknowledgeEscalation, decideHold } from '../../domains/review/decision-store.ts'
import { listReviews } from '../../domains/review/review-list.ts'
import { TrustedCaller } from '../../pipeline/callers.ts'
import { runPipeline } from '../../pipeline/pipeline.ts'
import { newId } from '../../platform/lib/id.ts'
import type { Operator } from '../../shared/operator.ts'
import { NEAR_LIMIT_BUDGET } from '../demo/demo-extras.ts'
import type { PlannedRequest } from './plan-history.ts'

export type HistoryDeps = ChatDeps &
  ChangeDeps & {
    readonly log: Logger
    readonly workspaceId: string
    readonly owner: Operator | undefined
    readonly reviewer: Operator | undefined
  }

/** Something that happens at a time of the history. Returns the events that it causes. */
export interface HistoryEvent {
  readonly at: Date
  readonly run: (deps: HistoryDeps) => Promise<readonly HistoryEvent[]>
}

const MINUTE_MS = 60_000
const APPROVED_SHARE = 0.7
const ACKNOWLEDGED_SHARE = 0.8

export type HistoryCaller = Pick<ApplicationKey, 'application' | 'keyId'>

/** A request, and what a reviewer later does with its hold or escalation. */
export const eventOf = (request: PlannedRequest, caller: HistoryCaller): HistoryEvent => ({
  at: request.at,
  run: async (deps) => {
    const { held, trace } = await send(request, caller, deps)
    if (held && !request.isLeftPending) return [decisionOf(request, caller, held.itemId)]
    const isEscalated = trace.results.authorize?.decision.verdict === 'escalate'
    return isEscalated && request.chance < ACKNOWLEDGED_SHARE ? [acknowledgementOf(request)] : []
  },
})

function send(
  { model, user, text }: PlannedRequest,
  caller: HistoryCaller,
  deps: HistoryDeps,
  reviewItemId?: string,
): ReturnType<typeof runPipeline> {
  const messages = [{ role: 'user', content: text }]
  const governance = { ...(reviewItemId && { review_item_id: reviewItemId }) }
  const parse = parserOf(openaiChat, deps)
  return runPipeline(
    {
      endpoint: 'chat',
      requestId: newId('req'),
      authorization: undefined,
      userToken: undefined,
      internalCaller: new TrustedCaller({ ...caller, user }),
      body: Buffer.from(JSON.stringify({ model, messages, governance })),
      clientSignal: () => new AbortController().signal,
      parse: (...parameters) => parse(...parameters).parsed,
    },
    deps,
  )
}

const later = ({ at }: PlannedRequest, minutes: number): Date => new Date(at.getTime() + minutes * MINUTE_MS)

/** Most holds are approved, and their requests are then sent again; the others are denied. */
function decisionOf(request: PlannedRequest, caller: HistoryCaller, itemId: string): HistoryEvent {
  const isApproved = request.chance < APPROVED_SHARE
  return {
    at: later(request, 4 + request.chance * 90),
    run: async (deps) => {
      await decide(deps, isApproved ? 'approve' : 'deny', itemId)
      const release = async (releaseDeps: HistoryDeps) => {
        await send(request, caller, releaseDeps, itemId)
        return []
      }
      return isApproved ? [{ at: later(request, 6 + request.chance * 90), run: release }] : []
    },
  }
}

const acknowledgementOf = (request: PlannedRequest): HistoryEvent => ({
  at: later(request, 30 + request.chance * 600),
  run: async (deps) => {
    const { db, workspaceId, clock } = deps
    const filter = { limit: 1, state: 'pending', kind: 'escalation', now: clock.now() } as const
    const [oldest] = (await listReviews(db, workspaceId, filter))?.data ?? []
    if (oldest) await decide(deps, 'acknowledge', oldest.id)
    return []
  },
})

/** The reviewer's decision with its audit record, as the admin API makes it. An item that cannot be decided any more stays as it is. */
async function decide(deps: HistoryDeps, verb: 'approve' | 'deny' | 'acknowledge', itemId: string): Promise<void> {
  const { workspaceId, reviewer, log } = deps
  if (!reviewer) return
  await change(deps, { operator: reviewer, workspaceId, log }, async (tx, now) => {
    const decision = { by: reviewer.id, comment: null, now }
    const result =
      verb === 'acknowledge'
        ? await acknowledgeEscalation(tx, workspaceId, itemId, decision)
        : await decideHold(tx, workspaceId, itemId, { ...decision, verdict: verb === 'approve' ? 'approved' : 'denied' })
    if (result.kind !== 'decided') return { value: undefined }
    return { value: undefined, action: `review.${verb}`, id: itemId, fields: ['state'] }
  })
}

/** How much of the limit is spent then: above the alert at 80 %, with room for the last requests. */
const SHARE = 0.88
const BEFORE_END_MS = 3_600_000

/** The owner lowers the limit of a budget to a little more than is spent, so that Home shows a budget near its limit. */
export const nearLimit = (until: Date): HistoryEvent => ({
  at: new Date(until.getTime() - BEFORE_END_MS),
  run: async (deps) => {
    const { workspaceId, owner, log } = deps
    if (!owner) return []
    await change(deps, { operator: owner, workspaceId, log }, async (tx, now) => {
      const budget = await findBudgetByName(tx, workspaceId, NEAR_LIMIT_BUDGET)
      const spent = budget && (await readWindows(tx, [budget])).get(budget.id)?.most?.spent
      if (!budget || !spent) return { value: undefined }
      await updateBudget(tx, workspaceId, budget.id, { amount: Math.ceil(spent / SHARE) }, now)
      const announce = [BUDGETS_TOPIC, workspaceId] as const
      return { value: undefined, action: 'budget.update', id: budget.id, fields: ['limit'], announce }
    })
    return []
  },
})
