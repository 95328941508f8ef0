import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { newUuid } from '../../platform/lib/id.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import { type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { VERSION } from '../../version.ts'
import { FORMAT_VERSION, type Header, type Value } from './export-format.ts'

/** Most of the time of a higher level is spent on sealed content, which cannot be compressed. */
const GZIP_LEVEL = 1
const CHUNK_BYTES = 48 * 1_024

export class ExportWriter {
  readonly #path: string
  readonly #partial: string
  readonly #gzip = createGzip({ level: GZIP_LEVEL })
  readonly #written: Promise<void>
  readonly #hash = createHash('sha256')
  readonly #tables: Record<string, number> = {}
  #table = ''
  #files = 0

  /** Each run writes a separate file, which a killed run leaves behind. */
  constructor(path: string) {
    this.#path = path
    this.#partial = `${path}.${newUuid()}.partial`
    this.#written = pipeline(this.#gzip, createWriteStream(this.#partial, { flags: 'wx', mode: 0o600, flush: true }))
    // The error is thrown by the next write.
    this.#written.catch(() => {})
  }

  get counts(): { readonly rows: number; readonly files: number } {
    return { rows: Object.values(this.#tables).reduce((sum, count) => sum + count, 0), files: this.#files }
  }

  header(
    format: Header['format'],
    migrations: string[],
    { secrets, clock }: { readonly secrets: SecretKeys; readonly clock: Clock },
  ): Promise<void> {
    const created_at = clock.now().toISOString()
    const secret_key = secretKeyId(secrets.secretKey)
    return this.#line({
      format,
      version: FORMAT_VERSION,
      gatehouse: VERSION,
      created_at,
      migrations,
      secret_key,
    } satisfies Header)
  }

  table(table: string, columns: readonly string[]): Promise<void> {
    this.#table = table
    this.#tables[table] = 0
    return this.#line({ table, columns })
  }

  row(values: readonly Value[]): Promise<void> {
    this.#tables[this.#table] = (this.#tables[this.#table] ?? 0) + 1
    return this.#line(values)
  }

  async file(place: string, content: AsyncIterable<Buffer>): Promise<void> {
    this.#files += 1
    await this.#line({ file: place })
    for await (const bytes of content)
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
        await this.#line(bytes.subarray(at, at + CHUNK_BYTES).toString('base64'))
  }

  async finish(): Promise<void> {
    await this.#line({ end: { tables: this.#tables, files: this.#files, sha256: this.#hash.digest('hex') } }, false)
    this.#gzip.end()
    await this.#written
    await rename(this.#partial, this.#path)
  }

  async discard(): Promise<void> {
    this.#gzip.destroy()
    await this.#written.catch(() => {})
    await rm(this.#partial, { force: true })
  }

  async #line(value: unknown, hashed = true): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(value)}\n`)
    if (hashed) this.#hash.update(line)
    if (this.#gzip.destroyed) await this.#written
    if (!this.#gzip.write(line)) await Promise.race([once(this.#gzip, 'drain'), this.#written])
  }
}

/** Writes the attachments, and returns how many are not there any more. */
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

/** Writes the file at `path` with `work`, which gets a temporary folder whose name begins with `prefix`. After an error there is no file. */
export async function writeExport<T>(
  path: string,
  prefix: string,
  work: (writer: ExportWriter, folder: string) => Promise<T>,
): Promise<T> {
  const writer = new ExportWriter(path)
  let folder: string | undefined
  try {
    folder = await mkdtemp(prefix)
    const result = await work(writer, folder)
    await writer.finish()
    return result
  } catch (error) {
    await writer.discard()
    throw error
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

/** Keys of files in a temporary file, because there may be millions. */
export class PlaceList {
  readonly #stream: WriteStream

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: 0o600 })
  }

  async add(place: string): Promise<void> {
    if (!this.#stream.write(`${place}\n`)) await once(this.#stream, 'drain')
  }

  async *read(): AsyncGenerator<string, void> {
    this.#stream.end()
    await finished(this.#stream)
    yield* linesOf(createReadStream(this.#stream.path))
  }
}
