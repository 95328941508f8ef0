import type { Reservation } from '../domains/budgets/ledger.ts'
import type { Spending } from '../shared/spending.ts'

/** The amounts that are set aside for a request, for each call of a provider. */
export interface CallReservation extends Reservation {
  /** The most tokens of the request itself. */
  readonly inputTokens: number
  /** Of one call. Retries and fallbacks use the same reservation. */
  readonly call: Spending
  /** Of one call of the model that extracts memories. */
  readonly extraction: Spending
}
