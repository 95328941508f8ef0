import { afterAll, beforeAll, beforeEach } from 'vitest'
import { appendUnderLock } from '../../src/domains/audit/chain/append-in-transaction.ts'
import { AuditWriter, type AuditWriterOptions } from '../../src/domains/audit/chain/writer.ts'
import type { Checkpoint } from '../../src/domains/audit/checkpoints/checkpoint.ts'
import { makeCheckpoint } from '../../src/domains/audit/checkpoints/sign-checkpoints.ts'
import type { AuditWatch } from '../../src/domains/audit/checkpoints/watch.ts'
import type { AuditDraft, AuditRecord } from '../../src/domains/audit/record/record.ts'
import { type VerifyOptions, verifyWorkspace } from '../../src/domains/audit/verify/verify.ts'
import type { WorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import type { Database, Db } from '../../src/platform/db/database.ts'
import { Cache } from '../../src/platform/lib/cache.ts'
import { seedAuditedWorkspace, testDraft } from './audit.ts'
import { Intruder } from './intruder.ts'

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

/** The audit log of a new Workspace. */
export class AuditLogFixture {
  readonly database: Database
  readonly workspaceId: string
  readonly keys: WorkspaceKeys
  readonly intruder: Intruder
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

  /** A writer that chains groups in the database. */
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
}

/** Opens a database for the tests of the current `describe`; each test gets a new log, available as `log()`. */
export function useAuditLog(open: () => Promise<Database>, options: LogOptions = {}): () => AuditLogFixture {
  let database: Database
  let log: AuditLogFixture
  beforeAll(async () => {
    database = await open()
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
