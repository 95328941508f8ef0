import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FeedPosition, formatCursor, parseCursor } from './cursor.ts'

export interface PositionStore {
  /** An empty position if none was saved. Throws if the saved one is not valid, because starting again would send all records. */
  load(): Promise<FeedPosition>
  save(position: FeedPosition): Promise<void>
}

export const filePositions = (path: string): PositionStore => ({
  async load() {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    return text === undefined ? {} : parsed(text.trim(), path)
  },
  async save(position) {
    const next = `${path}.next`
    const file = await open(next, 'w', 0o600)
    try {
      await file.writeFile(`${formatCursor(position)}\n`)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(next, path)
    const folder = await open(dirname(path))
    await folder.sync().finally(() => folder.close())
  },
})

export const noPositions: PositionStore = { load: async () => ({}), save: async () => {} }

function parsed(cursor: string, place: string): FeedPosition {
  const position = parseCursor(cursor)
  if (position === undefined)
    throw new Error(`the position in ${place} is not valid: restore it, or remove it to send all records again`)
  return position
}
