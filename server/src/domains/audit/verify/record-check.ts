import type { Db } from '../../../platform/db/database.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findHashes, findRepeatedIds, readRecordPages, type SealedLink, type StoredRecord } from '../audit-store.ts'
import { type ChainEnd, GENESIS, hashBody, hashContentOf } from '../chain/chain.ts'
import { type AuditRecord, sumCacheRead, sumCost, sumTokens } from '../record/record.ts'
import { decodeGroupSeal, type GroupSeal, type KeyedSeals, type SealedPlace } from '../record/record-seals.ts'
import type { ObservedRecord } from './chain-checker.ts'

function isSealValid(seals: KeyedSeals, seal: Buffer, body: string, place: SealedPlace): boolean {
  const group = decodeGroupSeal(seal)
  if (!group) return seals.isRecord(place, seal)
  const content = hashContentOf(body, group.offset, place)
  return content !== undefined && seals.isGrouped(seal, content)
}

/** Like isSealValid for a stored record without the checks of its columns, except its hash and its id. */
export const isLinkSealed = (seals: KeyedSeals, { id, sequence, prev_hash: prevHash, hash, seal, body }: SealedLink): boolean =>
  seal !== null &&
  isSealValid(seals, seal, body ?? '', { sequence, prevHash, hash }) &&
  (!decodeGroupSeal(seal) || (body !== null && hashBody(body).equals(hash) && body.includes(`"id":"${toId('aud', id)}"`)))

/** The part of a log in which the records exist that groups are sealed behind. */
export interface ComparableLog {
  /** Predecessor of its first record: retention has removed the records before, or an operator has accepted them. */
  readonly start: ChainEnd
  /** Up to this sequence, groups may be sealed behind records before `start`: they were compared when a checkpoint was signed. */
  readonly signedThrough: number
}

type SealedRow = Pick<StoredRecord, 'id' | 'sequence' | 'hash' | 'seal'>

/** Each group must be complete, in order, and behind a record of the chain. No record may be there twice. Single seals are between groups. */
export class GroupChecker {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #log: ComparableLog
  #open: GroupSeal | undefined
  #anchors: ReadonlyMap<number, Buffer> = new Map()
  #repeated: ReadonlySet<string> = new Set()

  constructor(db: Db, workspaceId: string, log: ComparableLog) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.#log = log
  }

  get isComplete(): boolean {
    return this.#open === undefined
  }

  /** Call it with each page of records before their `fits`: it looks up the records that the page's groups are sealed behind. */
  async load(page: readonly SealedRow[]): Promise<void> {
    const inPage = new Map(page.map(({ sequence, hash }) => [sequence, hash]))
    const anchors = new Set(page.flatMap(({ seal }) => (seal && decodeGroupSeal(seal)?.anchor.sequence) ?? []))
    const wanted = [...anchors].filter((sequence) => sequence > this.#log.start.sequence && !inPage.has(sequence))
    this.#anchors = new Map([...(await findHashes(this.#db, this.#workspaceId, wanted)), ...inPage])
    const ids = page.map(({ id }) => id)
    this.#repeated = await findRepeatedIds(this.#db, ids)
  }

  fits({ id, sequence, seal }: SealedRow): boolean {
    if (this.#repeated.has(id)) return false
    const open = this.#open
    const own = seal ? decodeGroupSeal(seal) : undefined
    if (!own) return open === undefined
    this.#open = own.index + 1 < own.size ? own : undefined
    if (open)
      return own.index === open.index + 1 && own.group === open.group && own.size === open.size && hasSameAnchor(own, open)
    return own.index === 0 && own.anchor.sequence < sequence && this.#contains(own.anchor, sequence)
  }

  #contains({ sequence, hash }: GroupSeal['anchor'], behind: number): boolean {
    const { start, signedThrough } = this.#log
    if (sequence === 0 && !hash.equals(GENESIS.hash)) return false
    if (sequence > start.sequence) return this.#anchors.get(sequence)?.equals(hash) === true
    return behind <= signedThrough || (sequence === start.sequence && hash.equals(start.hash))
  }
}

const hasSameAnchor = (a: GroupSeal, b: GroupSeal): boolean =>
  a.anchor.sequence === b.anchor.sequence && a.anchor.hash.equals(b.anchor.hash)

/** In order, with the checker of their groups. */
export async function* observePages(
  db: Db,
  workspaceId: string,
  range: { readonly after: number; readonly through: number; readonly comparable: ComparableLog },
  seals: KeyedSeals,
): AsyncGenerator<{ readonly page: readonly ObservedRecord[]; readonly groups: GroupChecker }> {
  const groups = new GroupChecker(db, workspaceId, range.comparable)
  for await (const rows of readRecordPages(db, workspaceId, range)) {
    await groups.load(rows)
    const page = rows.map((row) => {
      const observed = observeRecord(row, seals)
      return groups.fits(row) ? observed : { ...observed, sealValid: false }
    })
    yield { page, groups }
  }
}

/** Compares the row with its body. All columns are compared, so that a changed column cannot mislead a search. */
function observeRecord(row: StoredRecord, seals: KeyedSeals): ObservedRecord {
  const hash = hashBody(row.body)
  const hashMatches = hash.equals(row.hash)
  const stored = { sequence: row.sequence, id: toId('aud', row.id), hash, hashMatches }
  try {
    const record = JSON.parse(row.body) as AuditRecord
    const { sequence, prev_hash } = record.integrity
    const place = { sequence, prevHash: Buffer.from(prev_hash, 'hex'), hash }
    const sealValid = row.seal !== null && isSealValid(seals, row.seal, row.body, place)
    return { ...stored, fieldsMatch: columnsMatch(row, record), claimed: { sequence, prevHash: prev_hash }, sealValid }
  } catch {
    return { ...stored, fieldsMatch: false, claimed: undefined }
  }
}

const columnsMatch = (row: StoredRecord, record: AuditRecord): boolean =>
  record.id === toId('aud', row.id) &&
  record.workspace_id === toId('ws', row.workspace_id) &&
  record.application_id === (row.application_id && toId('app', row.application_id)) &&
  record.created_at === row.created_at.toISOString() &&
  record.endpoint === row.endpoint &&
  (record.decision?.verdict ?? null) === row.verdict &&
  record.risk_level === row.risk_level &&
  record.status === row.status &&
  record.user.id === row.user_hash &&
  record.duration_ms === row.duration_ms &&
  sumTokens(record) === row.tokens &&
  sumCost(record) === row.cost &&
  sumCacheRead(record) === row.cache_read_tokens &&
  record.integrity.prev_hash === row.prev_hash.toString('hex') &&
  record.integrity.sequence === row.sequence
