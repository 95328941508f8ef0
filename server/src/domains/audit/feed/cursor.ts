/** The last record of a log that was read: its sequence, and the first 8 digits of its hash. */
export type FeedPlace = readonly [sequence: number, hash: string]

/** Position in the logs of Workspaces, by Workspace id. A missing one has read none. */
export type FeedPosition = Readonly<Record<string, FeedPlace>>

const HASH_DIGITS = 8
export const feedPlace = (sequence: number, hash: string): FeedPlace => [sequence, hash.slice(0, HASH_DIGITS)]

const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

export const formatCursor = (position: FeedPosition): string => Buffer.from(JSON.stringify(position)).toString('base64url')

export function parseCursor(cursor: string): FeedPosition | undefined {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof position !== 'object' || position === null || Array.isArray(position)) return undefined
    const isValid = Object.entries(position).every(
      ([id, place]) => WORKSPACE_ID.test(id) && Array.isArray(place) && place.length === 2 && isPlace(place[0], place[1]),
    )
    return isValid && formatCursor(position as FeedPosition) === cursor ? (position as FeedPosition) : undefined
  } catch {
    return undefined
  }
}

const isPlace = (sequence: unknown, hash: unknown): boolean =>
  typeof sequence === 'number' &&
  Number.isSafeInteger(sequence) &&
  sequence >= 0 &&
  typeof hash === 'string' &&
  /^[0-9a-f]{8}$/.test(hash)
