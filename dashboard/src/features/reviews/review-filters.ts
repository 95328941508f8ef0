import { oneOf, textOf } from '../../routing/location.ts'
import { QUEUE_GROUPS, QUEUE_SORTS } from './arrange-queue.ts'
import { STATES } from './review-item.ts'

const ASSIGNEES = ['me', 'none'] as const
const KINDS = ['hold', 'escalation'] as const

export const PENDING = 'pending'

/** Filters in the page's URL. Default: pending items. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  state: oneOf(STATES, search.state) ?? PENDING,
  kind: oneOf(KINDS, search.kind),
  application: textOf(search.application),
  rule: textOf(search.rule),
  assignee: oneOf(ASSIGNEES, search.assignee),
  user: textOf(search.user),
  q: textOf(search.q),
  group: oneOf(QUEUE_GROUPS, search.group),
  sort: oneOf(QUEUE_SORTS, search.sort),
})

export type ReviewFilters = ReturnType<typeof readFilters>
