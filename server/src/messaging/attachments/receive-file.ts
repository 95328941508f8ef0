import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GatehouseError } from '../../errors.ts'
import { newUuid } from '../../lib/id.ts'
import type { ReceivedFile } from './file-store.ts'
import { HEAD_BYTES } from './file-type.ts'

/** An upload takes minutes at most: what is older was left by a process that died. */
const LEFT_MS = 3_600_000

/** 413 for a file that is too large. */
export const tooLarge = (maxBytes: number): GatehouseError =>
  new GatehouseError('PAYLOAD_TOO_LARGE', { message: `file: must not have more than ${maxBytes} bytes.`, param: 'file' })

/** Writes what comes in to a file of its own below `folder`, durably. Throws a 413 for too much; then nothing is left of it. */
export async function receiveFile(source: AsyncIterable<Buffer>, folder: string, maxBytes: number): Promise<ReceivedFile> {
  const path = join(folder, newUuid())
  const file = await newFile(folder, path)
  try {
    const hash = createHash('sha256')
    const head: Buffer[] = []
    let bytes = 0
    for await (const chunk of source) {
      if (bytes < HEAD_BYTES) head.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
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

/** Throws a 503 where no file can be made: a node may run without a folder that it can write to, until somebody uploads. */
async function newFile(folder: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await open(path, 'wx', 0o600)
  } catch (cause) {
    const message = 'This server has no place for files. Its operator can set GATEHOUSE_FILES or GATEHOUSE_FILES_BUCKET.'
    throw new GatehouseError('UNAVAILABLE', { message }, cause)
  }
}

/** Removes what uploads have left in `folder` that never came to an end. */
export async function removeStaleUploads(folder: string, now: Date): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const written = await stat(path).catch(() => undefined)
    if (written && now.getTime() - written.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}
