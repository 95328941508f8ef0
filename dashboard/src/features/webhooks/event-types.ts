import type { ItemOf } from '../../api/operations.ts'

export type Webhook = ItemOf<'/admin/v1/webhooks'>
type EventType = NonNullable<Webhook['types']>[number]

const THINGS = ['conversation', 'message', 'contact', 'group', 'attachment'] as const
const CHANGES = ['created', 'updated', 'deleted'] as const

/** Everything that a webhook can be told of. */
export const EVENT_TYPES: EventType[] = [
  ...THINGS.flatMap((thing) => CHANGES.map((change) => `${thing}.${change}` as const)),
  'message.read',
  'message.held',
  'message.released',
  'assistant.typing',
]
