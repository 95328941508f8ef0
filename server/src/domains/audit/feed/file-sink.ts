import { open } from 'node:fs/promises'
import type { FeedSink } from './sink.ts'

const NEWLINE = 10

/** Appends lines to a file and syncs it. The file is opened for each batch, so that it can be rotated by renaming it. */
export class FileSink implements FeedSink {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async write(lines: readonly string[]): Promise<void> {
    const file = await open(this.#path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const last = size > 0 ? (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] : NEWLINE
      // A line that a crash has cut off is kept separate from the next one.
      await file.appendFile(`${last === NEWLINE ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`)
      await file.datasync()
    } finally {
      await file.close()
    }
  }

  async close(): Promise<void> {}
}
