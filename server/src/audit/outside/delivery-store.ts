import type { Db } from '../../db/database.ts'
import { uuidOf } from '../chain.ts'
import type { KeyedSeals } from '../record-seals.ts'

/** How far a place has come: the size of the last checkpoint it has. 0 where that was not written by this server. */
export async function deliveredThrough(
  db: Db,
  workspaceId: string,
  target: string,
  seals: Pick<KeyedSeals, 'isLog'>,
): Promise<number> {
  const row = await db
    .selectFrom('audit_delivery')
    .select(['size', 'seal'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('target', '=', target)
    .executeTakeFirst()
  return row && seals.isLog(textOf(target, row.size), row.seal) ? row.size : 0
}

export async function setDelivered(
  db: Db,
  workspaceId: string,
  target: string,
  size: number,
  seals: Pick<KeyedSeals, 'log'>,
): Promise<void> {
  const moved = { size, seal: seals.log(textOf(target, size)) }
  await db
    .insertInto('audit_delivery')
    .values({ workspace_id: uuidOf('ws', workspaceId), target, ...moved })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'target']).doUpdateSet(moved))
    .execute()
}

/** Cannot be taken for the text of a log's seal, which begins with a brace. */
const textOf = (target: string, size: number): string => `delivered ${size} to ${target}`
