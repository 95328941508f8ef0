import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { KeyedSeals } from '../record/record-seals.ts'

export interface DeliveryPosition {
  /** Size of the last delivered checkpoint; 0: none, or the row was not written by this server. */
  readonly size: number
  /** The stored seal, which tells whether another node has moved the position; undefined: there is no row. */
  readonly seal: string | undefined
}

export async function findPosition(
  db: Db,
  workspaceId: string,
  target: string,
  seals: Pick<KeyedSeals, 'isLog'>,
): Promise<DeliveryPosition> {
  const row = await db
    .selectFrom('audit_delivery')
    .select(['size', 'seal'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('target', '=', target)
    .executeTakeFirst()
  const isGenuine = row !== undefined && seals.isLog(formatSealedText(target, row.size), row.seal)
  return { size: isGenuine ? row.size : 0, seal: row?.seal }
}

/** Undefined, without a change: another node has moved the position since this one was frozen, or an operator has accepted the log. */
export async function movePosition(
  db: Db,
  workspaceId: string,
  target: string,
  { from, size, seals }: { from: DeliveryPosition; size: number; seals: Pick<KeyedSeals, 'log'> },
): Promise<DeliveryPosition | undefined> {
  const seal = seals.log(formatSealedText(target, size))
  const workspace_id = uuidOf('ws', workspaceId)
  const isMoved = from.seal === undefined ? await insert() : await update(from.seal)
  return isMoved ? { size, seal } : undefined

  async function insert(): Promise<boolean> {
    const row = db.insertInto('audit_delivery').values({ workspace_id, target, size, seal })
    const { numInsertedOrUpdatedRows } = await row.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()
    return Number(numInsertedOrUpdatedRows) === 1
  }

  async function update(known: string): Promise<boolean> {
    const row = db.updateTable('audit_delivery').set({ size, seal }).where('workspace_id', '=', workspace_id)
    const { numUpdatedRows } = await row.where('target', '=', target).where('seal', '=', known).executeTakeFirstOrThrow()
    return Number(numUpdatedRows) === 1
  }
}

/** Differs from the text of a log's seal, which begins with a brace. */
const formatSealedText = (target: string, size: number): string => `delivered ${size} to ${target}`
