import type { PGlite } from '@electric-sql/pglite'

/** First bytes of the messages Parse, Bind, Describe, Execute and Close. A later message completes their sequence. */
const INCOMPLETE_TYPES = new Set([...'PBDEC'].map((letter) => letter.charCodeAt(0)))
/** Flush requests the results so far; the Sync follows later. */
const FLUSH = 'H'.charCodeAt(0)
/** Sync, in case a sequence is incomplete, then the query `rollback`. */
const ROLLBACK = Buffer.from('S\0\0\0\x04Q\0\0\0\x0drollback\0')

/** Messages that the backend must receive together. */
interface MessageSequence {
  readonly connection: number
  readonly bytes: Uint8Array
  readonly ends: boolean
  readonly respond: (data: Uint8Array) => void
  readonly resolve: (bytes: number) => void
  readonly reject: (cause: Error) => void
}

/**
 * Queue for the single backend of PGlite. It runs complete message sequences (Parse … Sync, or one simple query) and complete
 * transactions of one connection at a time.
 *
 * @NOTE It replaces the queue of pglite-socket 0.2.17, which alternates between connections after each message. Two connections that
 * waited for the transaction of a third one then shared the unnamed statement and portal: 4 of 10 queries returned the rows of another
 * connection (protocol-queue.test.ts). A sequence also costs one call instead of five.
 */
export class ProtocolQueue {
  readonly #db: PGlite
  readonly #incomplete = new Map<number, Uint8Array[]>()
  readonly #statements = new StatementNames()
  #waiting: MessageSequence[] = []
  #busy = false
  /** The connection that is in a transaction or before its Sync. The others wait until it has finished or is closed. */
  #owner: number | undefined

  constructor(db: PGlite) {
    this.#db = db
  }

  /** Called by pglite-socket for each message. Resolves with the size of the response in bytes. */
  enqueue(connection: number, message: Uint8Array, respond: (data: Uint8Array) => void): Promise<number> {
    const parts = [...(this.#incomplete.get(connection) ?? []), this.#statements.rename(connection, message)]
    if (INCOMPLETE_TYPES.has(message[0] ?? 0)) {
      this.#incomplete.set(connection, parts)
      return Promise.resolve(0)
    }
    this.#incomplete.delete(connection)
    return this.#push(connection, Buffer.concat(parts), message[0] !== FLUSH, respond)
  }

  getQueueLength(): number {
    return this.#waiting.length
  }

  /** Called when a connection is closed: discards its messages that have not run. */
  clearQueueForHandler(connection: number): void {
    this.#incomplete.delete(connection)
    const discarded = this.#waiting.filter((sequence) => sequence.connection === connection)
    this.#waiting = this.#waiting.filter((sequence) => sequence.connection !== connection)
    for (const { reject } of discarded) reject(new Error('the connection was closed'))
  }

  /** Called when a connection is closed: rolls its transaction back and closes its prepared statements. */
  async clearTransactionIfNeeded(connection: number): Promise<void> {
    if (this.#owner === connection) await this.#push(connection, ROLLBACK, true, () => {})
    const names = this.#statements.forget(connection)
    // Not awaited: the database itself may be closing.
    if (names.length > 0) this.#push(connection, closeStatements(names), true, () => {}).catch(() => {})
  }

  #push(connection: number, bytes: Uint8Array, ends: boolean, respond: MessageSequence['respond']): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ connection, bytes, ends, respond, resolve, reject })
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let next = this.#next(); next; next = this.#next()) {
      try {
        next.resolve(await this.#execute(next))
      } catch (cause) {
        next.reject(cause instanceof Error ? cause : new Error(String(cause)))
      }
    }
    this.#busy = false
  }

  #next(): MessageSequence | undefined {
    const at = this.#owner === undefined ? 0 : this.#waiting.findIndex(({ connection }) => connection === this.#owner)
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  async #execute({ connection, bytes, ends, respond }: MessageSequence): Promise<number> {
    let size = 0
    const onRawData = (data: Uint8Array): void => {
      size += data.length
      respond(data)
    }
    this.#owner = connection
    try {
      await this.#db.runExclusive(() => this.#db.execProtocolRawStream(bytes, { onRawData }))
    } finally {
      if (ends && !this.#db.isInTransaction()) this.#owner = undefined
    }
    return size
  }
}

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
class StatementNames {
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
function closeStatements(names: readonly string[]): Buffer {
  const closes = names.map((name) => {
    const message = Buffer.from(`C\0\0\0\0S${name}\0`)
    message.writeInt32BE(message.length - 1, 1)
    return message
  })
  return Buffer.concat([...closes, SYNC])
}
