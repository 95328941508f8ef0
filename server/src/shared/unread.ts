/** Kinds of content that no detector reads. `file`: also films. `other`: signed or encrypted state of a provider. */
export const UNREAD_KINDS = ['image', 'audio', 'file', 'other'] as const
export type UnreadKind = (typeof UNREAD_KINDS)[number]

export interface Unread {
  /** Pictures, sounds and files whose bytes are in the request. */
  readonly count: number
  readonly bytes: number
  /** Each kind once, in the order of UNREAD_KINDS, including the kinds of linked pictures and files. */
  readonly kinds: readonly UnreadKind[]
}

export const NOTHING_UNREAD: Unread = { count: 0, bytes: 0, kinds: [] }

export const addUnread = (a: Unread, b: Unread): Unread => ({
  count: a.count + b.count,
  bytes: a.bytes + b.bytes,
  kinds: inOrder(new Set([...a.kinds, ...b.kinds])),
})

export class UnreadTally {
  #count = 0
  #bytes = 0
  readonly #kinds = new Set<UnreadKind>()

  add(kind: UnreadKind, bytes: number): void {
    this.#count += 1
    this.#bytes += bytes
    this.#kinds.add(kind)
  }

  /** A picture or file that the provider fetches by its URL or id: its size is not known. */
  addLink(kind: UnreadKind): void {
    this.#kinds.add(kind)
  }

  get total(): Unread {
    if (this.#kinds.size === 0) return NOTHING_UNREAD
    return { count: this.#count, bytes: this.#bytes, kinds: inOrder(this.#kinds) }
  }
}

const inOrder = (kinds: ReadonlySet<UnreadKind>): readonly UnreadKind[] => UNREAD_KINDS.filter((kind) => kinds.has(kind))
