import type { Answer } from '../crash-client.ts'
import { CrashLedger, type KnownHold } from '../crash-ledger.ts'
import type { Entry, Journal, Received, Setup } from './journal.ts'

export interface SentMessage {
  readonly user: string
  readonly text: string
  readonly id: string
  /** The exact response body. */
  readonly answer: string
}

export interface ReaderState {
  position: number | undefined
  readonly received: Received[]
}

/** What clients were told over all kills, also before this process was started. */
export class KillLedger extends CrashLedger {
  readonly #journal: Journal
  readonly #holdById = new Map<string, KnownHold>()
  /** Audit ids and holds that were added or changed since the last check. */
  unchecked: string[] = []
  readonly changed = new Set<KnownHold>()
  setup: Setup | undefined
  readonly kills = new Map<string, number>()
  readonly calls = new Map<string, number>()
  readonly messages: SentMessage[] = []
  readonly readers: readonly [ReaderState, ReaderState] = [
    { position: undefined, received: [] },
    { position: undefined, received: [] },
  ]
  /** Content of memories by id. */
  readonly memories = new Map<string, string>()
  /** Ids of memories: `false` while it is unknown whether the erasure took effect. */
  readonly erased = new Map<string, boolean>()
  /** Processes of earlier runs that may still be there. */
  readonly processes = new Map<number, string>()
  isFinished = false

  constructor({ journal, entries }: { readonly journal: Journal; readonly entries: readonly Entry[] }) {
    super()
    this.#journal = journal
    for (const entry of entries) this.#apply(entry)
    this.unchecked = [...this.answers.keys()]
    for (const hold of this.holds) this.changed.add(hold)
  }

  /** Number of kills so far. */
  get killed(): number {
    return [...this.kills.values()].reduce((sum, count) => sum + count, 0)
  }

  add(entry: Entry): void {
    this.#journal.append(entry)
    this.#apply(entry)
  }

  override seen(answer: Answer | undefined): Answer | undefined {
    const seen = super.seen(answer)
    if (seen?.auditId !== undefined) {
      this.#journal.append({ type: 'answer', id: seen.auditId, status: seen.status })
      this.unchecked.push(seen.auditId)
    }
    return seen
  }

  /** Stores the state of a hold that an action has changed in memory. */
  changedHold(hold: KnownHold): void {
    this.#holdById.set(hold.id, hold)
    this.changed.add(hold)
    this.#journal.append({ type: 'hold', hold })
  }

  /** Call it before the approval or the release of a hold is sent, because this process may end before the response. */
  asks(id: string, action: 'approve' | 'release'): void {
    this.#journal.append({ type: 'ask', id, action })
  }

  #apply(entry: Entry): void {
    switch (entry.type) {
      case 'setup':
        this.setup = entry.setup
        break
      case 'process':
        this.processes.set(entry.pid, entry.startedAt)
        break
      case 'kill':
        count(this.kills, entry.kind)
        break
      case 'call':
        count(this.calls, entry.marker)
        break
      case 'answer':
        this.answers.set(entry.id, entry.status)
        break
      case 'hold':
        this.#applyHold(entry.hold)
        break
      case 'ask':
        this.#applyAsk(entry.id, entry.action)
        break
      case 'message':
        this.messages.push(entry)
        break
      case 'events':
        this.readers[entry.reader].received.push(...entry.received)
        this.readers[entry.reader].position = entry.position
        break
      case 'memory':
        this.memories.set(entry.id, entry.content)
        break
      case 'erase':
        this.erased.set(entry.id, entry.isDone)
        break
      case 'finished':
        this.isFinished = true
    }
  }

  #applyHold(hold: KnownHold): void {
    const known = this.#holdById.get(hold.id)
    if (known) Object.assign(known, hold)
    else {
      this.#holdById.set(hold.id, hold)
      this.holds.push(hold)
    }
  }

  /** The entry with the hold's next state replaces this one. Without it the outcome is unknown. */
  #applyAsk(id: string, action: 'approve' | 'release'): void {
    const hold = this.#holdById.get(id)
    if (!hold) return
    if (action === 'release') {
      hold.approval = 'granted'
      hold.attempts++
      hold.cut++
    } else if (hold.approval === 'none') hold.approval = 'asked'
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
