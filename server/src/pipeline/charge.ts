import { isPriced, knownCost, type Price, priceOf } from '../domains/providers/price.ts'
import type { ProviderAttempt } from '../shared/completion.ts'
import { collectTexts } from '../shared/message.ts'
import { addSpending, billionths, NOTHING_SPENT, type Spending } from '../shared/spending.ts'
import { estimateTokens } from '../shared/tokens.ts'
import type { CallReservation, StageResults } from './stage-results.ts'

/** The amount that the budgets of a request are charged. The record holds it, so that the sum over records is the amount spent. */
export interface Charge extends Spending {
  /** Whether a provider may have charged for a response whose usage it did not report. */
  readonly estimated: boolean
}

/** Outcomes after which a provider may charge for tokens that it did not report. A refusal or a status of an error costs nothing. */
const MAY_BE_CHARGED: ReadonlySet<string> = new Set([
  'ok',
  'aborted',
  'timeout',
  'reset',
  'truncated',
  'malformed',
  'too_large',
  'error_event',
])

type Results = Partial<Pick<StageResults, 'invoke' | 'remember' | 'route'>>
type Reserved = Pick<CallReservation, 'inputTokens' | 'call' | 'extraction'>

/** Where no usage was reported, tokens are estimated from the text; without the text an attempt is charged what was set aside. */
export function chargeOf(results: Results, reserved: Reserved, at: Date): Charge {
  const { invoke, remember } = results
  // The run was ended while the provider worked.
  if (!invoke) return { ...addSpending(reserved.call, reserved.extraction), estimated: true }
  const priceAt = (attempt: ProviderAttempt) => priceOfAttempt(results, attempt, at)
  const last = invoke.attempts.at(-1)
  const charges = [
    ...invoke.attempts.map((attempt) => {
      const price = priceAt(attempt)
      const received = attempt === last ? estimateReceived(results, reserved, attempt, price) : undefined
      return chargeOfAttempt(attempt, { price, received, most: reserved.call })
    }),
    ...(remember?.attempts ?? []).map((attempt) =>
      chargeOfAttempt(attempt, { price: priceAt(attempt), received: undefined, most: reserved.extraction }),
    ),
  ]
  return {
    ...charges.reduce<Spending>(addSpending, NOTHING_SPENT),
    estimated: charges.some(({ estimated }) => estimated),
  }
}

interface Bounds {
  readonly price: Price | undefined
  /** Estimate for the response that arrived; undefined: none did. */
  readonly received: Spending | undefined
  readonly most: Spending
}

function chargeOfAttempt(attempt: ProviderAttempt, { price, received, most }: Bounds): Charge {
  const { outcome, cost, prompt_tokens: input = 0, completion_tokens: output = 0 } = attempt
  const reported = { usd: billionths(cost ?? 0), tokens: input + output }
  if (!MAY_BE_CHARGED.has(outcome)) return { ...reported, estimated: false }
  // A count of 0 is none: no provider reads nothing.
  if (input === 0 || attempt.completion_tokens === 0) {
    return { ...(received ?? most), estimated: true }
  }
  // The model has a price, but not for the way in which the provider served the request.
  const isUnpricedTier = cost === undefined && isPriced(price, attempt.completion_tokens !== undefined)
  return isUnpricedTier ? { ...reported, usd: most.usd, estimated: true } : { ...reported, estimated: false }
}

/** The response of the last attempt, with the counts that it has; undefined: none arrived in full. */
function estimateReceived(
  { invoke }: Results,
  { inputTokens }: Reserved,
  { prompt_tokens, completion_tokens }: ProviderAttempt,
  price: Price | undefined,
): Spending | undefined {
  if (!invoke?.completion && !invoke?.embeddings) return undefined
  const input = prompt_tokens || inputTokens
  const { completion } = invoke
  const output =
    completion && (completion_tokens || estimateTokens(collectTexts(completion.choices.map(({ message }) => message))))
  return { usd: billionths(knownCost(price, { input, output }) ?? 0), tokens: input + (output ?? 0) }
}

function priceOfAttempt({ route }: Results, attempt: ProviderAttempt, at: Date): Price | undefined {
  const candidate = route?.candidates.find(
    ({ provider, model }) => provider.id === attempt.provider && model.id === attempt.model,
  )
  return candidate && priceOf(candidate.provider, candidate.model, at)
}
