import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Decompresses a file. Throws a TypeError above 1 MiB and `maxRatio` times the bytes of the file: gzip reaches 1,000 times. */
export async function* gunzipFile(path: string, maxRatio: number): AsyncGenerator<Buffer, void> {
  let left = Math.max(1_048_576, (await stat(path)).size * maxRatio)
  // The callback only prevents an unhandled error: the error also ends the decompressed stream.
  const chunks: AsyncIterable<Buffer> = pipeline(createReadStream(path), createGunzip(), () => {})
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw new TypeError(`the file decompresses to more than ${maxRatio} times its size, which no export does`)
    yield chunk
  }
}
