import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { DocumentError, lockedByPassword, megabytes } from '../document.ts'

export type Files = ReadonlyMap<string, Buffer>

/**
 * Unpacks the entries that `isWanted` accepts, to at most `limit` bytes in total. yauzl fails for an entry whose unpacked size
 * differs from the size that the archive states.
 */
export async function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean, limit: number): Promise<Files> {
  const files = new Map<string, Buffer>()
  let remaining = limit
  try {
    const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    for await (const entry of archive.eachEntry()) {
      if (!isWanted(entry.fileName)) continue
      if (entry.isEncrypted()) throw lockedByPassword()
      remaining -= entry.uncompressedSize
      if (remaining < 0) {
        const message = `The file unpacks to more than ${megabytes(limit)}. Split it into several files.`
        throw new DocumentError('too_large', message)
      }
      files.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)))
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError('broken', 'The file is damaged or incomplete. Save it again from the program that created it.', error)
  }
  return files
}
