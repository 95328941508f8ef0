export const QUEUE_GROUPS = ['rule', 'user', 'application'] as const
export const QUEUE_SORTS = ['newest', 'oldest', 'risk'] as const
const RISKS: readonly string[] = ['low', 'medium', 'high', 'critical']

/** The fields of a review item that arrange it. */
export interface QueueItem {
  readonly id: string
  readonly user_id: string
  readonly application_id: string | null
  readonly rules: readonly { readonly id: string }[]
  readonly risk_level: string
  readonly created_at: string
}

/** An item with the texts of its row. */
export interface QueueEntry<Item extends QueueItem = QueueItem> {
  readonly item: Item
  readonly title: string
  readonly user: string
  readonly application: string
  readonly excerpt: string | undefined
}

export interface QueueGroup<Item extends QueueItem> {
  readonly key: string
  /** Empty: the queue is not grouped. */
  readonly title: string
  readonly entries: readonly QueueEntry<Item>[]
}

interface Arrangement {
  readonly q?: string | undefined
  readonly group?: (typeof QUEUE_GROUPS)[number] | undefined
  /** Undefined: as the API lists them, next to expire first. */
  readonly sort?: (typeof QUEUE_SORTS)[number] | undefined
}

/** The loaded items that have all searched words, sorted, and grouped in the order of their first items. */
export function arrangeQueue<Item extends QueueItem>(
  entries: readonly QueueEntry<Item>[],
  { q = '', group, sort }: Arrangement,
): readonly QueueGroup<Item>[] {
  const words = q.toLowerCase().split(/\s+/)
  const found = entries.filter((entry) => words.every((word) => textOf(entry).includes(word)))
  const sorted = sort ? found.toSorted(ORDERS[sort]) : found
  if (!group) return sorted.length === 0 ? [] : [{ key: '', title: '', entries: sorted }]
  const groups = new Map<string, QueueEntry<Item>[]>()
  for (const entry of sorted) {
    const [key] = PLACES[group](entry)
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return [...groups].map(([key, [first, ...rest]]) => {
    const members = first ? [first, ...rest] : rest
    return { key, title: first ? PLACES[group](first)[1] : key, entries: members }
  })
}

const textOf = ({ item, title, user, application, excerpt = '' }: QueueEntry): string =>
  [title, user, application, excerpt, item.id, ...item.rules.map(({ id }) => id)].join('\n').toLowerCase()

type Place = (entry: QueueEntry) => readonly [key: string, title: string]

const PLACES: Readonly<Record<(typeof QUEUE_GROUPS)[number], Place>> = {
  rule: ({ item, title }) => [item.rules[0]?.id ?? '', title],
  user: ({ item, user }) => [item.user_id, user],
  application: ({ item, application }) => [item.application_id ?? '', application],
}

type Order = (one: QueueEntry, other: QueueEntry) => number

const newestFirst: Order = ({ item: one }, { item: other }) => Date.parse(other.created_at) - Date.parse(one.created_at)

const ORDERS: Readonly<Record<(typeof QUEUE_SORTS)[number], Order>> = {
  newest: newestFirst,
  oldest: (one, other) => newestFirst(other, one),
  risk: ({ item: one }, { item: other }) => RISKS.indexOf(other.risk_level) - RISKS.indexOf(one.risk_level),
}
