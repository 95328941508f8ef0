import type { Db } from '../../../platform/db/database.ts'
import { findFirstSequence, streamRecords } from '../audit-store.ts'
import { type ChainEnd, canonicalBody, GENESIS, hashBody } from '../chain/chain.ts'
import { type Checkpoint, isGenuine, parseFrontier } from '../checkpoints/checkpoint.ts'
import {
  findCheckpointAt,
  findCheckpointNewerThan,
  findCheckpointOlderThan,
  findLatestCheckpoint,
} from '../checkpoints/checkpoint-store.ts'
import { Frontier } from '../checkpoints/merkle.ts'
import type { AuditRecord } from '../record/record.ts'
import { type AuditFault, ChainChecker, faultAt, type ObservedRecord } from './chain-checker.ts'
import type { Verification } from './verify.ts'

export interface ExportHeader {
  readonly object: 'audit_export'
  readonly workspace_id: string
  /** Checkpoint before the first exported record; null: the export begins with the Workspace's first record. */
  readonly after: Checkpoint | null
  readonly through: number
}

/** The smallest range between two checkpoints that contains `from` to `to`, as JSON lines. Without any checkpoint, only the header. */
export async function* exportRecords(
  db: Db,
  workspaceId: string,
  { from, to }: { from?: Date; to?: Date } = {},
): AsyncGenerator<string> {
  const after = (from && (await findCheckpointOlderThan(db, workspaceId, from))) ?? (await findExportStart(db, workspaceId))
  const found = (to && (await findCheckpointNewerThan(db, workspaceId, to))) ?? (await findLatestCheckpoint(db, workspaceId))
  const through = found && found.size > (after?.size ?? 0) ? found : undefined
  yield* streamExport(db, workspaceId, after, through)
}

/** `after` undefined: from the first record. `through` undefined: only the header. */
export async function* streamExport(
  db: Db,
  workspaceId: string,
  after: Checkpoint | undefined,
  through: Checkpoint | undefined,
): AsyncGenerator<string> {
  const header: ExportHeader = {
    object: 'audit_export',
    workspace_id: workspaceId,
    after: after ?? null,
    through: through?.size ?? after?.size ?? 0,
  }
  yield JSON.stringify(header)
  if (through === undefined) return
  for await (const record of streamRecords(db, workspaceId, { after: after?.size ?? 0, through: through.size })) {
    yield JSON.stringify(record)
  }
  yield JSON.stringify(through)
}

export async function findExportStart(db: Db, workspaceId: string): Promise<Checkpoint | undefined> {
  const first = await findFirstSequence(db, workspaceId)
  return first === undefined ? findLatestCheckpoint(db, workspaceId) : findCheckpointAt(db, workspaceId, first - 1)
}

/** Without the database. Throws a TypeError if the first line is not an export header. `publicKey`: the Workspace's key, SPKI PEM. */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKey: string,
  kept: readonly Checkpoint[] = [],
): Promise<Verification> {
  let verification: ExportVerification | undefined
  for await (const line of lines) {
    if (verification) verification.addLine(line)
    else verification = new ExportVerification(parseHeader(line), publicKey, kept)
    // Only the first fault is named, so a crafted file of millions of lines is not read to its end.
    if (verification.hasFault) break
  }
  if (verification === undefined) throw new TypeError('the file is empty; expected an audit export')
  return verification.finish()
}

class ExportVerification {
  readonly #header: ExportHeader
  readonly #publicKey: string
  readonly #checker: ChainChecker
  readonly #start: ChainEnd
  #lines = 0
  #end: Checkpoint | undefined
  #startFault: AuditFault | undefined
  #endFault: AuditFault | undefined

  constructor(header: ExportHeader, publicKey: string, kept: readonly Checkpoint[]) {
    const { after, workspace_id, through } = header
    const isWithin = ({ size }: Checkpoint) => size >= (after?.size ?? 0) && size <= through
    this.#header = header
    this.#publicKey = publicKey
    const frontier = after ? parseFrontier(after) : new Frontier()
    if (after && !(after.workspace_id === workspace_id && isGenuine(after, publicKey)))
      this.#startFault = faultAt('checkpoint_altered', after.size)
    this.#start = after ? { sequence: after.size, hash: Buffer.from(after.hash, 'hex') } : GENESIS
    this.#checker = new ChainChecker(publicKey, this.#start, frontier ?? new Frontier())
    this.#checker.expectCheckpoints(kept.filter((one) => one.workspace_id === workspace_id && isWithin(one)))
  }

  addLine(text: string): void {
    if (text.trim() === '') return
    this.#lines += 1
    const value = parseLine(text)
    if (this.#end) this.#endFault ??= faultAt('unexpected', this.#end.size + 1)
    else if (value?.object === 'audit_checkpoint') this.#finishWith(value)
    else this.#checker.addRecord(this.#observe(value))
  }

  /** No later line can change the result. */
  get hasFault(): boolean {
    return this.#checker.fault !== undefined || (this.#end !== undefined && this.#endFault !== undefined)
  }

  finish(): Verification {
    const { after, through } = this.#header
    const first = this.#start.sequence + 1
    const last = this.#end ? { sequence: this.#end.size, hash: Buffer.from(this.#end.hash, 'hex') } : undefined
    // Without its last line the export may be incomplete.
    if (last && !this.#endFault) this.#checker.finish(last)
    else if (!last && through > (after?.size ?? 0)) this.#endFault ??= faultAt('missing', first + this.#lines)
    const fault = this.#startFault ?? this.#checker.fault ?? this.#endFault
    return { ok: fault === undefined, ...this.#checker.counts, first, ...(fault && { firstFault: fault }) }
  }

  #finishWith(checkpoint: Checkpoint): void {
    this.#end = checkpoint
    const { workspace_id, through } = this.#header
    const isExpected = checkpoint.workspace_id === workspace_id && checkpoint.size === through
    if (isExpected && isGenuine(checkpoint, this.#publicKey)) this.#checker.expectCheckpoints([checkpoint])
    else this.#endFault ??= faultAt('checkpoint_altered', checkpoint.size)
  }

  #observe(record: AuditRecord | undefined): ObservedRecord {
    const sequence = this.#start.sequence + this.#lines
    try {
      if (record === undefined) throw new TypeError('not a record')
      const { integrity, id, workspace_id } = record
      const hash = hashBody(canonicalBody(record))
      const { sequence, prev_hash: prevHash } = integrity
      const hashMatches = hash.toString('hex') === integrity.hash
      const fieldsMatch = workspace_id === this.#header.workspace_id
      return { sequence, id, hash, hashMatches, fieldsMatch, claimed: { sequence, prevHash } }
    } catch {
      return { sequence, id: '', hash: Buffer.alloc(0), hashMatches: false, fieldsMatch: false, claimed: undefined }
    }
  }
}

export function parseHeader(line: string): ExportHeader {
  const header = parseLine(line) as Partial<ExportHeader> | undefined
  const { object, workspace_id, through, after = null } = header ?? {}
  if (object !== 'audit_export' || typeof workspace_id !== 'string' || typeof through !== 'number') {
    throw new TypeError('the first line is not the header of an audit export')
  }
  return { object, workspace_id, through, after }
}

function parseLine(line: string): AuditRecord | Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as AuditRecord | Checkpoint) : undefined
  } catch {
    return undefined
  }
}
