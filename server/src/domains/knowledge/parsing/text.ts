import { decodeStrictly, detectCharset } from './charset-detector.ts'
import { DocumentError } from './document.ts'
import { decodeUtf16 } from './utf16.ts'
import type { Warnings } from './warning.ts'

const CONTROL = /(?![\t\n\v\f\r])\p{Cc}/gu
const XML_CHARSET = /^<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w.:-]{1,40})/i
/** Also within `content="text/html; charset=…"`. */
const META_CHARSET = /<meta\s[^>]{0,400}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i
/** The escape sequences of ISO-2022-JP for kanji. */
const JIS = ['\x1b$B', '\x1b$@', '\x1b(I', '\x1b$(D']
/** Names of Windows that browsers do not know. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  sjis: 'shift_jis',
}
const HEAD = 4_096

/**
 * Decodes bytes by byte order mark, as UTF-8, by the charset that the uploader or the file states, or else by a guess with a warning.
 * Returns undefined if the bytes are not text. Throws if they may be text in several charsets.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined, warnings: Warnings): string | undefined {
  const text = decode(bytes, charset, warnings)
  if (text === undefined || text.includes('\0')) return undefined
  return isBinary(text) ? undefined : text
}

const isBinary = (text: string): boolean => (text.match(CONTROL)?.length ?? 0) > 2 + text.length / 100

function decode(bytes: Uint8Array, charset: string | undefined, warnings: Warnings): string | undefined {
  const mark = byteOrderMark(bytes)
  if (mark) return new TextDecoder(mark).decode(bytes)
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1')
  const stated = knownCharset(charset) ?? statedCharset(head)
  if (stated?.startsWith('utf-16')) return new TextDecoder(stated).decode(bytes)
  const wide = decodeUtf16(bytes)
  if (wide) warnings.add('charset', { detail: wide.charset })
  if (wide || bytes.includes(0)) return wide?.text
  const text = new TextDecoder().decode(bytes)
  if (!text.includes('\ufffd') || decodeStrictly(bytes, 'utf-8') !== undefined) return decodeJis(bytes, text, stated, warnings)
  if (stated !== undefined) return decodeAs(bytes, stated, warnings)
  // Few invalid bytes among valid ones: damaged UTF-8.
  const invalid = text.match(/\ufffd/g)?.length ?? 0
  if (invalid < (text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0)) {
    warnings.add('charset', { detail: 'utf-8' })
    return text
  }
  return guess(bytes, warnings)
}

/** ISO-2022-JP has only bytes of ASCII, so that it also is valid UTF-8. */
function decodeJis(bytes: Uint8Array, text: string, stated: string | undefined, warnings: Warnings): string {
  const isJis = stated === 'iso-2022-jp' || JIS.some((sequence) => text.includes(sequence))
  const decoded = isJis ? decodeStrictly(bytes, 'iso-2022-jp') : undefined
  if (decoded !== undefined && stated !== 'iso-2022-jp') warnings.add('charset', { detail: 'iso-2022-jp' })
  return decoded ?? text
}

function decodeAs(bytes: Uint8Array, charset: string, warnings: Warnings): string | undefined {
  const strict = decodeStrictly(bytes, charset)
  if (strict !== undefined) return strict
  const text = new TextDecoder(charset).decode(bytes)
  const invalid = text.match(/\ufffd/g)?.length ?? 0
  if (invalid > 2 + text.length / 200) return guess(bytes, warnings)
  warnings.add('charset', { detail: charset })
  return text
}

function guess(bytes: Uint8Array, warnings: Warnings): string | undefined {
  // Pictures and programs are not text in any charset.
  if (
    isBinary(
      Buffer.from(bytes.subarray(0, HEAD))
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, ''),
    )
  )
    return undefined
  const charset = detectCharset(bytes)
  if (charset === undefined) {
    throw new DocumentError(
      'unsupported',
      'The charset of the text cannot be detected. Save the file as UTF-8 and upload it again.',
    )
  }
  warnings.add('charset', { detail: charset })
  return new TextDecoder(charset).decode(bytes)
}

/** Where browsers look: the XML declaration and the first `meta` element. A file that states UTF-16 in ASCII is none. */
function statedCharset(head: string): string | undefined {
  const start = head.trimStart()
  if (!start.startsWith('<')) return undefined
  const markup = start.replace(/<!--(?:(?!-->).)*-->/gs, '')
  const charset = knownCharset(XML_CHARSET.exec(markup)?.[1] ?? META_CHARSET.exec(markup)?.[1])
  return charset?.startsWith('utf-16') ? undefined : charset
}

/** In lower case, as TextDecoder names it. Undefined for UTF-8, which is tried first anyway. */
function knownCharset(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  try {
    const { encoding } = new TextDecoder(ALIASES[name.toLowerCase()] ?? name)
    return encoding === 'utf-8' ? undefined : encoding
  } catch {
    return undefined
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Unifies line breaks, removes control characters, soft hyphens and unpaired surrogates, and trims blank lines at both ends. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\v\f\u2028\u2029]/g, '\n')
    .replace(CONTROL, '')
    .replace(/\u00ad/g, '')
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
