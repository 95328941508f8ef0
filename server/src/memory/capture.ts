import type { Tx } from '../db/database.ts'
import { stricterClassification } from '../domain/classification.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { MemoryDraft } from './memory.ts'
import { ownerOfMemory } from './owner.ts'
import { lockOwner } from './owner-store.ts'
import { subjectKey, subjectOf } from './subject.ts'
import { type Hasher, type Stored, upsertMemory } from './upsert-memory.ts'

export { checkDraft, type MemoryDraft } from './memory.ts'
export { ownerOfMemory } from './owner.ts'

/**
 * Stores a draft that `ownerOfMemory` and `checkDraft` accept, and locks the owner until the transaction ends. A duplicate is not
 * stored; the result names the stored memory. A new memory replaces older ones about the same subject. The caller must have
 * refused secrets before.
 */
export async function storeMemory(tx: Tx, viewer: Viewer, draft: MemoryDraft, hasher: Hasher, now: Date): Promise<Stored> {
  const result = ownerOfMemory(viewer, draft.scope, draft.scopeId)
  if (!result.ok) throw new TypeError('denied' in result ? result.denied : `no owner: ${result.param} ${result.message}`)
  const { applicationId } = viewer
  const subject = draft.subject ? subjectKey(draft.subject) : subjectOf(draft.content, draft.scope)
  const ceiling = stricterClassification(viewer.ceiling, draft.classification)
  const owner = await lockOwner(tx, result.owner)
  return upsertMemory(tx, owner, { ...draft, applicationId, subject, ceiling }, hasher, now)
}
