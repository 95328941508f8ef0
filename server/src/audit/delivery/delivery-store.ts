import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import type { KeyedSeals } from '../record/record-seals.ts'

/** Size of the last checkpoint delivered to a destination; 0: none, or the row was not written by this server. */
export async function findDeliveredSize(
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
  return row && seals.isLog(formatSealedText(target, row.size), row.seal) ? row.size : 0
}

export async function saveDeliveredSize(
  db: Db,
  workspaceId: string,
  target: string,
  size: number,
  seals: Pick<KeyedSeals, 'log'>,
): Promise<void> {
  const position = { size, seal: seals.log(formatSealedText(target, size)) }
  await db
    .insertInto('audit_delivery')
    .values({ workspace_id: uuidOf('ws', workspaceId), target, ...position })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'target']).doUpdateSet(position))
    .execute()
}

/** Differs from the text of a log's seal, which begins with a brace. */
const formatSealedText = (target: string, size: number): string => `delivered ${size} to ${target}`
