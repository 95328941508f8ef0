import { findUser, upsertUser } from '../identity/user-store.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { DeclaredUser } from './declaration.ts'
import { differences } from './differences.ts'
import { governedHere } from './governed-here.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

/** Users are known by their ids. */
export const applyUser = (scope: Scope, declared: DeclaredUser): Promise<Change[]> =>
  applyThing(scope.ledger, { object: 'user', name: declared.id, declared }, () => createOrUpdate(scope, declared))

async function createOrUpdate(scope: Scope, declared: DeclaredUser): Promise<Change[]> {
  const { tx, workspaceId, now } = scope
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
  const fields = differences(before, after)
  const change = (done: Change['done']): Change => ({ done, object: 'user', id: declared.id, name: declared.username, fields })
  if (known && fields.length === 0) return [change('unchanged')]
  const governed = await governedHere(scope, 'username', { username: declared.username, id: declared.id })
  const applied = await upsertUser(tx, workspaceId, { ...after, ...governed, id: declared.id }, now)
  if (!applied.ok) throw new DeclarationConflict('username', `${JSON.stringify(declared.username)} is another user's`)
  return [change(known ? 'updated' : 'created')]
}
