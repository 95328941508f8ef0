import type { Tx } from '../db/database.ts'
import { stricterClassification } from '../domain/classification.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { MemoryDraft } from './memory.ts'
import { ownerOfMemory } from './owner.ts'
import { holdOwner } from './owner-store.ts'
import { type Hasher, placeMemory, type Stored } from './place.ts'
import { subjectKey, subjectOf } from './subject.ts'

export { checkDraft, type MemoryDraft } from './memory.ts'
export { ownerOfMemory } from './owner.ts'

/**
 * Stores what `ownerOfMemory` and `checkDraft` have found sound, within the caller's transaction; until that ends, others who store
 * memories of the same owner wait. What the owner has already is not stored again (the answer names the memory that is there), and
 * what it says anew about a subject takes the place of what was said before. Secrets must have been kept out before.
 */
export async function storeMemory(tx: Tx, viewer: Viewer, draft: MemoryDraft, hasher: Hasher, now: Date): Promise<Stored> {
  const answer = ownerOfMemory(viewer, draft.scope, draft.scopeId)
  if (!answer.ok) throw new TypeError('denied' in answer ? answer.denied : `no owner: ${answer.param} ${answer.message}`)
  const { applicationId } = viewer
  const subject = draft.subject ? subjectKey(draft.subject) : subjectOf(draft.content, draft.scope)
  const ceiling = stricterClassification(viewer.ceiling, draft.classification)
  const owner = await holdOwner(tx, answer.owner)
  return placeMemory(tx, owner, { ...draft, applicationId, subject, ceiling }, hasher, now)
}
