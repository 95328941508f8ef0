import type { ApplicationUsage } from './application-usage.ts'
import type { RateCounter } from './counters.ts'
import { type FullLimit, type LimitState, limitHeaders, policyHeader } from './limit-headers.ts'
import type { RateUsage } from './rate-usage.ts'

/** The limits that apply to a request: those of the Application, and those of the key and its team. */
export interface Usages {
  readonly application: ApplicationUsage
  /** With the Application's first. */
  readonly all: readonly RateUsage[]
}

/** Headers of the limits that bind. `user`: the counter of the request's user. */
export function headersOf(usages: Usages, user: RateCounter | undefined, now: number, refusal?: FullLimit) {
  const { application, all } = usages
  if (all.length === 1) return limitHeaders(application.policyHeader, application.states(user, now), refusal)
  const { policy, states } = findBinding(usages, user, now, refusal)
  return limitHeaders(policy, states, refusal)
}

/** Of several limits with the same name, the one that refuses the request, otherwise the one with the fewest units left. */
function findBinding({ application, all }: Usages, user: RateCounter | undefined, now: number, refusal?: FullLimit) {
  const states: LimitState[] = application.states(user, now)
  let { limits } = application
  for (const usage of all.slice(1)) {
    for (const state of usage.rateStates(now)) {
      const index = states.findIndex(({ name }) => name === state.name)
      const shown = states[index]
      const isBinding = refusal?.limit === state.name ? refusal.limits === usage.limits : !shown || state.units < shown.units
      if (!isBinding) continue
      // Concurrency is the last state.
      states.splice(shown ? index : -1, shown ? 1 : 0, state)
      const { requests_per_minute, burst, tokens_per_minute } = usage.limits
      if (state.name === 'tokens') limits = { ...limits, tokens_per_minute }
      else if (requests_per_minute !== null) limits = { ...limits, requests_per_minute, burst }
    }
  }
  return { policy: policyHeader(limits), states }
}
