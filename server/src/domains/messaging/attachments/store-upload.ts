import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../../../platform/db/database.ts'
import { newId, newUuid } from '../../../platform/lib/id.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Member } from '../people/member.ts'
import type { Attachment } from './attachment.ts'
import { newFileKey } from './file-removal.ts'
import type { FileStore, ReceivedFile } from './file-store.ts'
import { detectMediaType, HEAD_BYTES, isAllowedType } from './file-type.ts'
import { cleanFilename } from './filename.ts'

export interface Upload {
  readonly file: ReceivedFile
  readonly filename: string
  readonly declaredType: string
}

export interface FileLimits {
  readonly maxBytes: number
  /** Allowed media types or patterns such as `image/*`. undefined: all types except programs. */
  readonly types: readonly string[] | undefined
}

interface Deps {
  readonly db: Db
  readonly files: FileStore
  readonly fileLimits: FileLimits
}

/** Stores the bytes of an upload, without a row, or returns UNSUPPORTED_MEDIA_TYPE. Throws UNAVAILABLE if the file store fails. */
export async function storeUpload(
  { db, files, fileLimits }: Deps,
  { workspaceId, user }: Member,
  { file, filename, declaredType }: Upload,
  now: Date,
): Promise<Attachment | Refusal> {
  try {
    const mediaType = await detectMediaType(file.head, declaredType)
    if (!isAllowedType(mediaType, fileLimits.types)) {
      const message = `file: files of the type ${mediaType} are not allowed.`
      return new Refusal('UNSUPPORTED_MEDIA_TYPE', { message, param: 'file' })
    }
    const place = await newFileKey(db, now)
    await files.store(place, file).catch((cause) => {
      throw new Unavailable('', { cause })
    })
    const { bytes, sha256 } = file
    const content = { filename: cleanFilename(filename), mediaType, bytes, sha256, place }
    return { id: newId('att'), workspaceId, messageId: null, uploadedBy: user.id, ...content, createdAt: now }
  } finally {
    await rm(file.path, { force: true })
  }
}

/** Uploads take a few minutes at most. An older temporary file belongs to a process that stopped. */
const STALE_MS = 3_600_000

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

export async function removeStaleUploads(folder: string, now: Date): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && now.getTime() - stats.mtimeMs > STALE_MS) await rm(path, { force: true })
  }
}
