import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import type { ExportWriter } from './export-writer.ts'

/** Returns the number of files that are not there any more. */
export async function writeFiles(writer: ExportWriter, places: PlaceList, files: Pick<FileStore, 'open'>): Promise<number> {
  let missing = 0
  for await (const place of places.read()) {
    const content = await files.open(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (content) await writer.file(place, content)
    else missing += 1
  }
  return missing
}

/** Keys of files in a temporary file, because there may be millions. */
export class PlaceList {
  readonly #path: string
  readonly #stream: ReturnType<typeof createWriteStream>

  constructor(path: string) {
    this.#path = path
    this.#stream = createWriteStream(path, { mode: 0o600 })
  }

  async add(place: string): Promise<void> {
    if (!this.#stream.write(`${place}\n`)) await once(this.#stream, 'drain')
  }

  async *read(): AsyncGenerator<string, void> {
    this.#stream.end()
    await finished(this.#stream)
    yield* linesOf(createReadStream(this.#path))
  }
}
