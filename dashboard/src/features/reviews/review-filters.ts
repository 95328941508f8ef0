import { oneOf, textOf } from '../../routing/location.ts'
import { STATES } from './review-item.ts'

const KINDS = ['hold', 'escalation'] as const

/** What the queue shows: what waits, unless the address says otherwise. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  state: oneOf(STATES, search.state) ?? 'pending',
  kind: oneOf(KINDS, search.kind),
  application: textOf(search.application),
})

export type ReviewFilters = ReturnType<typeof readFilters>
