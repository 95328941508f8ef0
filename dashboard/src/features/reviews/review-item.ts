import type { ItemOf, ResponseOf } from '../../api/operations.ts'
import type { ReviewItemWithContent as ReviewWithContent } from '../../api/schema.d.ts'

export type ReviewItem = ItemOf<'/admin/v1/reviews'>
export type HeldContent = NonNullable<ReviewWithContent['content']>
export type Preview = ResponseOf<'get', '/admin/v1/reviews/{id}/preview'>

/** A marked span of a text: a finding, `rule` for the text that a rule looks for, or `changed` by a transform. */
export type Mark = Omit<ReviewWithContent['marks'][number], 'type'> & { readonly type: string }

export const STATES = ['pending', 'approved', 'released', 'denied', 'acknowledged', 'expired'] as const

const SUBJECTS = { output: 'completion', message: 'message' } as const

/** The rule that names an item: the first one that demanded the review. */
export const ruleOf = ({ rules }: Pick<ReviewItem, 'rules'>): ReviewItem['rules'][number] | undefined => rules[0]

export const titleKey = ({ kind, point }: Pick<ReviewItem, 'kind' | 'point'>) =>
  `item.titles.${kind}.${point === 'output' || point === 'message' ? SUBJECTS[point] : 'request'}` as const
