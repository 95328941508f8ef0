import { randomFillSync } from 'node:crypto'
import { V7Generator } from 'uuidv7'

/** Crockford's base 32 in lower case, as in TypeID: without i, l, o and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Values by character code; -1: not in the alphabet. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)))
/** Ten bits → two letters. */
const PAIRS = Array.from({ length: 1_024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`)
const LETTERS = 26

/** Random numbers, created in advance, because a system call for each costs more than the id. */
const randomNumbers = new Uint32Array(1_024)
let used = randomNumbers.length
const generator = new V7Generator({
  nextUint32() {
    if (used === randomNumbers.length) {
      randomFillSync(randomNumbers)
      used = 0
    }
    return randomNumbers[used++] as number
  },
})

/** A new UUIDv7 in its textual form: time-ordered, also within one millisecond. */
export const newUuid = (): string => generator.generate().toString()

/** When a UUIDv7 was created (RFC 9562, section 5.7). */
export const timeOfUuid = (uuid: string): Date => new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16))

/** `aud` + UUID → `aud_01h…` (26 letters, sorted as the UUID is). */
export function toId(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16)
  return `${prefix}_${lettersOf(word(0), word(8), word(16), word(24))}`
}

/** Encodes two zero bits and 128 bits, ten bits at a time. */
const lettersOf = (a: number, b: number, c: number, d: number): string =>
  `${PAIRS[a >>> 24]}` +
  PAIRS[(a >>> 14) & 1_023] +
  PAIRS[(a >>> 4) & 1_023] +
  PAIRS[((a & 15) << 6) | (b >>> 26)] +
  PAIRS[(b >>> 16) & 1_023] +
  PAIRS[(b >>> 6) & 1_023] +
  PAIRS[((b & 63) << 4) | (c >>> 28)] +
  PAIRS[(c >>> 18) & 1_023] +
  PAIRS[(c >>> 8) & 1_023] +
  PAIRS[((c & 255) << 2) | (d >>> 30)] +
  PAIRS[(d >>> 20) & 1_023] +
  PAIRS[(d >>> 10) & 1_023] +
  PAIRS[d & 1_023]

/** The UUID of an id; undefined if `id` is not a valid id of this prefix. */
export function fromId(prefix: string, id: string): string | undefined {
  const start = prefix.length + 1
  if (id.length !== start + LETTERS || id[prefix.length] !== '_' || !id.startsWith(prefix)) return undefined
  const first = readLetters(id, start, 2)
  if (first === undefined || first > 0xff) return undefined
  let hex = first.toString(16).padStart(2, '0')
  for (let at = start + 2; at < id.length; at += 4) {
    const value = readLetters(id, at, 4)
    if (value === undefined) return undefined
    hex += value.toString(16).padStart(5, '0')
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Like `toId(prefix, newUuid())`, but faster, because each response needs several ids. */
export function newId(prefix: string): string {
  const { bytes } = generator.generate()
  const word = (at: number) =>
    ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
  return `${prefix}_${lettersOf(word(0), word(4), word(8), word(12))}`
}

function readLetters(text: string, start: number, count: number): number | undefined {
  let value = 0
  for (let at = start; at < start + count; at++) {
    const digit = VALUES[text.charCodeAt(at)] ?? -1
    if (digit === -1) return undefined
    value = (value << 5) | digit
  }
  return value
}
