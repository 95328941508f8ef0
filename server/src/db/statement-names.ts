/** How far into a message the name of a prepared statement stands, if the message has one: Parse, Bind, Describe, Close. */
const NAME_AT: Readonly<Record<string, (message: Buffer) => number | undefined>> = {
  P: () => HEADER_BYTES,
  B: (message) => message.indexOf(0, HEADER_BYTES) + 1,
  D: ofStatement,
  C: ofStatement,
}
const HEADER_BYTES = 5
const SYNC = Buffer.from('S\0\0\0\x04')

/** Describe and Close may mean a portal instead. */
function ofStatement(message: Buffer): number | undefined {
  return message.toString('latin1', HEADER_BYTES, HEADER_BYTES + 1) === 'S' ? HEADER_BYTES + 1 : undefined
}

/**
 * Gives every connection names of its own for what it prepares: PGlite has one backend, so that all of them would otherwise
 * share one set of names. What has no name stays without one.
 */
export class StatementNames {
  readonly #prepared = new Map<number, Set<string>>()

  /** The message with that connection's own name in it, remembered when it is one that prepares. */
  owned(connection: number, message: Uint8Array): Uint8Array {
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

  /** What that connection has prepared; it is gone. */
  forget(connection: number): string[] {
    const names = [...(this.#prepared.get(connection) ?? [])]
    this.#prepared.delete(connection)
    return names
  }
}

/** One exchange that frees them. */
export function closeStatements(names: readonly string[]): Buffer {
  const closes = names.map((name) => {
    const message = Buffer.from(`C\0\0\0\0S${name}\0`)
    message.writeInt32BE(message.length - 1, 1)
    return message
  })
  return Buffer.concat([...closes, SYNC])
}
