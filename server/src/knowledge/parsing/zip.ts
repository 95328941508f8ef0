import { crc32, inflateRawSync } from 'node:zlib'
import { DocumentError, megabytes } from './document.ts'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const STORED = 0
const DEFLATED = 8

export type Files = ReadonlyMap<string, Uint8Array>

/**
 * Unpacks the entries that are wanted, never to more than `limit` bytes together, whatever the archive says of itself. Size fields
 * are not believed: a few kilobytes can claim anything and unfold to gigabytes.
 */
export function unzip(bytes: Uint8Array, wanted: (name: string) => boolean, limit: number): Files {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const files = new Map<string, Uint8Array>()
  let left = limit
  try {
    for (const entry of entriesOf(archive)) {
      if (!wanted(entry.name)) continue
      if (entry.flags & 1) throw new DocumentError('encrypted', 'The file is protected by a password. Save it without one.')
      const content = unpack(archive, entry, left)
      left -= content.length
      if (left < 0) throw bomb(limit)
      files.set(entry.name, content)
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw bomb(limit)
    throw new DocumentError('broken', 'The file is damaged or incomplete. Save it anew from its program.')
  }
  return files
}

function bomb(limit: number): DocumentError {
  return new DocumentError('too_large', `The file unpacks to more than ${megabytes(limit)}. Split it into several files.`)
}

type Entry = { name: string; flags: number; method: number; size: number; offset: number }

function* entriesOf(archive: Buffer): Generator<Entry> {
  let at = archive.length - 22
  while (archive.readUInt32LE(at) !== END) at -= 1
  const count = archive.readUInt16LE(at + 10)
  at = archive.readUInt32LE(at + 16)
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new RangeError('no entry where the directory says')
    const [name, extra, comment] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30), archive.readUInt16LE(at + 32)]
    yield {
      name: archive.toString('utf8', at + 46, at + 46 + name),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      size: archive.readUInt32LE(at + 20),
      offset: archive.readUInt32LE(at + 42),
    }
    at += 46 + name + extra + comment
  }
}

function unpack(archive: Buffer, { method, size, offset }: Entry, limit: number): Uint8Array {
  if (archive.readUInt32LE(offset) !== LOCAL) throw new RangeError('no file where its entry says')
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
  if (start + size > archive.length) throw new RangeError('the file ends early')
  const packed = archive.subarray(start, start + size)
  if (method === STORED) return packed
  if (method !== DEFLATED) throw new RangeError('an unusual method')
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) })
}

/** Packs files anew, stored: for a library that unpacks by itself and knows no limit. */
export function zipStored(files: Files): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of files) {
    const name = Buffer.from(path)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x0800, 2)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    // The directory repeats the fields of the file, after two bytes for the version that made it.
    directory.push(signature(ENTRY), Buffer.from([20, 0]), fields, place, name)
    parts.push(signature(LOCAL), fields, name, Buffer.from(content))
    offset += 30 + name.length + content.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 4)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, list, signature(END), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
