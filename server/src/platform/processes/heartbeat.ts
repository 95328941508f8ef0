/** Interval at which an event loop says that it runs, and at which the other side checks that. */
export const BEAT_MS = 1_000
/** Checks in a row without a beat after which a process counts as hung. */
const MISSED = 30
/** A new process loads its modules before its first beat. */
const MISSED_AT_START = 120

interface Options {
  /** Called once for each process that hangs. */
  readonly onHung: (id: number) => void
}

/**
 * Notices processes whose event loop hangs: blocked for ever, or stopped. It counts checks, not time, so that a machine that was suspended
 * has no hung processes when it continues.
 */
export class Heartbeats {
  /** The checks that are left to each process. */
  readonly #left = new Map<number, number>()
  readonly #onHung: Options['onHung']
  readonly #timer: NodeJS.Timeout

  constructor({ onHung }: Options) {
    this.#onHung = onHung
    this.#timer = setInterval(() => this.#check(), BEAT_MS).unref()
  }

  /** Begins to watch a process that was just started. `id` is never used again. */
  watch(id: number): void {
    this.#left.set(id, MISSED_AT_START)
  }

  /** Call it for each beat. */
  beat(id: number): void {
    if (this.#left.has(id)) this.#left.set(id, MISSED)
  }

  isHung(id: number): boolean {
    return (this.#left.get(id) ?? 1) <= 0
  }

  remove(id: number): void {
    this.#left.delete(id)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    for (const [id, left] of this.#left) {
      this.#left.set(id, left - 1)
      if (left === 1) this.#onHung(id)
    }
  }
}
