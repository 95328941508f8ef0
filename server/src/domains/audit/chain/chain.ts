import { uuidOf } from '../../../platform/db/values.ts'
import { sha256 } from '../../../platform/lib/sha256.ts'
import { canonicalText } from '../record/canonical.ts'
import type { AuditDraft, AuditRecord } from '../record/record.ts'
import type { KeyedSeals, SealedPlace } from '../record/record-seals.ts'

export interface ChainEnd {
  readonly sequence: number
  readonly hash: Buffer
}

export const GENESIS: ChainEnd = { sequence: 0, hash: Buffer.alloc(32) }

/** A draft with its text prepared except for its position, so that sealing it (again) costs one SHA-256. */
export interface PreparedRecord {
  readonly draft: AuditDraft
  readonly uuid: string
  readonly applicationUuid: string | null
  readonly beforeIntegrity: string
  readonly afterIntegrity: string
  /** Arguments of `budget_settle`, which runs in the transaction that makes the record durable. */
  readonly settlements: readonly unknown[]
  /** Whether a row of audit_pending has the record: it is deleted when the record gets its position. */
  readonly isPending: boolean
}

export interface PlacedRecord extends SealedPlace {
  readonly prepared: PreparedRecord
}

export interface SealedRecord extends PlacedRecord {
  /** The record in RFC 8785 form without `integrity.hash`; `hash` is its SHA-256. */
  readonly body: string
  readonly seal: Buffer
}

export interface RecordSealer {
  readonly seals: Pick<KeyedSeals, 'record' | 'grouped' | 'pending' | 'isLog'>
}

export interface RecordOptions {
  readonly settlements?: readonly unknown[]
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Throws a TypeError if the draft cannot be stored and read back unchanged. It then fails alone, not with its group commit. */
export function prepareRecord(workspaceId: string, draft: AuditDraft, { settlements = [] }: RecordOptions = {}): PreparedRecord {
  if (draft.workspace_id !== workspaceId) throw new TypeError('the audit record belongs to another Workspace')
  if (!ISO_TIME.test(draft.created_at)) throw new TypeError('created_at must have the form of Date.toISOString')
  if (!Number.isInteger(draft.status)) throw new TypeError('status must be an integer')
  const before: Record<string, unknown> = {}
  const after: Record<string, unknown> = {}
  for (const key in draft) (key < 'integrity' ? before : after)[key] = draft[key as keyof AuditDraft]
  // Both parts have required fields, so neither text is `{}`.
  return {
    draft,
    uuid: uuidOf('aud', draft.id),
    applicationUuid: draft.application_id === null ? null : uuidOf('app', draft.application_id),
    beforeIntegrity: `${canonicalText(before).slice(0, -1)},"integrity":{"prev_hash":"`,
    afterIntegrity: `},${canonicalText(after).slice(1)}`,
    settlements,
    isPending: false,
  }
}

/** A body begins with `{` and inputs of the Merkle tree begin with byte 0 or 1, so a record cannot be passed off as a tree node. */
export function sealRecord(prepared: PreparedRecord, end: ChainEnd, { seals }: RecordSealer): SealedRecord {
  const sequence = end.sequence + 1
  const body = bodyAt(prepared, end)
  const place = { sequence, prevHash: end.hash, hash: hashBody(body) }
  return { prepared, body, ...place, seal: seals.record(place) }
}

/** The record's text as the successor of `end`. The database function of migration 0006 builds the same text. */
const bodyAt = ({ beforeIntegrity, afterIntegrity }: PreparedRecord, end: ChainEnd): string =>
  `${beforeIntegrity}${end.hash.toString('hex')}","sequence":${end.sequence + 1}${afterIntegrity}`

export const hashAt = (prepared: PreparedRecord, end: ChainEnd): Buffer => hashBody(bodyAt(prepared, end))

export function sealRecords(records: readonly PreparedRecord[], end: ChainEnd, sealer: RecordSealer): SealedRecord[] {
  let last = end
  return records.map((record) => {
    const sealed = sealRecord(record, last, sealer)
    last = sealed
    return sealed
  })
}

export const hashBody = (body: string): Buffer => sha256(body)

export function canonicalBody(record: AuditRecord): string {
  const { hash: _, ...place } = record.integrity
  return canonicalText({ ...record, integrity: place })
}

export const toAuditRecord = ({ prepared, sequence, prevHash, hash: own }: PlacedRecord): AuditRecord => ({
  ...prepared.draft,
  integrity: { sequence, prev_hash: prevHash.toString('hex'), hash: own.toString('hex') },
})

export function parseRecord(body: string, own: Buffer): AuditRecord {
  const record = JSON.parse(body) as AuditRecord
  return { ...record, integrity: { ...record.integrity, hash: own.toString('hex') } }
}

export const hashContent = ({
  beforeIntegrity,
  afterIntegrity,
}: Pick<PreparedRecord, 'beforeIntegrity' | 'afterIntegrity'>): Buffer => hashBody(beforeIntegrity + afterIntegrity)

/** The same for a stored body. Returns undefined if the body does not have this position at `offset`. */
export function hashContentOf(
  body: string,
  offset: number,
  position: { sequence: number; prevHash: Buffer },
): Buffer | undefined {
  const text = `${position.prevHash.toString('hex')}","sequence":${position.sequence}`
  if (!body.startsWith(text, offset)) return undefined
  return hashContent({ beforeIntegrity: body.slice(0, offset), afterIntegrity: body.slice(offset + text.length) })
}
