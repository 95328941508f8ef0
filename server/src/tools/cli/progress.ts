import { elapsed } from '../../platform/lib/clock.ts'
import { counted } from '../../platform/lib/counted.ts'
import type { Tally } from '../ingestion/tally.ts'
import type { Terminal } from './terminal.ts'

const WIDTH = 24
const TERMINAL_INTERVAL_MS = 100
const LOG_INTERVAL_MS = 10_000

/** Progress of an ingestion: on a terminal one line that is overwritten, in a log a line every 10 seconds. */
export class Progress {
  readonly #terminal: Terminal
  readonly #total: number
  readonly #startedAt = elapsed()
  #printedAt = elapsed()

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal
    this.#total = total
  }

  show(tally: Tally): void {
    const now = elapsed()
    const { status, note } = this.#terminal
    if (now - this.#printedAt < (status ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return
    this.#printedAt = now
    const print = status ?? note
    print(this.#line(tally, now))
  }

  /** Clears the line on the terminal. */
  end(): void {
    this.#terminal.status?.('')
  }

  #line({ files, chunks, counts }: Tally, now: number): string {
    const share = this.#total === 0 ? 1 : Math.min(1, files / this.#total)
    const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')
    const rate = Math.round(files / Math.max(0.001, (now - this.#startedAt) / 1_000))
    const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
    return `[${bar}] ${files}/${counted(this.#total, 'file')}, ${counted(chunks, 'chunk')}, ${rate} files/s${failed}`
  }
}
