import type { Db } from '../db/database.ts'
import { canonicalText } from './canonical.ts'
import { GENESIS, uuidOf } from './chain.ts'
import type { Bad } from './chain-checker.ts'
import type { KeyedSeals } from './record-seals.ts'

/** How far the server vouches for a Workspace's log. Stored in the Workspace's row, with a MAC that takes the secret key. */
export interface LogSeal {
  readonly workspace_id: string
  /** Of the last checkpoint; 0: there is none yet, and no records before the first one. */
  readonly size: number
  /** Of the last record that it covers; lower-case hex. */
  readonly hash: string
  /** Hash of that checkpoint (checkpointHash); null: there is none. */
  readonly checkpoint: string | null
  /** From this record on each one carries a seal; null: older nodes may still be writing, see `adopted_at`. */
  readonly sealed_from: number | null
  /** When a log of an older version was taken over; null: it was made with a seal. */
  readonly adopted_at: string | null
  /** Grows whenever an operator lets signing go on after an alarm. */
  readonly resumed: number
  /** What an operator has accepted as it stood: these records are not checked any more. */
  readonly accepted: { readonly through: number; readonly at: string } | null
  /** Nothing is signed until an operator resumes. */
  readonly stopped: Bad | null
  /** Retention has removed the records up to this one, and no others; null: older nodes may still remove records as well. */
  readonly pruned: number | null
}

/** Older nodes may go on writing without seals for so long after the first new one has started: a rolling upgrade. */
const UPGRADE_MS = 24 * 3_600_000

/** The seal of a Workspace that is being made. */
export const firstSeal = (workspaceId: string): LogSeal => ({
  workspace_id: workspaceId,
  size: 0,
  hash: GENESIS.hash.toString('hex'),
  checkpoint: null,
  sealed_from: 1,
  adopted_at: null,
  resumed: 0,
  accepted: null,
  stopped: null,
  pruned: 0,
})

/** From which record on a seal is required; null: from none yet. `next`: the first record after the last checkpoint. */
export function sealedFrom({ sealed_from, adopted_at }: LogSeal, next: number, now: Date): number | null {
  if (sealed_from !== null || adopted_at === null) return sealed_from
  return now.getTime() - Date.parse(adopted_at) >= UPGRADE_MS ? next : null
}

/** As it stands in the row: the text, and on a second line its MAC. */
export function sealText(seal: LogSeal, seals: Pick<KeyedSeals, 'log'>): string {
  const text = canonicalText(seal)
  return `${text}\n${seals.log(text)}`
}

/** What opens and checks what stands in a Workspace's row. */
export interface SealKeys {
  readonly hasher: { readonly seals: KeyedSeals }
  readonly publicKey: string
  /** Whether the sealed signing key says that there has to be an audit seal. */
  requiresSeal(signingKey: Buffer): boolean
}

export type SealReading =
  | { readonly kind: 'sealed'; readonly seal: LogSeal }
  /** A log of an older version, which has not been taken over yet. */
  | { readonly kind: 'none' }
  /** `seal`: where it is genuine, and something beside it is not. */
  | { readonly kind: 'bad'; readonly bad: Bad; readonly seal?: LogSeal }

/** `lock`: nobody else moves the seal until the transaction ends. Throws when there is no such Workspace. */
export async function readSeal(db: Db, workspaceId: string, keys: SealKeys, { lock = false } = {}): Promise<SealReading> {
  const query = db
    .selectFrom('workspace')
    .select(['audit_seal', 'signing_key', 'signing_public_key'])
    .where('id', '=', uuidOf('ws', workspaceId))
  const row = await (lock ? query.forNoKeyUpdate() : query).executeTakeFirst()
  if (!row) throw new Error(`Workspace ${workspaceId} has no audit chain`)
  const seal = row.audit_seal === null ? undefined : parseSeal(row.audit_seal, workspaceId, keys.hasher.seals)
  if (row.audit_seal !== null && !seal) return bad('seal_altered')
  if (!seal && requiresSeal(keys, row.signing_key)) return bad('seal_missing')
  if (row.signing_public_key.trim() !== keys.publicKey.trim()) return bad('public_key_replaced', seal)
  return seal ? { kind: 'sealed', seal } : { kind: 'none' }
}

/** Call it in the transaction that has locked the row. */
export async function writeSeal(db: Db, seal: LogSeal, { seals }: SealKeys['hasher']): Promise<void> {
  await db
    .updateTable('workspace')
    .set({ audit_seal: sealText(seal, seals) })
    .where('id', '=', uuidOf('ws', seal.workspace_id))
    .execute()
}

function parseSeal(stored: string, workspaceId: string, seals: KeyedSeals): LogSeal | undefined {
  const [text = '', mac = ''] = stored.split('\n')
  if (!seals.isLog(text, mac)) return undefined
  const { pruned = null, ...seal } = JSON.parse(text) as LogSeal
  return seal.workspace_id === workspaceId ? { ...seal, pruned } : undefined
}

/** A signing key that does not open was tampered with as well. */
function requiresSeal(keys: SealKeys, signingKey: Buffer): boolean {
  try {
    return keys.requiresSeal(signingKey)
  } catch {
    return true
  }
}

const bad = (reason: Bad['reason'], seal?: LogSeal): SealReading => ({
  ...{ kind: 'bad', bad: { sequence: 0, id: null, reason } },
  ...(seal && { seal }),
})
