import { sql } from 'kysely'
import { findChainEnd, readRecordPages, type StoredRecord } from '../../src/domains/audit/audit-store.ts'
import { type ChainEnd, canonicalBody, GENESIS, hashBody, parseRecord } from '../../src/domains/audit/chain/chain.ts'
import type { AuditRecord } from '../../src/domains/audit/record/record.ts'
import type { Db } from '../../src/platform/db/database.ts'
import type { RowOf } from '../../src/platform/db/from-row.ts'
import { uuidOf } from '../../src/platform/db/values.ts'

/**
 * An attacker with write access to the database but without the secret key: changes records, recomputes all later unkeyed
 * hashes and moves the chain's end.
 */
export class Intruder {
  readonly #db: Db
  readonly #workspaceId: string
  readonly workspace: string

  constructor(db: Db, workspaceId: string) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.workspace = uuidOf('ws', workspaceId)
  }

  async rows(): Promise<StoredRecord[]> {
    const all: StoredRecord[] = []
    for await (const page of readRecordPages(this.#db, this.#workspaceId, { after: 0, through: 1e9 })) all.push(...page)
    return all
  }

  async rowAt(sequence: number): Promise<StoredRecord> {
    return (await this.rows()).find((row) => row.sequence === sequence) as StoredRecord
  }

  async change(sequence: number, columns: Partial<StoredRecord>): Promise<void> {
    const records = this.#db.updateTable('audit_record').set(columns as object)
    await records.where('workspace_id', '=', this.workspace).where('sequence', '=', sequence).execute()
  }

  async changeCheckpoint(size: number, columns: Partial<RowOf<'audit_checkpoint'>>): Promise<void> {
    const checkpoints = this.#db.updateTable('audit_checkpoint').set(columns as object)
    await checkpoints.where('workspace_id', '=', this.workspace).where('size', '=', size).execute()
  }

  async setHead(sequence: number, hash: Buffer): Promise<void> {
    await this.#db.updateTable('audit_head').set({ sequence, hash }).where('workspace_id', '=', this.workspace).execute()
  }

  /** Removes the records `from` to `to`, both included, and changes no others. */
  async removeRows(from: number, to = from): Promise<void> {
    const records = this.#db.deleteFrom('audit_record').where('workspace_id', '=', this.workspace)
    await records.where('sequence', '>=', from).where('sequence', '<=', to).execute()
  }

  /** Changes the verdict of a record to allow and recomputes all later hashes. */
  async allow(sequence: number): Promise<void> {
    const rows = await this.rows()
    await this.#rewrite(
      rows.map((row) => (row.sequence === sequence ? withVerdict(row, 'allow') : row)),
      sequence,
    )
  }

  /** Removes a record and moves all later ones up. */
  async remove(sequence: number): Promise<void> {
    const rows = (await this.rows()).filter((row) => row.sequence !== sequence)
    await this.removeRows(sequence)
    await this.#rewrite(
      rows.map((row) => (row.sequence > sequence ? { ...row, sequence: row.sequence - 1 } : row)),
      sequence,
    )
  }

  /** Puts the records with these sequences in this order and recomputes all hashes. */
  async reorder(order: readonly number[]): Promise<void> {
    const rows = await this.rows()
    const moved = order.flatMap((from, index) => {
      const row = rows.find(({ sequence }) => sequence === from)
      return row ? [{ ...row, sequence: index + 1 }] : []
    })
    // Sequences are unique, also between the updates.
    await sql`update audit_record set sequence = sequence + 1000000 where workspace_id = ${this.workspace}`.execute(this.#db)
    await this.#rewrite(moved, 1)
  }

  /** Puts copies of records of this log at its end, with their seals. */
  async append(rows: readonly StoredRecord[]): Promise<void> {
    const { sequence, hash } = await findChainEnd(this.#db, this.#workspaceId)
    let end: ChainEnd = { sequence, hash }
    for (const row of rows) {
      const moved = `"prev_hash":"${end.hash.toString('hex')}","sequence":${end.sequence + 1}`
      const body = row.body.replace(/"prev_hash":"\w+","sequence":\d+/, moved)
      const copy = { ...row, body, sequence: end.sequence + 1, prev_hash: end.hash, hash: hashBody(body) }
      await this.#db.insertInto('audit_record').values(copy).execute()
      end = copy
    }
    await this.setHead(end.sequence, end.hash)
  }

  /** Removes all records after `sequence` and their checkpoints. */
  async cutAfter(sequence: number): Promise<void> {
    await this.removeRows(sequence + 1, Number.MAX_SAFE_INTEGER)
    await this.deleteCheckpoints(sequence)
    await this.#fixHead()
  }

  async deleteCheckpoints(after = 0, through = Number.MAX_SAFE_INTEGER): Promise<void> {
    const checkpoints = this.#db.deleteFrom('audit_checkpoint').where('workspace_id', '=', this.workspace)
    await checkpoints.where('size', '>', after).where('size', '<=', through).execute()
  }

  async removeSeals(): Promise<void> {
    await this.setSeal(null)
    await this.#db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', this.workspace).execute()
  }

  async seal(): Promise<string | null> {
    const row = this.#db.selectFrom('workspace').select('audit_seal').where('id', '=', this.workspace)
    return (await row.executeTakeFirstOrThrow()).audit_seal
  }

  async setSeal(audit_seal: string | null): Promise<void> {
    await this.#db.updateTable('workspace').set({ audit_seal }).where('id', '=', this.workspace).execute()
  }

  async setPublicKey(signing_public_key: string): Promise<void> {
    await this.#db.updateTable('workspace').set({ signing_public_key }).where('id', '=', this.workspace).execute()
  }

  async #rewrite(rows: readonly StoredRecord[], from: number): Promise<void> {
    let end: ChainEnd = GENESIS
    for (const row of rows) {
      if (row.sequence < from) end = row
      else end = await this.#rechain(row, end)
    }
    await this.#fixHead()
  }

  async #rechain(row: StoredRecord, end: ChainEnd): Promise<ChainEnd> {
    const { integrity, ...draft } = parseRecord(row.body, row.hash)
    const position = { ...integrity, sequence: row.sequence, prev_hash: end.hash.toString('hex') }
    const body = canonicalBody({ ...draft, integrity: position } as AuditRecord)
    const hash = hashBody(body)
    await this.#db
      .updateTable('audit_record')
      .set({ body, hash, prev_hash: end.hash, sequence: row.sequence, verdict: row.verdict })
      .where('id', '=', row.id)
      .execute()
    return { sequence: row.sequence, hash }
  }

  async #fixHead(): Promise<void> {
    await sql`update audit_head set (sequence, hash) = (
        select sequence, hash from audit_record where workspace_id = ${this.workspace} order by sequence desc limit 1)
      where workspace_id = ${this.workspace}`.execute(this.#db)
  }
}

function withVerdict(row: StoredRecord, verdict: 'allow'): StoredRecord {
  const record = parseRecord(row.body, row.hash)
  const decision = record.decision && { ...record.decision, verdict }
  return { ...row, verdict, body: canonicalBody({ ...record, decision }) }
}
