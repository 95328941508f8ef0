import { decodeStrictly } from './charset-detector.ts'

const SAMPLE = 4_096
/** The most frequent characters of texts without any space or line break of ASCII. */
const FREQUENT =
  /[的一是不了在有人我他这這中大来來上国國个個到说說们們为為和你地出道也时時年日のにはをたがでとしれさいするます。、，이다는을의에가고]/g
/** Scripts of few letters, or of one block. */
const SCRIPTS = ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Thai', 'Hangul'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'gu'),
)
const ORDINARY = /^[\p{L}\p{M}\p{N}\p{P}\p{Z}\p{S}\t\r\n]*$/u

/** Decodes UTF-16 without a byte order mark; undefined: the bytes are something else. */
export function decodeUtf16(bytes: Uint8Array): { readonly text: string; readonly charset: string } | undefined {
  if (bytes.length < 4 || bytes.length % 2 === 1) return undefined
  const sample = bytes.subarray(0, SAMPLE)
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // The letters of ASCII have a zero beside them, on one side only.
  if ((even + odd) * 4 > sample.length) {
    if (Math.min(even, odd) > Math.max(even, odd) / 10) return undefined
    return decodeIfText(bytes, odd > even ? 'utf-16le' : 'utf-16be', () => true)
  }
  // A text without any space, such as a Chinese one, is told by its frequent characters only.
  if (even + odd > 0)
    return decodeIfText(bytes, odd > even ? 'utf-16le' : 'utf-16be', (text) => isOneScript(text) || isFrequent(text))
  if (decodeStrictly(bytes, 'utf-8') !== undefined) return undefined
  return decodeIfText(bytes, 'utf-16le', isFrequent) ?? decodeIfText(bytes, 'utf-16be', isFrequent)
}

/** Pairs of bytes of other charsets are rare characters, or letters of many scripts. */
const isFrequent = (text: string): boolean => (text.match(FREQUENT)?.length ?? 0) * 10 > text.length

const isOneScript = (text: string): boolean => SCRIPTS.some((script) => (text.match(script)?.length ?? 0) * 2 > text.length)

function decodeIfText(bytes: Uint8Array, charset: string, isText: (sample: string) => boolean) {
  const text = decodeStrictly(bytes, charset)
  const sample =
    text
      ?.slice(0, SAMPLE / 2)
      .toWellFormed()
      .replaceAll('\ufffd', '') ?? ''
  return text !== undefined && ORDINARY.test(sample) && isText(sample) ? { text, charset } : undefined
}
