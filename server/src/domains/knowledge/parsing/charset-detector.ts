import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import chardet from 'chardet'

/** The text in a charset; undefined: the bytes are not valid in it, or it is unknown. */
export function decodeStrictly(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const MAX_SAMPLE = 1 << 18
/** Of alphabets other than the Latin one. */
const ALPHABET = /^(?:windows-125[13567]|koi8|iso-8859-[5678])/i
/** Charsets that the second detector does not know. */
const OF_BROWSER = /^(?:ibm866|koi8-u|windows-(?:874|1257)|iso-8859-(?:4|13))/i

/** Letters of two alphabets in one word, capitals within words, and signs between letters: another charset was used. */
const IMPLAUSIBLE =
  /[\x80-\x9f]|\p{Ll}\p{Lu}+\p{Ll}|\p{Ll}[\p{Lu}&&[^\0-\x7f]]|\p{L}[\p{So}\p{Sm}\p{Sk}\p{Sc}¡¿»«]\p{L}|\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]\p{Script=Latin}/v

/**
 * Detects the charset of bytes that are not UTF-8. Two detectors must read the same text, or the one of browsers must have enough
 * letters of another alphabet; otherwise the result is undefined, because wrong letters are worse than a refusal.
 */
export function detectCharset(bytes: Uint8Array): string | undefined {
  const sample = sampleOf(bytes)
  const guess = detectAsBrowser(sample).toLowerCase()
  const text = decodeStrictly(sample, guess)
  if (text === undefined || isImplausible(text) || !isFrequent(guess, sample, text)) return undefined
  const other = chardet.detect(sample)
  const letters = sample.reduce((count, byte) => (byte > 0x7f ? count + 1 : count), 0)
  const agree = other !== null && decodeStrictly(sample, other) === text
  if (OF_BROWSER.test(guess)) return letters >= 40 || (agree && letters >= 24) ? guess : undefined
  return agree && letters >= (ALPHABET.test(guess) ? 24 : 1) ? guess : undefined
}

function isImplausible(text: string): boolean {
  const start = text.slice(0, 20_000)
  const marks = start.match(new RegExp(IMPLAUSIBLE, 'gv'))?.length ?? 0
  // Names such as iPhone and formulas occur in long texts of any charset.
  return marks > start.length / 500
}

/** The lines and texts between tags that are not ASCII only, because English and markup hide the other language. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let size = 0
  let start = 0
  let isAscii = true
  for (let at = 0; at <= bytes.length && size < MAX_SAMPLE; at += 1) {
    const byte = bytes[at] ?? LINE_END
    if (byte > 0x7f) isAscii = false
    if (!BOUNDARIES.has(byte)) continue
    if (!isAscii) {
      parts.push(bytes.subarray(start, at), Uint8Array.of(LINE_END))
      size += at - start + 1
    }
    start = at + 1
    isAscii = true
  }
  return Buffer.concat(parts)
}

const LINE_END = 0x0a
/** Line ends, `<` and `>`, which are no part of a character in any charset. */
const BOUNDARIES = new Set([LINE_END, 0x0d, 0x3c, 0x3e])

/** Whether an East Asian text is made of the characters that are frequent in its language. */
function isFrequent(charset: string, sample: Uint8Array, text: string): boolean {
  const frequent = FREQUENT[charset]
  if (/^(?:shift_jis|euc-jp)$/.test(charset)) {
    const letters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
    return (text.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0) * 5 >= letters
  }
  if (!frequent) return true
  const pairs =
    Buffer.from(sample)
      .toString('latin1')
      .match(/[\x81-\xfe][\x40-\xfe]/g) ?? []
  return pairs.filter((pair) => frequent.test(pair)).length >= 0.75 * pairs.length
}

/** First bytes of punctuation and of the frequent characters. */
const FREQUENT: Readonly<Record<string, RegExp>> = {
  gbk: /^[\xa1-\xa3\xb0-\xd7]/,
  gb18030: /^[\xa1-\xa3\xb0-\xd7]/,
  big5: /^[\xa1-\xc6]/,
  'euc-kr': /^[\xa1-\xa3\xb0-\xc8]/,
}

/** The interface of the WebAssembly module, which its package loads in ways that only bundlers know. */
interface Detector {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly __wbindgen_add_to_stack_pointer: (bytes: number) => number
  readonly __wbindgen_malloc: (bytes: number) => number
  readonly __wbindgen_free: (at: number, bytes: number) => void
  /** Writes the position and the length of the name to `result`. Takes over the memory of `bytes`. */
  readonly detect: (result: number, bytes: number, length: number) => void
}

/** Node's types name it, without its values. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Detector }
}

let detector: Detector | undefined

/** Runs chardetng, the detector of Firefox. */
function detectAsBrowser(bytes: Uint8Array): string {
  detector ??= loadDetector()
  const result = detector.__wbindgen_add_to_stack_pointer(-16)
  const input = detector.__wbindgen_malloc(bytes.length)
  new Uint8Array(detector.memory.buffer).set(bytes, input)
  detector.detect(result, input, bytes.length)
  const [at = 0, length = 0] = new Int32Array(detector.memory.buffer, result, 2)
  const name = Buffer.from(detector.memory.buffer, at, length).toString('latin1')
  detector.__wbindgen_add_to_stack_pointer(16)
  detector.__wbindgen_free(at, length)
  return name
}

function loadDetector(): Detector {
  const file = createRequire(import.meta.url).resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm')
  const fail = () => {
    throw new Error('The charset detector failed.')
  }
  const imports = { './chardetng_wasm_bg.js': { __wbindgen_throw: fail } }
  const { Instance, Module } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
  return new Instance(new Module(readFileSync(file)), imports).exports
}
