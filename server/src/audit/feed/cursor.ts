/** Position in the logs of Workspaces: the sequence of the last record that was read, by Workspace id. A missing one has read none. */
export type FeedPosition = Readonly<Record<string, number>>

const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

/** The position as an opaque text for URLs and files. */
export const formatCursor = (position: FeedPosition): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** Returns undefined for a text that `formatCursor` did not make. */
export function parseCursor(cursor: string): FeedPosition | undefined {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof position !== 'object' || position === null || Array.isArray(position)) return undefined
    const isValid = Object.entries(position).every(
      ([id, sequence]) => WORKSPACE_ID.test(id) && Number.isSafeInteger(sequence) && sequence >= 0,
    )
    return isValid && formatCursor(position as FeedPosition) === cursor ? (position as FeedPosition) : undefined
  } catch {
    return undefined
  }
}
