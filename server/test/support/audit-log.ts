import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { appendInTransaction, appendUnderLock } from '../../src/domains/audit/chain/append-in-transaction.ts'
import { auditedTransaction } from '../../src/domains/audit/chain/audited-transaction.ts'
import { AuditWriter, type AuditWriterOptions } from '../../src/domains/audit/chain/writer.ts'
import type { Checkpoint } from '../../src/domains/audit/checkpoints/checkpoint.ts'
import { resumeSigning } from '../../src/domains/audit/checkpoints/resume-signing.ts'
import { makeCheckpoint } from '../../src/domains/audit/checkpoints/sign-checkpoints.ts'
import { stopSigning } from '../../src/domains/audit/checkpoints/verified-seal.ts'
import type { AuditWatch } from '../../src/domains/audit/checkpoints/watch.ts'
import type { AuditDraft, AuditRecord } from '../../src/domains/audit/record/record.ts'
import { pruneRecords } from '../../src/domains/audit/retention.ts'
import type { AuditFault } from '../../src/domains/audit/verify/chain-checker.ts'
import { type VerifyOptions, verifyWorkspace } from '../../src/domains/audit/verify/verify.ts'
import type { WorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import type { Database, Db } from '../../src/platform/db/database.ts'
import { Cache } from '../../src/platform/lib/cache.ts'
import { seedAuditedWorkspace, testDraft } from './audit.ts'
import type { FreshDatabase } from './fresh-database.ts'
import { Intruder } from './intruder.ts'
import { RecordEditor } from './record-editor.ts'

const MINUTE = 60_000

/** The time of `sign` without an argument. */
export const SIGNED_AT = new Date('2026-03-01T00:00:00.000Z')

/** `ms` after SIGNED_AT. */
export const afterSigning = (ms: number): Date => new Date(SIGNED_AT.getTime() + ms)

/** Decision of records that `Intruder.allow` changes. */
export const DENIED: AuditDraft['decision'] = { verdict: 'deny', transforms: [], directives: [], rules: [] }

interface LogOptions {
  /** Numbers of records; a checkpoint is signed after each group except the last. */
  readonly groups?: readonly number[]
  /** Seals the records in groups, as nodes on PostgreSQL do. Every second group comes from another node. */
  readonly usesGroups?: boolean
  /** No checkpoint is signed. */
  readonly unsigned?: boolean
  /** Changes the usual record with this sequence. */
  readonly change?: (sequence: number) => Partial<AuditDraft>
}

export class AuditLogFixture {
  readonly database: Database
  readonly workspaceId: string
  readonly keys: WorkspaceKeys
  readonly intruder: Intruder
  readonly editor: RecordEditor
  /** Ids of the appended records, oldest first. */
  readonly ids: string[] = []
  readonly #change: (sequence: number) => Partial<AuditDraft>
  readonly #nodes: readonly AuditWriter[]
  #groups = 0

  constructor(
    database: Database,
    workspaceId: string,
    keys: WorkspaceKeys,
    { change = () => ({}), usesGroups = false }: LogOptions = {},
  ) {
    this.database = database
    this.workspaceId = workspaceId
    this.keys = keys
    this.intruder = new Intruder(database.db, workspaceId)
    this.editor = new RecordEditor(this)
    this.#change = change
    this.#nodes = usesGroups ? [this.writer(), this.writer()] : []
  }

  get db(): Db {
    return this.database.db
  }

  async append(count: number, change: Partial<AuditDraft> = {}): Promise<AuditRecord[]> {
    const first = this.ids.length + 1
    const drafts = Array.from({ length: count }, (_, index) =>
      testDraft(this.workspaceId, { ...this.#change(first + index), ...change }),
    )
    this.ids.push(...drafts.map(({ id }) => id))
    this.#groups += 1
    const writer = this.#nodes[this.#groups % 2]
    if (writer) return Promise.all(drafts.map((draft) => writer.append(this.workspaceId, draft)))
    return this.db.transaction().execute((tx) => appendUnderLock(tx, this.workspaceId, drafts, this.keys.hasher))
  }

  writer(options: Partial<AuditWriterOptions> = {}, pool = this.database.pool): AuditWriter {
    const findSealer = async () => this.keys.hasher
    return new AuditWriter({ pool, kind: this.database.kind }, { findSealer, usesGroups: true, ...options })
  }

  draft(): AuditDraft {
    return testDraft(this.workspaceId)
  }

  /** Appends records with seals of their positions, like rare changes. */
  async appendUnderLock(count: number): Promise<void> {
    const drafts = Array.from({ length: count }, () => this.draft())
    await this.db.transaction().execute((tx) => appendUnderLock(tx, this.workspaceId, drafts, this.keys.hasher))
  }

  /** Dependencies of `chainPending` on another node. */
  pendingDeps() {
    return { db: this.db, audit: this.writer(), workspaceKeys: new Cache(async () => this.keys, { loadMs: 10_000 }) }
  }

  sign(at = SIGNED_AT): Promise<Checkpoint | undefined> {
    return makeCheckpoint(this.db, this.workspaceId, this.keys, { now: () => at })
  }

  verify(options?: VerifyOptions) {
    return verifyWorkspace(this.db, this.workspaceId, this.keys, options)
  }

  check(watch: AuditWatch) {
    return watch.check(this.db, this.workspaceId, this.keys)
  }

  /** Verification names the fault, and no checkpoint is signed. */
  async expectFault(fault: object, at = afterSigning(MINUTE)): Promise<void> {
    expect(await this.verify()).toMatchObject({ ok: false, firstFault: fault })
    await expect(this.sign(at)).rejects.toThrow('tampered with')
  }

  prune(before: Date, options: { now?: Date; archived?: number } = {}): Promise<number> {
    return pruneRecords(this.db, this.workspaceId, { before, keys: this.keys, now: before, ...options })
  }

  resume(accept = true, { at = SIGNED_AT, db = this.db, maxRecords }: { at?: Date; db?: Db; maxRecords?: number } = {}) {
    const options = { accept, clock: { now: () => at }, ...(maxRecords !== undefined && { maxRecords }) }
    return resumeSigning(db, this.workspaceId, this.keys, options)
  }

  stop(fault: AuditFault): Promise<void> {
    return stopSigning(this.db, this.workspaceId, this.keys, fault)
  }

  /** Leaves the record of a transaction whose node dies after the commit, and returns its id. */
  async leavePending(): Promise<string> {
    const draft = this.draft()
    const audit = { chain: async () => {}, leavesPending: true }
    const { db, workspaceId, keys } = this
    await auditedTransaction({ db, audit }, (tx) => appendInTransaction(tx, workspaceId, [draft], keys.hasher))
    return draft.id
  }

  async createOther(): Promise<AuditLogFixture> {
    const { workspaceId, keys } = await seedAuditedWorkspace(this.db)
    return new AuditLogFixture(this.database, workspaceId, keys)
  }
}

/** Opens a database for the tests of the current `describe`; each test gets a new log, available as `log()`. */
export function useAuditLog(open: () => Promise<Database | FreshDatabase>, options: LogOptions = {}): () => AuditLogFixture {
  let database: Database
  let log: AuditLogFixture
  beforeAll(async () => {
    const opened = await open()
    database = 'remove' in opened ? { ...opened.database, close: opened.remove } : opened
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    const { workspaceId, keys } = await seedAuditedWorkspace(database.db)
    log = new AuditLogFixture(database, workspaceId, keys, options)
    const groups = options.groups ?? []
    for (const [index, count] of groups.entries()) {
      await log.append(count)
      if (index < groups.length - 1 && !options.unsigned) await log.sign()
    }
  })
  return () => log
}
