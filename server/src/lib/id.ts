import { UUID, uuidv7obj } from 'uuidv7'

/** Crockford's base 32, lower case, as TypeID has it: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUE = new Map([...ALPHABET].map((letter, value) => [letter, BigInt(value)]))
const MAX = (1n << 128n) - 1n

/** A new UUIDv7 in its textual form: time-ordered, also within one millisecond. */
export const newUuid = (): string => uuidv7obj().toString()

/** `aud` + UUID → `aud_01h…` (26 letters, sorted as the UUID is). */
export function toId(prefix: string, uuid: string): string {
  let value = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)] + text
    value >>= 5n
  }
  return `${prefix}_${text}`
}

/** The UUID inside an id of that prefix; undefined when `id` is not one. */
export function fromId(prefix: string, id: string): string | undefined {
  if (id.length !== prefix.length + 27 || !id.startsWith(`${prefix}_`)) return undefined
  let value = 0n
  for (const letter of id.slice(prefix.length + 1)) {
    const digit = VALUE.get(letter)
    if (digit === undefined) return undefined
    value = (value << 5n) | digit
  }
  if (value > MAX) return undefined
  return UUID.parse(value.toString(16).padStart(32, '0')).toString()
}

export const newId = (prefix: string): string => toId(prefix, newUuid())
