/** Offset of the name of a prepared statement in the messages Parse, Bind, Describe and Close; undefined: the message has none. */
const NAME_AT: Readonly<Record<string, (message: Buffer) => number | undefined>> = {
  P: () => HEADER_BYTES,
  B: (message) => message.indexOf(0, HEADER_BYTES) + 1,
  D: ofStatement,
  C: ofStatement,
}
const HEADER_BYTES = 5
const SYNC = Buffer.from('S\0\0\0\x04')

/** Describe and Close may name a portal instead of a statement. */
function ofStatement(message: Buffer): number | undefined {
  return message.toString('latin1', HEADER_BYTES, HEADER_BYTES + 1) === 'S' ? HEADER_BYTES + 1 : undefined
}

/** Renames the prepared statements of each connection, because PGlite has one backend. Unnamed statements stay unnamed. */
export class StatementNames {
  readonly #prepared = new Map<number, Set<string>>()

  /** The message with the connection's own name of the statement. Remembers the names that it prepares. */
  rename(connection: number, message: Uint8Array): Uint8Array {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
    const type = String.fromCharCode(message[0] ?? 0)
    const at = NAME_AT[type]?.(bytes)
    if (at === undefined || bytes[at] === 0) return message
    const end = bytes.indexOf(0, at)
    const name = `${connection}/${bytes.toString('utf8', at, end)}`
    if (type === 'P') this.#prepared.set(connection, (this.#prepared.get(connection) ?? new Set()).add(name))
    if (type === 'C') this.#prepared.get(connection)?.delete(name)
    const renamed = Buffer.concat([bytes.subarray(0, at), Buffer.from(name), bytes.subarray(end)])
    renamed.writeInt32BE(renamed.length - 1, 1)
    return renamed
  }

  /** Removes a closed connection. Returns the names that it has prepared. */
  forget(connection: number): string[] {
    const names = [...(this.#prepared.get(connection) ?? [])]
    this.#prepared.delete(connection)
    return names
  }
}

/** The messages that close prepared statements, with a Sync. */
export function closeStatements(names: readonly string[]): Buffer {
  const closes = names.map((name) => {
    const message = Buffer.from(`C\0\0\0\0S${name}\0`)
    message.writeInt32BE(message.length - 1, 1)
    return message
  })
  return Buffer.concat([...closes, SYNC])
}
