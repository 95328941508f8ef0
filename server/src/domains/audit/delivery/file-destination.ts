import { open } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Checkpoint } from '../checkpoints/checkpoint.ts'
import type { CheckpointDestination } from './destination.ts'

const NEWLINE = 10

/** An append-only file with one JSON line per checkpoint, synced after each write. Each node writes its own complete file. */
export class FileDestination implements CheckpointDestination {
  readonly kind = 'file'
  readonly key: string
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    this.key = `file ${hostname()} ${path}`
  }

  async write(checkpoint: Checkpoint): Promise<void> {
    const file = await open(this.#path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const last = size > 0 ? (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] : NEWLINE
      // A line that a crash has cut off is kept separate from the next one.
      await file.appendFile(`${last === NEWLINE ? '' : '\n'}${JSON.stringify(checkpoint)}\n`)
      await file.datasync()
    } finally {
      await file.close()
    }
  }

  async close(): Promise<void> {}
}
