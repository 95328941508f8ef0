import { open } from 'node:fs/promises'

/** Reads at most this many bytes from the beginning of a file, however large it is or becomes. */
export async function readAtMost(path: string, bytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.min(size, bytes))
    let read = 0
    while (read < buffer.length) {
      const { bytesRead } = await file.read(buffer, read, buffer.length - read, read)
      if (bytesRead === 0) break
      read += bytesRead
    }
    return buffer.subarray(0, read)
  } finally {
    await file.close()
  }
}
