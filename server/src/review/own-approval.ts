import type { Db } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import type { ReviewItem } from './review.ts'

/** Whether the operator has approved the hold, also with one of the operator's admin tokens. `operatorId`: `opr_…` */
export async function hasApproved(
  db: Db,
  { decidedBy, approvals }: Pick<ReviewItem, 'decidedBy' | 'approvals'>,
  operatorId: string,
): Promise<boolean> {
  const approvers = [decidedBy, ...approvals.map(({ by }) => by)].filter((id) => id !== null)
  if (approvers.includes(operatorId)) return true
  const tokens = approvers.map((id) => fromId('adm', id)).filter((uuid) => uuid !== undefined)
  if (tokens.length === 0) return false
  const query = db.selectFrom('admin_token').select('id').where('id', 'in', tokens).where('issued_by', '=', operatorId)
  return (await query.executeTakeFirst()) !== undefined
}
