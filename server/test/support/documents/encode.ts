/** Encodes a text in a charset that TextDecoder reads: single bytes, and pairs of bytes for East Asian ones. Throws for other characters. */
export function encodeAs(charset: string, text: string): Buffer {
  const table = tables.get(charset) ?? tableOf(charset)
  tables.set(charset, table)
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character)
      if (!bytes) throw new Error(`${charset} has no ${character}`)
      return bytes
    }),
  )
}

const tables = new Map<string, Map<string, readonly number[]>>()

function tableOf(charset: string): Map<string, readonly number[]> {
  const decoder = new TextDecoder(charset, { fatal: true })
  const table = new Map<string, readonly number[]>()
  const add = (...bytes: number[]) => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes))
      if ([...character].length === 1 && !table.has(character)) table.set(character, bytes)
    } catch {
      // Not a character of this charset.
    }
  }
  for (let first = 0; first < 256; first += 1) add(first)
  if (!/jis|euc|gb|big5/.test(charset)) return table
  for (let first = 0x81; first < 255; first += 1) for (let second = 0x40; second < 255; second += 1) add(first, second)
  return table
}

export const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
