import type { PlacedRecord } from '../chain/chain.ts'
import { type CountedRecord, countedOf } from './counted-record.ts'

/** Most records that are kept, about 6 MB. The others are read from the log when they are counted. */
const MOST = 20_000

export type RecordsBySequence = ReadonlyMap<number, CountedRecord>

/** Keeps, of each record that this process has appended, what is counted, so that the job does not read it from the log. */
export class RecentRecords {
  readonly #most: number
  #byWorkspace = new Map<string, CountedRecord[]>()
  #size = 0

  constructor(most: number = MOST) {
    this.#most = most
  }

  /** Call it when the records are committed. */
  add(placed: readonly PlacedRecord[]): void {
    for (const record of placed.slice(0, Math.max(this.#most - this.#size, 0))) {
      const { workspace_id: workspaceId } = record.prepared.draft
      const known = this.#byWorkspace.get(workspaceId)
      if (known) known.push(countedOf(record))
      else this.#byWorkspace.set(workspaceId, [countedOf(record)])
      this.#size += 1
    }
  }

  /** Returns the records by Workspace and forgets them: after an attack and an operator's resumption a sequence may have another record. */
  take(): ReadonlyMap<string, RecordsBySequence> {
    const taken = this.#byWorkspace
    this.#byWorkspace = new Map()
    this.#size = 0
    return new Map([...taken].map(([id, records]) => [id, new Map(records.map((record) => [record.sequence, record]))]))
  }
}
