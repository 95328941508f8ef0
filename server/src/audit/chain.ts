import { hash } from 'node:crypto'
import { fromId } from '../lib/id.ts'
import { canonicalText } from './canonical.ts'
import type { AuditDraft, AuditRecord } from './record.ts'
import type { KeyedSeals } from './record-seals.ts'

/** Where a Workspace's chain ends (or ended): the last record's sequence and hash. */
export interface ChainEnd {
  readonly sequence: number
  readonly hash: Buffer
}

/** What the first record follows. */
export const GENESIS: ChainEnd = { sequence: 0, hash: Buffer.alloc(32) }

/** A draft whose text is ready but for its place: sealing, and sealing again elsewhere, then costs one SHA-256. */
export interface PreparedRecord {
  readonly draft: AuditDraft
  readonly uuid: string
  readonly applicationUuid: string | null
  readonly beforeIntegrity: string
  readonly afterIntegrity: string
}

export interface SealedRecord {
  readonly prepared: PreparedRecord
  readonly sequence: number
  readonly prevHash: Buffer
  /** The record in RFC 8785 form, without `integrity.hash`: the bytes that `hash` is the SHA-256 of. */
  readonly body: string
  readonly hash: Buffer
  /** Keyed hash of the record in its place (record-seals.ts). */
  readonly seal: Buffer
}

/** What makes the seals of a Workspace's records: its KeyedHasher. */
export interface RecordSealer {
  readonly seals: Pick<KeyedSeals, 'record'>
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Throws a TypeError for a draft that could not be stored and read back as it is: another Workspace's, with an id or a
 * time of the wrong form, with what JSON cannot hold. So that it fails alone, before it shares a commit with others.
 */
export function prepare(workspaceId: string, draft: AuditDraft): PreparedRecord {
  if (draft.workspace_id !== workspaceId) throw new TypeError('an audit record of another Workspace')
  if (!ISO_TIME.test(draft.created_at)) throw new TypeError('created_at is not in the form of toISOString')
  if (!Number.isInteger(draft.status)) throw new TypeError('status is not an integer')
  const before: Record<string, unknown> = {}
  const after: Record<string, unknown> = {}
  for (const key in draft) (key < 'integrity' ? before : after)[key] = draft[key as keyof AuditDraft]
  // Both hold required fields, so both are `{…}` with something inside.
  return {
    draft,
    uuid: uuidOf('aud', draft.id),
    applicationUuid: draft.application_id === null ? null : uuidOf('app', draft.application_id),
    beforeIntegrity: `${canonicalText(before).slice(0, -1)},"integrity":{"prev_hash":"`,
    afterIntegrity: `},${canonicalText(after).slice(1)}`,
  }
}

/** Throws a TypeError when `id` is not one of that kind. */
export function uuidOf(prefix: string, id: string): string {
  const uuid = fromId(prefix, id)
  if (uuid === undefined) throw new TypeError(`not an id of the kind ${prefix}`)
  return uuid
}

/**
 * The record in its place after `end`. A body begins with `{` where the Merkle tree's inputs begin with 0 or 1, so that
 * no record can be passed off as a node of the tree.
 */
export function seal(prepared: PreparedRecord, end: ChainEnd, { seals }: RecordSealer): SealedRecord {
  const { beforeIntegrity, afterIntegrity } = prepared
  const sequence = end.sequence + 1
  const body = `${beforeIntegrity}${end.hash.toString('hex')}","sequence":${sequence}${afterIntegrity}`
  const place = { sequence, prevHash: end.hash, hash: bodyHash(body) }
  return { prepared, body, ...place, seal: seals.record(place) }
}

/** One after the other, beginning after `end`. */
export function sealAll(records: readonly PreparedRecord[], end: ChainEnd, sealer: RecordSealer): SealedRecord[] {
  let last = end
  return records.map((record) => {
    const sealed = seal(record, last, sealer)
    last = sealed
    return sealed
  })
}

export const bodyHash = (body: string): Buffer => Buffer.from(hash('sha256', body, 'hex'), 'hex')

/** What a record's hash is the SHA-256 of. */
export function bodyOf(record: AuditRecord): string {
  const { hash: _, ...place } = record.integrity
  return canonicalText({ ...record, integrity: place })
}

/** As callers see it. */
export const recordOf = ({ prepared, sequence, prevHash, hash: own }: SealedRecord): AuditRecord => ({
  ...prepared.draft,
  integrity: { sequence, prev_hash: prevHash.toString('hex'), hash: own.toString('hex') },
})

/** The record that a stored body tells of, whole again. Throws when the body is not JSON. */
export function parseRecord(body: string, own: Buffer): AuditRecord {
  const record = JSON.parse(body) as AuditRecord
  return { ...record, integrity: { ...record.integrity, hash: own.toString('hex') } }
}
