import { canonicalBody, hashBody, parseRecord, prepareRecord, sealRecord } from '../../src/domains/audit/chain/chain.ts'
import { createFirstSeal, type LogSeal, readSeal, writeSeal } from '../../src/domains/audit/checkpoints/log-seal.ts'
import type { AuditRecord } from '../../src/domains/audit/record/record.ts'
import type { WorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { Intruder } from './intruder.ts'

interface Log {
  readonly db: Db
  readonly workspaceId: string
  readonly keys: WorkspaceKeys
}

/** An attacker who has the secret key as well. */
export class RecordEditor extends Intruder {
  readonly #log: Log

  constructor(log: Log) {
    super(log.db, log.workspaceId)
    this.#log = log
  }

  async forge(sequence: number, change: Partial<AuditRecord>): Promise<{ body: string; hash: Buffer; seal: Buffer }> {
    const stored = await this.rowAt(sequence)
    const record = { ...parseRecord(stored.body, stored.hash), ...change }
    const body = canonicalBody(record)
    const hash = hashBody(body)
    const prevHash = Buffer.from(record.integrity.prev_hash, 'hex')
    return { body, hash, seal: this.#log.keys.hasher.seals.record({ sequence, prevHash, hash }) }
  }

  async changeSeal(change: Partial<LogSeal>): Promise<void> {
    const { db, workspaceId, keys } = this.#log
    const { seal = createFirstSeal(workspaceId) } = await readSeal(db, workspaceId, keys)
    await writeSeal(db, { ...seal, ...change }, keys.hasher)
  }

  /** Changes a record, and recomputes and seals all later records and the chain's end. */
  async rechain(from: number): Promise<void> {
    const { workspaceId, keys } = this.#log
    const later = (await this.rows()).filter(({ sequence }) => sequence >= from)
    let end = { sequence: from - 1, hash: later[0]?.prev_hash ?? Buffer.alloc(0) }
    for (const row of later) {
      const { integrity: _, ...draft } = parseRecord(row.body, row.hash)
      const changed = row.sequence === from ? { ...draft, duration_ms: 1 } : draft
      const sealed = sealRecord(prepareRecord(workspaceId, changed), end, keys.hasher)
      const { duration_ms } = sealed.prepared.draft
      await this.change(row.sequence, {
        ...{ body: sealed.body, duration_ms },
        ...{ prev_hash: sealed.prevHash, hash: sealed.hash, seal: sealed.seal },
      })
      end = sealed
    }
    await this.setHead(end.sequence, end.hash)
  }
}
