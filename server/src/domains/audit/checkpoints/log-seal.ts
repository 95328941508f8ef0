import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { GENESIS } from '../chain/chain.ts'
import { canonicalText } from '../record/canonical.ts'
import type { KeyedSeals } from '../record/record-seals.ts'
import { type AuditFault, faultAt } from '../verify/chain-checker.ts'

/** State of a Workspace's log, stored in its row with a MAC that requires the secret key. The field names are part of the sealed text. */
export interface LogSeal {
  readonly workspace_id: string
  readonly size: number
  readonly hash: string
  /** `checkpointHash` of it; null: none. */
  readonly checkpoint: string | null
  /** Increases whenever an operator resumes signing after an alarm. */
  readonly resumed: number
  /** Records that an operator accepted in their current state; they are no longer checked. */
  readonly accepted: { readonly through: number; readonly at: string } | null
  /** The fault that stopped signing; null: none. Only an operator can resume signing. */
  readonly stopped: AuditFault | null
  /** Last sequence that retention has removed; 0: none. */
  readonly pruned: number
}

export const createFirstSeal = (workspaceId: string): LogSeal => ({
  workspace_id: workspaceId,
  size: 0,
  hash: GENESIS.hash.toString('hex'),
  checkpoint: null,
  resumed: 0,
  accepted: null,
  stopped: null,
  pruned: 0,
})

export function formatSeal(seal: LogSeal, seals: Pick<KeyedSeals, 'log'>): string {
  const text = canonicalText(seal)
  return `${text}\n${seals.log(text)}`
}

export interface SealKeys {
  readonly hasher: { readonly seals: KeyedSeals }
  readonly publicKey: string
}

export type SealReading =
  | { readonly kind: 'sealed'; readonly seal: LogSeal }
  /** `seal`: present if the seal is genuine and something else is not. */
  | { readonly kind: 'invalid'; readonly fault: AuditFault; readonly seal?: LogSeal }

/** `lock`: locks the seal until the transaction ends. Throws if the Workspace does not exist. */
export async function readSeal(db: Db, workspaceId: string, keys: SealKeys, { lock = false } = {}): Promise<SealReading> {
  const query = db
    .selectFrom('workspace')
    .select(['audit_seal', 'signing_public_key'])
    .where('id', '=', uuidOf('ws', workspaceId))
  const row = await (lock ? query.forNoKeyUpdate() : query).executeTakeFirst()
  if (!row) throw new Error(`Workspace ${workspaceId} has no audit chain`)
  if (row.audit_seal === null) return invalidSeal('seal_missing')
  const seal = parseSeal(row.audit_seal, workspaceId, keys.hasher.seals)
  if (!seal) return invalidSeal('seal_altered')
  if (row.signing_public_key.trim() !== keys.publicKey.trim()) return invalidSeal('public_key_replaced', seal)
  return { kind: 'sealed', seal }
}

export async function writeSeal(db: Db, seal: LogSeal, { seals }: SealKeys['hasher']): Promise<void> {
  await db
    .updateTable('workspace')
    .set({ audit_seal: formatSeal(seal, seals) })
    .where('id', '=', uuidOf('ws', seal.workspace_id))
    .execute()
}

/** 0: there is no seal, or it is not genuine. */
export const readResumption = (stored: string | null, workspaceId: string, seals: Pick<KeyedSeals, 'isLog'>): number =>
  (stored === null ? undefined : parseSeal(stored, workspaceId, seals))?.resumed ?? 0

function parseSeal(stored: string, workspaceId: string, seals: Pick<KeyedSeals, 'isLog'>): LogSeal | undefined {
  const [text = '', mac = ''] = stored.split('\n')
  if (!seals.isLog(text, mac)) return undefined
  const seal = JSON.parse(text) as LogSeal
  return seal.workspace_id === workspaceId ? seal : undefined
}

const invalidSeal = (reason: AuditFault['reason'], seal?: LogSeal): SealReading => ({
  ...{ kind: 'invalid', fault: faultAt(reason, 0) },
  ...(seal && { seal }),
})
