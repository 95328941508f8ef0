import type { Db } from '../../platform/db/database.ts'
import { hasRow } from '../../platform/db/from-row.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { SERVER } from './invitation-store.ts'

/** Whether another operator issued the link with which the password was chosen, and so may know it. An unknown issuer counts as one. */
export const hasOperatorIssuedPassword = (db: Db, id: string): Promise<boolean> =>
  db
    .selectFrom('operator')
    .innerJoin('operator_account', 'operator_account.operator_id', 'operator.id')
    .select('operator.id')
    .where('operator.id', '=', id)
    .where('operator_account.provider_id', '=', 'credential')
    .where((eb) => eb.or([eb('operator.password_by', 'is', null), eb('operator.password_by', '!=', SERVER)]))
    .$call(hasRow)

/** Whether an earlier role could cause requests in the Workspace (shared/operator.ts): keys and tokens from then still work. */
export async function couldCauseRequests(db: Db, id: string, workspaceId: string): Promise<boolean> {
  const inAll = db.selectFrom('operator').select('id').where('id', '=', id).where('could_cause_requests', '=', true)
  const inWorkspace = db
    .selectFrom('operator_role')
    .select('operator_id as id')
    .where('operator_id', '=', id)
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('could_cause_requests', '=', true)
  return (await inAll.union(inWorkspace).limit(1).executeTakeFirst()) !== undefined
}
