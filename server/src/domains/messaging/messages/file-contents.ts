import type { Readable } from 'node:stream'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { textOfBytes } from '../../../shared/encoded-text.ts'
import { mayBeJson, readable } from '../../../shared/json-text.ts'
import { type UnreadKind, UnreadTally } from '../../../shared/unread.ts'
import type { FileStore } from '../attachments/file-store.ts'
import type { FileContents } from '../governance/text-decision.ts'
import type { SentFile } from './message-files.ts'

/** Maximum size of the texts that policies read for one message. The rest counts as unread. */
const MAX_READ = 1_048_576

/** Reads the texts in a message's files. Bytes decide whether a file is a text, not its media type. Throws a 503 if a file cannot be read. */
export async function readContents(files: Pick<FileStore, 'open'>, sent: readonly SentFile[]): Promise<FileContents> {
  const texts: string[] = []
  const unread = new UnreadTally()
  let left = MAX_READ
  for (const { place, bytes, mediaType } of sent) {
    if (bytes === 0) continue
    const head = left === 0 ? undefined : await readHead(files, place, left)
    const text = head && textOfBytes(head.length < bytes ? withoutCutCharacter(head) : head)
    if (head && text !== undefined) {
      // Lines of JSON, and JSON that was cut off, are no JSON documents.
      texts.push(readable(text, mayBeJson(text)))
      left -= head.length
    }
    if (text === undefined || !head || head.length < bytes) unread.add(kindOf(mediaType), bytes)
  }
  return { texts, unread: unread.total }
}

async function readHead(files: Pick<FileStore, 'open'>, place: string, limit: number): Promise<Buffer> {
  try {
    const stream: Readable = await files.open(place)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of stream) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= limit) break
    }
    return Buffer.concat(chunks).subarray(0, limit)
  } catch (cause) {
    throw new Unavailable('', { cause })
  }
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, (bytes[end - 1] ?? 0) >= 0xc0 ? end - 1 : bytes.length)
}

const kindOf = (mediaType: string): UnreadKind =>
  mediaType.startsWith('image/') ? 'image' : mediaType.startsWith('audio/') ? 'audio' : 'file'
