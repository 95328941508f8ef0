import type { Tx } from '../../../platform/db/database.ts'
import { addToOutbox } from '../../../platform/queue/outbox.ts'
import { GOVERNANCE_EVENT_TYPES } from '../../../shared/governance-event.ts'

const CHANGES = ['created', 'updated', 'deleted'] as const
const OBJECTS = ['conversation', 'message', 'contact', 'group', 'attachment'] as const

/** The events that members receive (MSG-EVENT-1). */
const MESSAGING_EVENT_TYPES = [
  ...OBJECTS.flatMap((object) => CHANGES.map((change) => `${object}.${change}` as const)),
  'message.read',
  'message.held',
  'message.released',
  'assistant.typing',
] as const

export const EVENT_TYPES = [...MESSAGING_EVENT_TYPES, ...GOVERNANCE_EVENT_TYPES] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** The changed object as the API shows it to the audience. `eraseEvents` finds events by the two ids. */
export interface EventPayload {
  readonly id?: string
  readonly conversation_id?: string
  readonly [field: string]: unknown
}

export interface NewEvent {
  readonly workspaceId: string
  readonly type: EventType
  /** Ids of the users who receive the event. Webhooks receive all events of their Workspace. */
  readonly audience: readonly string[]
  readonly payload: EventPayload
}

export interface LoggedEvent {
  readonly sequence: number
  readonly type: string
  readonly audience: readonly string[]
  readonly payload: string
}

/** Topic of platform/db/signal.ts: the log of a Workspace (`ws_…`) has grown. */
export const EVENTS_TOPIC = 'events'

/** Sends the events in this order after the commit. Call `relay.wake()` then; otherwise a job sends them up to 250 ms later. */
export const emit = (tx: Tx, ...events: readonly NewEvent[]): Promise<void> => addToOutbox(tx, events)
