import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newUuid } from '../../../platform/lib/id.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { ReceivedFile } from './file-store.ts'
import { HEAD_BYTES } from './file-type.ts'

/** Uploads take a few minutes at most. An older temporary file belongs to a process that stopped. */
const STALE_MS = 3_600_000

/** The 413 for a file that is too large. */
export const tooLarge = (maxBytes: number): Refusal =>
  new Refusal('PAYLOAD_TOO_LARGE', { message: `file: must not have more than ${maxBytes} bytes.`, param: 'file' })

/** Writes an upload durably to a temporary file in `folder`. Returns a 413 if it is too large. Deletes the file then, and if an error occurs. */
export async function receiveFile(
  source: AsyncIterable<Buffer>,
  folder: string,
  maxBytes: number,
): Promise<ReceivedFile | Refusal> {
  const path = join(folder, newUuid())
  const file = await createFile(folder, path)
  try {
    const hash = createHash('sha256')
    const head: Buffer[] = []
    let bytes = 0
    for await (const chunk of source) {
      if (bytes < HEAD_BYTES) head.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) {
        await rm(path, { force: true })
        return tooLarge(maxBytes)
      }
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
    return { path, bytes, sha256: hash.digest(), head: Buffer.concat(head).subarray(0, HEAD_BYTES) }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Throws a 503 if the folder cannot be written to. A node without such a folder can serve all other requests. */
async function createFile(folder: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await open(path, 'wx', 0o600)
  } catch (cause) {
    const message = 'This server cannot store files. Its operator can set GATEHOUSE_FILES or GATEHOUSE_FILES_BUCKET.'
    throw new Unavailable(message, { cause })
  }
}

/** Deletes temporary files in `folder` of uploads that did not end. */
export async function removeStaleUploads(folder: string, now: Date): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && now.getTime() - stats.mtimeMs > STALE_MS) await rm(path, { force: true })
  }
}
