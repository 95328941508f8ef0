import type { Tally } from '../ingestion/tally.ts'
import { elapsed } from '../lib/clock.ts'
import type { Terminal } from './command.ts'

const WIDTH = 24
/** How often a person sees it move, and how often a log is told. */
const ON_TERMINAL_MS = 100
const IN_LOG_MS = 10_000

/** How far the reading of a folder has come: a line that is written over on a terminal, a line now and then in a log. */
export class Progress {
  readonly #terminal: Terminal
  readonly #total: number
  readonly #startedAt = elapsed()
  #toldAt = elapsed()

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal
    this.#total = total
  }

  show(tally: Tally): void {
    const now = elapsed()
    const { status, note } = this.#terminal
    if (now - this.#toldAt < (status ? ON_TERMINAL_MS : IN_LOG_MS)) return
    this.#toldAt = now
    const tell = status ?? note
    tell(this.#line(tally, now))
  }

  /** Leaves the terminal as it was. */
  end(): void {
    this.#terminal.status?.('')
  }

  #line({ files, chunks, counts }: Tally, now: number): string {
    const share = this.#total === 0 ? 1 : Math.min(1, files / this.#total)
    const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')
    const rate = Math.round(files / Math.max(0.001, (now - this.#startedAt) / 1_000))
    const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
    return `[${bar}] ${files}/${this.#total} files, ${chunks} chunks, ${rate} files/s${failed}`
  }
}
