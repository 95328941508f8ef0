import type { Db, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { accessOf, changedRoles, covers, NO_ROLES, type Roles } from '../../shared/access.ts'
import { hasOperatorIssuedPassword } from './independence-store.ts'
import { removeFirstInvitation } from './invitation-store.ts'
import type { RecordOperatorEvent } from './operator-event.ts'
import { findPerson, lockOwners, removePassword, suspendPerson, updatePerson } from './operator-store.ts'
import { writeRoles } from './stored-roles.ts'

interface RoleDeps {
  readonly db: Db
  readonly clock: Clock
  readonly record: RecordOperatorEvent
}

const fieldsOf = (roles: Roles): string[] => [
  ...(roles.all === null ? [] : ['role']),
  ...(roles.workspaces.size > 0 ? ['workspace_roles'] : []),
]

/** Stores the roles of an operator that better-auth has just created. */
export async function completeRoles({ db, record }: RoleDeps, id: string, roles: Roles): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await removeFirstInvitation(tx)
    await writeRoles(tx, id, NO_ROLES, roles)
    await record(tx, { action: 'operator.create', id, fields: ['email', 'name', ...fieldsOf(roles)], actor: null })
  })
}

/** Gives an operator the roles from the identity provider. The last owner of all Workspaces keeps that role. */
export async function applySingleSignOnRoles({ db, clock, record }: RoleDeps, id: string, claimed: Roles): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const isLastOwner = await isLast(tx, id)
    const person = await findPerson(tx, id)
    if (!person) return
    const roles = isLastOwner ? { ...claimed, all: person.roles.all } : claimed
    const changed = changedRoles(person.roles, roles)
    const isUnchanged = !changed.all && changed.workspaceIds.length === 0 && person.state !== 'suspended'
    if (isUnchanged) return
    // The operator who invited this one may know the password, and must not get the roles that the identity provider gives.
    const isRaised = !covers(accessOf(person.roles), accessOf(roles))
    if (isRaised && (await hasOperatorIssuedPassword(tx, id))) await removePassword(tx, id)
    await updatePerson(tx, id, { roles }, clock.now())
    const fields = [...(changed.all ? ['role'] : []), ...(changed.workspaceIds.length > 0 ? ['workspace_roles'] : [])]
    const workspaceIds = changed.workspaceIds
    const isServerWide = changed.all || workspaceIds.length === 0
    await record(tx, { action: 'operator.update', id, fields, actor: null, workspaceIds, isServerWide })
  })
}

/** Suspends an operator without a role from the identity provider. The last owner of all Workspaces is not suspended. */
export async function suspendWithoutRole({ db, clock, record }: RoleDeps, id: string): Promise<void> {
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
