import { oneOf, textOf } from '../../routing/location.ts'
import { STATES } from './review-item.ts'

const KINDS = ['hold', 'escalation'] as const

/** Filters in the page's URL. Default: pending items. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  state: oneOf(STATES, search.state) ?? 'pending',
  kind: oneOf(KINDS, search.kind),
  application: textOf(search.application),
})

export type ReviewFilters = ReturnType<typeof readFilters>
