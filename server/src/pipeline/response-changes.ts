import { deleteStoredResponse, storeResponse } from '../domains/responses/stored-response-store.ts'
import type { Tx } from '../platform/db/database.ts'
import type { SecretBox } from '../platform/lib/secret-box.ts'
import type { Outcome } from '../shared/outcome.ts'
import type { NewStoredContent } from '../shared/stored-content.ts'
import { responseOwner } from './continue-conversation.ts'
import { governanceOf } from './governance-block.ts'
import type { RecordedResults } from './review-changes.ts'
import { type StageResults, UNIDENTIFIED } from './stage-results.ts'
import type { StageTrace } from './stage-trace.ts'

/** The stored response that a request adds or deletes, in the transaction of its record. */
export type ResponseChange =
  | { readonly kind: 'store'; readonly stored: NewStoredContent }
  | { readonly kind: 'delete'; readonly id: string }

/** Undefined: nothing is stored or deleted. Only what the client receives is stored. */
export function responseChange(
  outcome: Outcome,
  { admit }: RecordedResults,
  trace: StageTrace<StageResults>,
): ResponseChange | undefined {
  if (outcome.kind !== 'answered') return undefined
  const { toStored, storedResponse } = admit.request
  const completion = trace.results.inspect?.completion
  if (toStored && completion) {
    return { kind: 'store', stored: toStored(completion, governanceOf({ auditId: admit.auditId, trace })) }
  }
  return storedResponse?.action === 'delete' ? { kind: 'delete', id: storedResponse.id } : undefined
}

/** Thrown if another request has deleted the response since this one found it: the transaction is rolled back. */
export class AlreadyDeleted extends Error {}

export async function writeResponseChange(
  tx: Tx,
  change: ResponseChange,
  { authenticate, admit, identify = UNIDENTIFIED }: RecordedResults,
  { now, box }: { readonly now: Date; readonly box: SecretBox },
): Promise<void> {
  const owner = responseOwner(authenticate, identify)
  if (change.kind === 'delete') {
    if (!(await deleteStoredResponse(tx, owner, change.id))) throw new AlreadyDeleted('the response is deleted already')
    return
  }
  const { stored } = change
  await storeResponse(tx, owner, { stored, previousId: admit.continuedId, createdAt: now }, box)
}
