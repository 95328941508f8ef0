import { PGlite } from '@electric-sql/pglite'

type MainLoop = { _PostgresMainLoopOnce(): void; _pgl_pq_flush(): void }
type ProtocolOptions = Parameters<PGlite['execProtocolRawStream']>[1]

/** What PostgreSQL's error handling throws through the WASM stack; every other exception means that the backend has died. */
const LONGJMP_STATUS = 100
/** The fields severity, code and text of an ErrorResponse that ends the backend. Such texts name files and limits, never what a row holds. */
const FATAL = /V(?:PANIC|FATAL)\0C\w{5}\0M([^\0]+)/

/**
 * A PGlite that says when its backend has died.
 *
 * @NOTE PGlite 0.5.14 swallows what a PANIC or a WASM trap throws and calls the dead backend again: without end, or answering
 * every query with no rows and no error. A key that is valid then looks unknown (0002-embedded-database.md).
 */
export class WatchedPGlite extends PGlite {
  #lastError: string | undefined

  /** `onDeath` is told why, in the middle of the call in which the backend died. */
  watch(onDeath: (reason: string) => void): void {
    const main = this.mod as unknown as MainLoop | undefined
    const once = main?._PostgresMainLoopOnce
    if (!main || typeof once !== 'function') throw new Error('this version of PGlite cannot be watched: see watched-pglite.ts')
    main._PostgresMainLoopOnce = () => {
      try {
        once()
      } catch (thrown) {
        if ((thrown as { status?: unknown }).status === LONGJMP_STATUS) throw thrown
        // PostgreSQL's last words are still in its buffer.
        main._pgl_pq_flush()
        onDeath(this.#lastError ?? String(thrown))
      }
    }
  }

  override execProtocolRawStream(message: Uint8Array, options: ProtocolOptions): Promise<void> {
    this.#lastError = undefined
    const onRawData = (data: Uint8Array): void => {
      this.#lastError = fatalText(data) ?? this.#lastError
      options.onRawData(data)
    }
    return super.execProtocolRawStream(message, { ...options, onRawData })
  }
}

const fatalText = (data: Uint8Array): string | undefined =>
  FATAL.exec(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'))?.[1]
