import type { Tx } from '../../platform/db/database.ts'
import { accessOf, changedRoles, covers, NO_ROLES, type Roles } from '../../shared/access.ts'
import { hasOperatorIssuedPassword } from './independence-store.ts'
import { removeFirstInvitation } from './invitation-store.ts'
import type { OperatorEventDeps } from './operator-event.ts'
import { findPerson, lockOwners, removePassword, suspendPerson, updatePerson } from './operator-store.ts'
import { writeRoles } from './stored-roles.ts'

const fieldsOf = ({ all, workspaceIds }: ReturnType<typeof changedRoles>): string[] => [
  ...(all ? ['role'] : []),
  ...(workspaceIds.length > 0 ? ['workspace_roles'] : []),
]

export async function completeRoles({ db, record }: OperatorEventDeps, id: string, roles: Roles): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await removeFirstInvitation(tx)
    await writeRoles(tx, id, NO_ROLES, roles)
    const fields = ['email', 'name', ...fieldsOf(changedRoles(NO_ROLES, roles))]
    await record(tx, { action: 'operator.create', id, fields, actor: null })
  })
}

/** Gives an operator the roles from the identity provider. The last owner of all Workspaces keeps that role. */
export async function applySingleSignOnRoles(
  { db, clock, record }: OperatorEventDeps,
  id: string,
  claimed: Roles,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const isLastOwner = await isLast(tx, id)
    const person = await findPerson(tx, id)
    if (!person) return
    const roles = isLastOwner ? { ...claimed, all: person.roles.all } : claimed
    const changed = changedRoles(person.roles, roles)
    const fields = fieldsOf(changed)
    if (fields.length === 0 && person.state !== 'suspended') return
    // The operator who invited this one may know the password, and must not get the roles that the identity provider gives.
    const isRaised = !covers(accessOf(person.roles), accessOf(roles))
    if (isRaised && (await hasOperatorIssuedPassword(tx, id))) await removePassword(tx, id)
    await updatePerson(tx, id, { roles }, clock.now())
    const { workspaceIds } = changed
    const isServerWide = changed.all || workspaceIds.length === 0
    await record(tx, { action: 'operator.update', id, fields, actor: null, workspaceIds, isServerWide })
  })
}

/** Suspends an operator without a role from the identity provider. The last owner of all Workspaces is not suspended. */
export async function suspendWithoutRole({ db, clock, record }: OperatorEventDeps, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const isLastOwner = await isLast(tx, id)
    const person = await findPerson(tx, id)
    if (isLastOwner || !person || person.state === 'suspended') return
    await suspendPerson(tx, id, clock.now())
    await record(tx, { action: 'operator.suspend', id, actor: null })
  })
}

async function isLast(tx: Tx, id: string): Promise<boolean> {
  const owners = await lockOwners(tx)
  return owners.length === 1 && owners[0] === id
}
