import { sql } from 'kysely'
import { ERRORS, errorBody } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'

/** Columns of a stored response that is erased. A repeated request then gets 404 and is not executed again. */
export const ERASED_RESPONSE = {
  status: ERRORS.NOT_FOUND.status,
  body: JSON.stringify(
    errorBody('NOT_FOUND', {
      message: 'The response to this Idempotency-Key has been deleted. The request was not repeated.',
    }),
  ),
  object_ids: null,
}

export async function eraseResponsesAbout(tx: Tx, workspaceId: string, objectIds: readonly string[]): Promise<void> {
  if (objectIds.length === 0) return
  await tx
    .updateTable('idempotency_key')
    .set(ERASED_RESPONSE)
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where(sql<boolean>`object_ids && ${objectIds}::text[]`)
    .execute()
}
