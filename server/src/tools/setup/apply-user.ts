import { findUser, upsertUser } from '../../domains/identity/user-store.ts'
import { type Change, changeOf, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredUser } from './declaration.ts'
import { governFields } from './govern-fields.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the user by its id. */
export const applyUser = (context: ApplyContext, declared: DeclaredUser): Promise<Change[]> =>
  applyItem(context.ledger, { object: 'user', name: declared.id, declared }, async () => {
    const { tx, workspaceId, now } = context
    const { id, username: name } = declared
    const known = await findUser(tx, workspaceId, id)
    const { username, role, department, attributes } = known ?? { username: '', role: '', department: '', attributes: {} }
    const before = { username, role, department, attributes }
    const after = {
      ...before,
      username: name,
      ...(declared.role !== undefined && { role: declared.role ?? '' }),
      ...(declared.department !== undefined && { department: declared.department ?? '' }),
      ...(declared.attributes !== undefined && { attributes: declared.attributes ?? {} }),
    }
    const fields = findDifferences(before, after)
    if (known && fields.length === 0) return [changeOf('user', 'unchanged', { id, name })]
    const governed = await governFields(context, 'username', { username: name, id })
    const applied = await upsertUser(tx, workspaceId, { ...after, ...governed, id }, now)
    if (!applied.ok) throw new DeclarationConflict('username', `${JSON.stringify(name)} is another user's`)
    return [changeOf('user', known ? 'updated' : 'created', { id, name }, fields)]
  })
