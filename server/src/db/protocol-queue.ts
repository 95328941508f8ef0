import type { PGlite } from '@electric-sql/pglite'
import { closeStatements, StatementNames } from './statement-names.ts'

/** First bytes of the messages that begin something: Parse, Bind, Describe, Execute, Close. What follows ends it. */
const OPENING = new Set([...'PBDEC'].map((letter) => letter.charCodeAt(0)))
/** Asks for answers, but ends nothing: Sync is still to come. */
const FLUSH = 'H'.charCodeAt(0)
/** Sync, in case an exchange stopped half-way, then the query `rollback`. */
const ROLLBACK = Buffer.from('S\0\0\0\x04Q\0\0\0\x0drollback\0')

interface Exchange {
  readonly connection: number
  readonly bytes: Uint8Array
  readonly ends: boolean
  readonly answer: (data: Uint8Array) => void
  readonly resolve: (bytes: number) => void
  readonly reject: (cause: Error) => void
}

/**
 * Whose turn it is on PGlite's one backend: whole exchanges (Parse … Sync, or one simple query), whole transactions.
 *
 * @NOTE It stands in for the queue of pglite-socket 0.2.17, which takes turns message by message. Two connections that
 * waited behind a third one's transaction then share the unnamed statement and portal: 4 of 10 queries came back with
 * another connection's rows (protocol-queue.test.ts). An exchange in one piece also costs one call instead of five.
 */
export class ProtocolQueue {
  readonly #db: PGlite
  readonly #opened = new Map<number, Uint8Array[]>()
  readonly #statements = new StatementNames()
  #waiting: Exchange[] = []
  #busy = false
  /** The connection in a transaction or before its Sync: nobody else's turn until it is through, or gone. */
  #owner: number | undefined

  constructor(db: PGlite) {
    this.#db = db
  }

  /** Called by pglite-socket with one message at a time; resolves with the size of what was answered. */
  enqueue(connection: number, message: Uint8Array, answer: (data: Uint8Array) => void): Promise<number> {
    const parts = [...(this.#opened.get(connection) ?? []), this.#statements.owned(connection, message)]
    if (OPENING.has(message[0] ?? 0)) {
      this.#opened.set(connection, parts)
      return Promise.resolve(0)
    }
    this.#opened.delete(connection)
    return this.#push(connection, Buffer.concat(parts), message[0] !== FLUSH, answer)
  }

  getQueueLength(): number {
    return this.#waiting.length
  }

  /** The connection is gone: what it sent and nobody began is void. */
  clearQueueForHandler(connection: number): void {
    this.#opened.delete(connection)
    const gone = this.#waiting.filter((exchange) => exchange.connection === connection)
    this.#waiting = this.#waiting.filter((exchange) => exchange.connection !== connection)
    for (const { reject } of gone) reject(new Error('the connection has ended'))
  }

  /** The connection is gone: what it began and did not end is rolled back, what it prepared is closed, the others go on. */
  async clearTransactionIfNeeded(connection: number): Promise<void> {
    if (this.#owner === connection) await this.#push(connection, ROLLBACK, true, () => {})
    const names = this.#statements.forget(connection)
    // Nobody waits for it: the database itself may be closing.
    if (names.length > 0) this.#push(connection, closeStatements(names), true, () => {}).catch(() => {})
  }

  #push(connection: number, bytes: Uint8Array, ends: boolean, answer: Exchange['answer']): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ connection, bytes, ends, answer, resolve, reject })
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

  #next(): Exchange | undefined {
    const at = this.#owner === undefined ? 0 : this.#waiting.findIndex(({ connection }) => connection === this.#owner)
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]
  }

  async #execute({ connection, bytes, ends, answer }: Exchange): Promise<number> {
    let size = 0
    const onRawData = (data: Uint8Array): void => {
      size += data.length
      answer(data)
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
