import { crc32 } from 'node:zlib'

const uint = (bytes: 1 | 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** A header with a value of the given type of the format, 7: text. */
export const header = (name: string, value: string | Buffer, type = 7): Buffer => {
  const size = type === 6 || type === 7 ? uint(2, Buffer.from(value).length) : Buffer.alloc(0)
  return Buffer.concat([uint(1, name.length), Buffer.from(name), uint(1, type), size, Buffer.from(value)])
}

/** A message of an AWS event stream with valid checksums. */
export function eventStreamMessage(headers: readonly Buffer[], payload: string | Buffer): Buffer {
  const head = Buffer.concat(headers)
  const body = Buffer.from(payload)
  const lengths = Buffer.concat([uint(4, 16 + head.length + body.length), uint(4, head.length)])
  const start = Buffer.concat([lengths, uint(4, crc32(lengths)), head, body])
  return Buffer.concat([start, uint(4, crc32(start))])
}

/** An event of InvokeModelWithResponseStream. */
export const bedrockChunk = (event: object): Buffer =>
  eventStreamMessage(
    [header(':event-type', 'chunk'), header(':content-type', 'application/json'), header(':message-type', 'event')],
    JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcdef' }),
  )
