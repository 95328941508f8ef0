import { randomFillSync } from 'node:crypto'
import { V7Generator } from 'uuidv7'

/** Crockford's base 32, lower case, as TypeID has it: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]))
/** Ten bits → two letters. */
const PAIRS = Array.from({ length: 1_024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`)
const LETTERS = 26

/** Random numbers in stock: asking the system for each costs more than the id. */
const stock = new Uint32Array(1_024)
let used = stock.length
const generator = new V7Generator({
  nextUint32() {
    if (used === stock.length) {
      randomFillSync(stock)
      used = 0
    }
    return stock[used++] as number
  },
})

/** A new UUIDv7 in its textual form: time-ordered, also within one millisecond. */
export const newUuid = (): string => generator.generate().toString()

/**
 * `aud` + UUID → `aud_01h…` (26 letters, sorted as the UUID is). Five hexadecimal digits are four letters; the first two
 * digits, with two zero bits before them, are the first two letters.
 */
export function toId(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  let text = `${prefix}_${PAIRS[Number.parseInt(hex.slice(0, 2), 16)]}`
  for (let at = 2; at < hex.length; at += 5) {
    const value = Number.parseInt(hex.slice(at, at + 5), 16)
    text += `${PAIRS[value >> 10]}${PAIRS[value & 1_023]}`
  }
  return text
}

/** The UUID inside an id of that prefix; undefined when `id` is not one. */
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

export const newId = (prefix: string): string => toId(prefix, newUuid())

function readLetters(text: string, start: number, count: number): number | undefined {
  let value = 0
  for (let at = start; at < start + count; at++) {
    const digit = VALUES.get(text[at] ?? '')
    if (digit === undefined) return undefined
    value = (value << 5) | digit
  }
  return value
}
