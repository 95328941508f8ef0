import { findUser, upsertUser } from '../../domains/identity/user-store.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { DeclaredUser } from './declaration.ts'
import { findDifferences } from './differences.ts'
import { governFields } from './govern-fields.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the user by its id. */
export const applyUser = (context: ApplyContext, declared: DeclaredUser): Promise<Change[]> =>
  applyItem(context.ledger, { object: 'user', name: declared.id, declared }, () => createOrUpdate(context, declared))

async function createOrUpdate(context: ApplyContext, declared: DeclaredUser): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  const known = await findUser(tx, workspaceId, declared.id)
  const { username, role, department, attributes } = known ?? { username: '', role: '', department: '', attributes: {} }
  const before = { username, role, department, attributes }
  const after = {
    ...before,
    username: declared.username,
    ...(declared.role !== undefined && { role: declared.role ?? '' }),
    ...(declared.department !== undefined && { department: declared.department ?? '' }),
    ...(declared.attributes !== undefined && { attributes: declared.attributes ?? {} }),
  }
  const fields = findDifferences(before, after)
  const change = (done: Change['done']): Change => ({ done, object: 'user', id: declared.id, name: declared.username, fields })
  if (known && fields.length === 0) return [change('unchanged')]
  const governed = await governFields(context, 'username', { username: declared.username, id: declared.id })
  const applied = await upsertUser(tx, workspaceId, { ...after, ...governed, id: declared.id }, now)
  if (!applied.ok) throw new DeclarationConflict('username', `${JSON.stringify(declared.username)} is another user's`)
  return [change(known ? 'updated' : 'created')]
}
