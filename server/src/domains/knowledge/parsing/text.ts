const CONTROL = /(?![\t\n\v\f\r])\p{Cc}/gu
const META_CHARSET = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i

/**
 * Decodes bytes by byte order mark, as UTF-8, by the declared charset, or else as Windows-1252, which Latin-1 files are in practice.
 * Returns undefined if the bytes are not text.
 */
export function decodeText(bytes: Uint8Array, charset?: string): string | undefined {
  const text = decode(bytes, charset)
  if (text === undefined || text.includes('\0')) return undefined
  const controls = text.match(CONTROL)?.length ?? 0
  return controls > 2 + text.length / 100 ? undefined : text
}

function decode(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const encoding = byteOrderMark(bytes)
  if (encoding) return new TextDecoder(encoding).decode(bytes)
  if (bytes.includes(0)) return undefined
  const text = new TextDecoder().decode(bytes)
  const invalid = text.match(/\ufffd/g)?.length ?? 0
  if (invalid === 0) return text
  const declared = charset ?? META_CHARSET.exec(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'))?.[1]
  // Few invalid bytes among valid ones: damaged UTF-8.
  if (!declared && invalid < (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0)) return text
  return decoderFor(declared).decode(bytes)
}

function decoderFor(charset: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset && !/^utf-?8$/i.test(charset) ? charset : 'windows-1252')
  } catch {
    return new TextDecoder('windows-1252')
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Unifies line breaks, removes control characters and unpaired surrogates, and trims blank lines at both ends. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\v\f\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .toWellFormed()
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

/** The text in one line, shortened for lists; undefined if nothing is left. */
export function asTitle(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const line = cleanText(text.slice(0, 2_000)).replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
  return line === '' ? undefined : line
}
