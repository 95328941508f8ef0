import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import type { KnownHold } from '../crash-ledger.ts'

/** The servers, users and addresses that a run needs when it goes on. */
export interface Setup {
  readonly seed: number
  readonly databasePort: number
  /** The port of the provider is stored in the database. */
  readonly providerPort: number
  readonly conversation: string
  readonly users: readonly { readonly id: string; readonly token: string }[]
  readonly budgets: readonly { readonly id: string; readonly unit: 'usd' | 'tokens' }[]
}

/** Position, type and message of an event that a reader received. */
export type Received = readonly [id: number, type: string, message: string]

/** A fact that survives the end of the run: something that a client was told, or is about to ask for. */
export type Entry =
  | { readonly type: 'setup'; readonly setup: Setup }
  | { readonly type: 'process'; readonly pid: number; readonly startedAt: string }
  | { readonly type: 'kill'; readonly kind: string }
  /** The provider received a request with this marker. */
  | { readonly type: 'call'; readonly marker: string }
  | { readonly type: 'answer'; readonly id: string; readonly status: number }
  | { readonly type: 'hold'; readonly hold: KnownHold }
  /** The approval or the release of a hold is about to be asked for. */
  | { readonly type: 'ask'; readonly id: string; readonly action: 'approve' | 'release' }
  | { readonly type: 'message'; readonly user: string; readonly text: string; readonly id: string; readonly answer: string }
  | { readonly type: 'events'; readonly reader: 0 | 1; readonly position: number; readonly received: readonly Received[] }
  | { readonly type: 'memory'; readonly id: string; readonly content: string }
  | { readonly type: 'erase'; readonly id: string; readonly isDone: boolean }
  | { readonly type: 'finished' }

/** A file of JSON lines. A line is with the system when `append` returns, so it survives `kill -9` of this process. */
export class Journal {
  readonly #file: number

  private constructor(file: number) {
    this.#file = file
  }

  /** Opens the journal and returns its entries. A line that was cut off at the end is removed. */
  static open(path: string): { readonly journal: Journal; readonly entries: readonly Entry[] } {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const complete = text.slice(0, text.lastIndexOf('\n') + 1)
    const file = openSync(path, 'a')
    if (statSync(path).size > Buffer.byteLength(complete)) ftruncateSync(file, Buffer.byteLength(complete))
    const entries = complete
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry)
    return { journal: new Journal(file), entries }
  }

  append(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
