import type { Db } from '../../../platform/db/database.ts'
import { toId } from '../../../platform/lib/id.ts'
import { readRecordPages, type SealedLink, type StoredRecord } from '../audit-store.ts'
import { hashBody, hashContentOf } from '../chain/chain.ts'
import { decodeGroupSeal } from '../chain/group-seal.ts'
import type { AuditRecord } from '../record/record.ts'
import type { KeyedSeals, SealedPlace } from '../record/record-seals.ts'
import { sumCacheRead, sumCost, sumTokens } from '../record/token-usage.ts'
import type { ObservedRecord } from './chain-checker.ts'
import { type ComparableLog, GroupChecker } from './group-checker.ts'

/** Whether a seal was made for a record with this text and, if it seals a position, this place. */
function isSealValid(seals: KeyedSeals, seal: Buffer, body: string, place: SealedPlace): boolean {
  const group = decodeGroupSeal(seal)
  if (!group) return seals.isRecord(place, seal)
  const content = hashContentOf(body, group.offset, place)
  return content !== undefined && seals.isGrouped(seal, content)
}

/** Like isSealValid for a stored record without the checks of its columns, except its hash and its id. */
export const isLinkSealed = (
  seals: KeyedSeals,
  seal: Buffer,
  { id, sequence, prev_hash: prevHash, hash, body }: SealedLink,
): boolean =>
  isSealValid(seals, seal, body ?? '', { sequence, prevHash, hash }) &&
  (!decodeGroupSeal(seal) || (body !== null && hashBody(body).equals(hash) && body.includes(`"id":"${toId('aud', id)}"`)))

/** Pages of observed records of the range, in order, and the checker of their groups. */
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
