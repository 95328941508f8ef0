const CHANGES = ['created', 'updated', 'deleted'] as const
const THINGS = ['conversation', 'message', 'contact', 'group', 'attachment'] as const

/** Everything that members and webhooks are told of (MSG-EVENT-1). */
export const EVENT_TYPES = [
  ...THINGS.flatMap((thing) => CHANGES.map((change) => `${thing}.${change}` as const)),
  'message.read',
  'message.held',
  'message.released',
  'assistant.typing',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What is told of an object: its view, as those who may know see it. Its ids are what it is later erased by. */
export interface EventPayload {
  readonly id?: string
  readonly conversation_id?: string
  readonly [field: string]: unknown
}

/** Something that has happened, on its way into the log. */
export interface NewEvent {
  /** `ws_…` */
  readonly workspaceId: string
  readonly type: EventType
  /** Ids of the users who may know. Webhooks are told of everything in their Workspace. */
  readonly audience: readonly string[]
  readonly payload: EventPayload
}

/** Something that has happened, at its place in its Workspace's log. */
export interface LoggedEvent {
  readonly sequence: number
  readonly type: string
  readonly audience: readonly string[]
  /** JSON, as it was emitted. */
  readonly payload: string
}

/** Topic of db/signal.ts: the log of a Workspace (`ws_…`) has grown. */
export const EVENTS_TOPIC = 'events'
