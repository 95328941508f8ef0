import type { Budget } from '../domains/budgets/budget.ts'
import type { BudgetLedger } from '../domains/budgets/ledger.ts'
import { type MatchedBudget, matchBudgets } from '../domains/budgets/match-budgets.ts'
import type { BudgetRefusal } from '../domains/budgets/reservation-store.ts'
import { LONGEST_RETRY_SECONDS } from '../domains/limits/limit-headers.ts'
import { isPriced, type Price, priceOf } from '../domains/providers/price.ts'
import { requestedTier } from '../domains/providers/price-tier.ts'
import type { Cache } from '../platform/lib/cache.ts'
import type { Clock } from '../platform/lib/clock.ts'
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts'
import { refuse, type Stop } from '../shared/outcome.ts'
import { mostOutputTokens } from '../shared/output-limits.ts'
import { teamOf } from '../shared/principal.ts'
import { addSpending, atMostBillionths, NOTHING_SPENT, type Spending } from '../shared/spending.ts'
import { mostRequestTokens } from '../shared/tokens.ts'
import type { Authorized, CallReservation, Invoked, RequestContext, Route } from './stage-results.ts'

export interface SpendingDeps {
  readonly budgets: Cache<readonly Budget[]>
  readonly budgetLedger: Pick<BudgetLedger, 'reserve' | 'close'>
  readonly budgetOutputTokens: number
  readonly budgetLinkTokens: number
  readonly clock: Clock
}

/** The most that the request may use at each budget that counts it; undefined: none does. Retries use the same reservation. */
export function reserveSpending(
  context: RequestContext,
  authorized: Authorized,
  route: Route,
  deps: SpendingDeps,
): MaybePromise<CallReservation | Stop<Invoked> | undefined> {
  if (context.admitted.request.dryRun || route.candidates.length === 0) return undefined
  return andThen(deps.budgets.get(context.caller.application.workspaceId), (budgets) =>
    budgets.length === 0 ? undefined : reserveAt(budgets, context, authorized, route, deps),
  )
}

async function reserveAt(
  budgets: readonly Budget[],
  context: RequestContext,
  authorized: Authorized,
  route: Route,
  deps: SpendingDeps,
): Promise<CallReservation | Stop<Invoked> | undefined> {
  const { application } = context.caller
  const { request } = context.admitted
  const matched = matchBudgets(budgets, {
    applicationId: application.id,
    teamId: teamOf(application)?.id,
    keyId: application.countedKeyId ?? '',
    user: context.identity.user,
  })
  if (matched.length === 0) return undefined

  const hasOutput = context.incoming.endpoint !== 'embeddings'
  const prices = route.candidates.map(({ provider, model }) => priceOf(provider, model, deps.clock.now()))
  const refusing = matched.find(({ budget: { unit, unpriced } }) => unit === 'usd' && unpriced === 'refuse')
  if (refusing && !prices.every((price) => isPriced(price, hasOutput)))
    return refuseUnpriced(refusing, 'the model', 'An operator has to set the price of the model.')
  if (refusing && requestedTier(authorized.parameters) === 'pricier')
    return refuseUnpriced(refusing, 'this service_tier or speed', 'Ask for the standard tier.')
  const output = hasOutput ? mostOutputTokens(request.parameters, authorized.directives.maxTokens, deps.budgetOutputTokens) : 0
  const most = mostRequestTokens(authorized, [...authorized.systemTexts, authorized.context], deps.budgetLinkTokens)
  // The context of a model for embeddings is the length of one text.
  const inputTokens = hasOutput ? withinContext(most, prices) : most
  const call = mostSpending({ input: inputTokens, output }, prices)
  // The model that extracts memories reads the conversation with the completion, and has no separate limit.
  const extraction = mayExtractMemories(context)
    ? mostSpending({ input: withinContext(inputTokens + output, prices), output: deps.budgetOutputTokens }, prices)
    : NOTHING_SPENT
  const result = await deps.budgetLedger.reserve(application.workspaceId, matched, addSpending(call, extraction))
  return result.ok ? { ...result, inputTokens, call, extraction } : refuseByBudget(result)
}

interface Call {
  readonly input: number
  readonly output: number
}

/** At the highest price of any candidate, in the highest tier. A price that is unknown counts as 0 here. */
function mostSpending({ input, output }: Call, prices: readonly (Price | undefined)[]): Spending {
  const highest = (kind: keyof Price['highest']) => Math.max(0, ...prices.map((price) => price?.highest[kind] || 0))
  return {
    usd: atMostBillionths(input * highest('input') + output * highest('output') + highest('request')),
    tokens: input + output,
  }
}

/** No chat is longer than the context of its model. */
const withinContext = (tokens: number, prices: readonly (Price | undefined)[]): number =>
  Math.min(tokens, Math.max(...prices.map((price) => price?.contextTokens ?? Number.POSITIVE_INFINITY)))

function mayExtractMemories({ incoming: { endpoint }, caller: { application } }: RequestContext): boolean {
  const { memory } = application.settings
  return endpoint === 'chat' && memory.enabled && memory.capture === 'extract'
}

const refuseUnpriced = ({ budget: { name } }: MatchedBudget, of: string, remedy: string): Stop<Invoked> =>
  refuse('NO_ELIGIBLE_PROVIDER', {
    message: `No price is known for ${of}, and the budget ${JSON.stringify(name)} counts money. ${remedy}`,
    details: { reason: 'no_price', budget: name },
  })

/** Running requests give back what they do not use. */
const RUNNING_RETRY_SECONDS = 1

/** The amounts stay private: clients learn which budget refuses, why, and when to try again. */
function refuseByBudget(refusal: BudgetRefusal): Stop<Invoked> {
  const { reason, message, seconds } = describeRefusal(refusal)
  return refuse('BUDGET_EXCEEDED', {
    message: seconds === undefined ? message : `${message} Try again in ${seconds} s.`,
    details: { reason, budget: refusal.name },
    headers: {
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
      ...((seconds === undefined || seconds > LONGEST_RETRY_SECONDS) && { 'x-should-retry': 'false' }),
    },
  })
}

/** `seconds`: undefined if the request is never admitted. */
function describeRefusal({ name, limit, spent, asked, seconds }: BudgetRefusal) {
  const budget = `the budget ${JSON.stringify(name)}`
  const more = `This request could use more than`
  if (asked > limit) {
    return { reason: 'too_large', message: `${more} ${budget} allows in a whole period: set a lower max_tokens, or send less.` }
  }
  if (spent >= limit) return { reason: 'used_up', message: `T${budget.slice(1)} is used up.`, seconds }
  if (spent + asked > limit) {
    return { reason: 'used_up', message: `${more} is left of ${budget}: set a lower max_tokens.`, seconds }
  }
  return { reason: 'reserved', message: `Running requests could use up ${budget}.`, seconds: RUNNING_RETRY_SECONDS }
}
