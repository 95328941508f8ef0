import type { Tx } from '../../platform/db/database.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { stricterClassification } from '../../shared/classification.ts'
import type { Viewer } from '../../shared/viewer.ts'
import { checkDraft, type MemoryDraft } from './memory.ts'
import { ownerOfMemory } from './owner.ts'
import { lockOwner } from './owner-store.ts'
import { subjectKey, subjectOf } from './subject.ts'
import { type Hasher, type Stored, upsertMemory } from './upsert-memory.ts'

/** A memory as it was stored: under the id of an older one with the same content, if there is one. */
export type StoredMemory = Pick<MemoryDraft, 'id' | 'mode' | 'content'>

/** Why a draft cannot be stored: the viewer may not write to its scope (`denied`), or a field is not valid. Undefined: it can. */
export function draftProblem(
  viewer: Viewer,
  draft: Omit<MemoryDraft, 'id' | 'mode' | 'auditId'>,
  now: Date,
): { readonly denied: string } | Problem | undefined {
  const result = ownerOfMemory(viewer, draft.scope, draft.scopeId)
  return result.ok ? checkDraft(draft, now) : result
}

export async function storeMemories(
  tx: Tx,
  viewer: Viewer,
  drafts: readonly MemoryDraft[],
  hasher: Hasher,
  now: Date,
): Promise<StoredMemory[]> {
  const stored: StoredMemory[] = []
  for (const draft of drafts) {
    const { id } = await storeMemory(tx, viewer, draft, hasher, now)
    stored.push({ id, mode: draft.mode, content: draft.content })
  }
  return stored
}

/** Stores a draft without a `draftProblem` as `upsertMemory` does. The caller must have refused secrets before. */
export async function storeMemory(tx: Tx, viewer: Viewer, draft: MemoryDraft, hasher: Hasher, now: Date): Promise<Stored> {
  const result = ownerOfMemory(viewer, draft.scope, draft.scopeId)
  if (!result.ok) throw new TypeError('denied' in result ? result.denied : `no owner: ${result.param} ${result.message}`)
  const { applicationId } = viewer
  const isSubjectStated = Boolean(draft.subject)
  const subject = draft.subject ? subjectKey(draft.subject) : subjectOf(draft.content, draft.scope)
  const ceiling = stricterClassification(viewer.ceiling, draft.classification)
  const owner = await lockOwner(tx, result.owner)
  return upsertMemory(tx, owner, { ...draft, applicationId, subject, isSubjectStated, ceiling }, hasher, now)
}
