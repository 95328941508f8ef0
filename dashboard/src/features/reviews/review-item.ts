import type { ItemOf, ResponseOf } from '../../api/operations.ts'

export type ReviewItem = ItemOf<'/admin/v1/reviews'>
type ReviewWithContent = ResponseOf<'get', '/admin/v1/reviews/{id}'>
export type HeldContent = NonNullable<ReviewWithContent['content']>
export type Mark = ReviewWithContent['marks'][number]

export const STATES = ['pending', 'approved', 'released', 'denied', 'acknowledged', 'expired'] as const

export const STATE_NAMES: Readonly<Record<ReviewItem['state'], string>> = {
  pending: 'Pending',
  approved: 'Approved',
  released: 'Released',
  denied: 'Denied',
  acknowledged: 'Acknowledged',
  expired: 'Expired',
}

/** Title of an item. */
export function titleOf({ kind, point }: Pick<ReviewItem, 'kind' | 'point'>): string {
  const subject = point === 'output' ? 'completion' : point === 'message' ? 'message' : 'request'
  return kind === 'hold' ? `Held ${subject}` : `Escalated ${subject}`
}

export const userOf = ({ user_id }: Pick<ReviewItem, 'user_id'>): string => user_id || 'No user'
