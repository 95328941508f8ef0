import type { AnswerOf, ItemOf } from '../../api/operations.ts'

export type ReviewItem = ItemOf<'/admin/v1/reviews'>
type ReviewWithContent = AnswerOf<'get', '/admin/v1/reviews/{id}'>
export type HeldContent = NonNullable<ReviewWithContent['content']>
export type Mark = ReviewWithContent['marks'][number]

export const STATES = ['pending', 'approved', 'released', 'denied', 'acknowledged', 'expired'] as const

export const STATE_NAMES: Readonly<Record<ReviewItem['state'], string>> = {
  pending: 'waiting',
  approved: 'approved',
  released: 'released',
  denied: 'denied',
  acknowledged: 'acknowledged',
  expired: 'expired',
}

/** What waits there, in a few words. */
export function subjectOf({ kind, point }: Pick<ReviewItem, 'kind' | 'point'>): string {
  const what = point === 'output' ? 'answer' : point === 'message' ? 'message' : 'request'
  return kind === 'hold' ? `Held ${what}` : `Escalated ${what}`
}

export const askerOf = ({ user_id }: Pick<ReviewItem, 'user_id'>): string => user_id || 'nobody named'
