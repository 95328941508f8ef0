import { PGlite } from '@electric-sql/pglite'

type MainLoop = { _PostgresMainLoopOnce(): void; _pgl_pq_flush(): void }
type ProtocolOptions = Parameters<PGlite['execProtocolRawStream']>[1]

/** Status of the exceptions of PostgreSQL's own error handling. Any other exception means that the backend has died. */
const LONGJMP_STATUS = 100
/** An ErrorResponse that ends the backend: severity, code and text. Such texts name files and limits, never the content of rows. */
const FATAL = /V(?:PANIC|FATAL)\0C\w{5}\0M([^\0]+)/

/**
 * A PGlite that reports when its backend has died.
 *
 * @NOTE PGlite 0.5.14 ignores the exception of a PANIC or WASM trap and calls the dead backend again: endlessly, or with a result of no
 * rows and no error for every query. A valid key then looks unknown (0002-embedded-database.md).
 */
export class WatchedPGlite extends PGlite {
  #lastError: string | undefined

  /** Calls `onDeath` with the reason, during the call in which the backend died. */
  watch(onDeath: (reason: string) => void): void {
    const main = this.mod as unknown as MainLoop | undefined
    const once = main?._PostgresMainLoopOnce
    if (!main || typeof once !== 'function') throw new Error('this version of PGlite cannot be watched: adapt watched-pglite.ts')
    main._PostgresMainLoopOnce = () => {
      try {
        once()
      } catch (thrown) {
        if ((thrown as { status?: unknown }).status === LONGJMP_STATUS) throw thrown
        // The error message of PostgreSQL is still in its buffer.
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
