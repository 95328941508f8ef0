import type { ItemOf } from '../../api/operations.ts'

export type Webhook = ItemOf<'/admin/v1/webhooks'>
type EventType = NonNullable<Webhook['types']>[number]

const OBJECTS = ['conversation', 'message', 'contact', 'group', 'attachment'] as const
const CHANGES = ['created', 'updated', 'deleted'] as const

/** Event types that a webhook can receive. */
export const EVENT_TYPES: EventType[] = [
  ...OBJECTS.flatMap((object) => CHANGES.map((change) => `${object}.${change}` as const)),
  'message.read',
  'message.held',
  'message.released',
  'assistant.typing',
  'budget.alert',
]
