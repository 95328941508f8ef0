import type { Reservation } from '../budgets/ledger.ts'
import type { ProviderAttempt } from '../domain/completion.ts'
import { collectTexts } from '../domain/message.ts'
import { billionths, type Spending } from '../domain/spending.ts'
import { estimateTokens } from '../domain/tokens.ts'
import { knownCost, priceOf } from '../providers/price.ts'
import type { StageResults } from './stage-results.ts'

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

/**
 * The usage that the providers reported. Where one reported none, tokens are estimated from the text that arrived; where the text is not
 * known, the reservation is charged.
 */
export function chargeOf(results: Results, { spending }: Pick<Reservation, 'spending'>, at: Date): Charge {
  const { invoke, remember } = results
  // The run was ended while the provider worked.
  if (!invoke) return { ...spending, estimated: true }
  const attempts = [...invoke.attempts, ...(remember?.attempts ?? [])]
  const known = attempts.reduce<Spending>((sum, attempt) => add(sum, reportedBy(attempt)), { usd: 0, tokens: 0 })
  const unreported = attempts.filter((one) => one.prompt_tokens === undefined && MAY_BE_CHARGED.has(one.outcome))
  const [first, ...others] = unreported
  if (!first) return { ...known, estimated: false }
  const received = others.length === 0 && first === invoke.attempts.at(-1) ? estimateReceived(results, first, at) : undefined
  if (received) return { ...add(known, received), estimated: true }
  return { usd: Math.max(known.usd, spending.usd), tokens: Math.max(known.tokens, spending.tokens), estimated: true }
}

const add = (a: Spending, b: Spending): Spending => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })

const reportedBy = ({ cost = 0, prompt_tokens = 0, completion_tokens = 0 }: ProviderAttempt): Spending => ({
  usd: billionths(cost),
  tokens: prompt_tokens + completion_tokens,
})

/** The response of the attempt, or the beginning that made its denial certain; undefined: nothing arrived. */
function estimateReceived({ invoke, route }: Results, attempt: ProviderAttempt, at: Date): Spending | undefined {
  if (!invoke || !route) return undefined
  const { completion, embeddings, denial } = invoke
  if (!completion && !embeddings && !denial) return undefined
  const texts = completion ? collectTexts(completion.choices.map(({ message }) => message)) : []
  const output = embeddings ? undefined : (denial?.tokens ?? estimateTokens(texts))
  const input = route.tokens()
  const candidate = route.candidates.find(({ provider, model }) => provider.id === attempt.provider && model.id === attempt.model)
  const price = candidate && priceOf(candidate.provider, candidate.model, at)
  return { usd: billionths(knownCost(price, { input, output }) ?? 0), tokens: input + (output ?? 0) }
}
