import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { takeFirst } from '../../platform/db/from-row.ts'
import { type ListSort, type Page, type PageRequest, readPage, sortedKeyset } from '../../platform/db/page.ts'
import { newId } from '../../platform/lib/id.ts'
import { accessOf, changedRoles, isSameAccess, NO_ROLES, type Roles } from '../../shared/access.ts'
import { hasAccount, hasRoleIn, removeFirstInvitation, SERVER, withdrawInvitationsOf } from './invitation-store.ts'
import type { Person } from './operator.ts'
import { columnsOf, rolesOf, workspaceRolesOf, writeRoles } from './stored-roles.ts'

const selectPeople = (db: Db) =>
  db
    .selectFrom('operator')
    .select(['id', 'name', 'email', 'role', 'two_factor_enabled', 'suspended_at', 'last_signed_in_at', 'created_at'])
    .select((eb) => [hasAccount(eb).as('has_account'), workspaceRolesOf('operator.id').as('workspace_roles')])

type Row = Awaited<ReturnType<ReturnType<typeof selectPeople>['executeTakeFirstOrThrow']>>

const personOf = (row: Row): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  roles: rolesOf(row),
  state: row.suspended_at !== null ? 'suspended' : row.has_account ? 'active' : 'invited',
  twoFactor: row.two_factor_enabled,
  lastSignedInAt: row.last_signed_in_at,
  createdAt: row.created_at,
})

export const PEOPLE_SORTS = ['name', 'email', 'last_signed_in'] as const
export type PeopleSort = ListSort<(typeof PEOPLE_SORTS)[number]>

const SORT_VALUES = {
  name: sql`lower(name)`,
  email: sql`email`,
  last_signed_in: sql`coalesce(last_signed_in_at, '-infinity')`,
}

export const listPeople = (db: Db, page: PageRequest, workspaceId?: string): Promise<Page<Person>> =>
  readPage(
    selectPeopleOf(db, workspaceId),
    page,
    { by: ['id'], place: page.after === undefined ? undefined : [page.after] },
    personOf,
  )

/** As `listPeople`. Returns undefined if the list has no operator with the id `page.after`. */
export async function listSortedPeople(
  db: Db,
  page: PageRequest,
  sort: PeopleSort,
  workspaceId?: string,
): Promise<Page<Person> | undefined> {
  const { after } = page
  const people = selectPeopleOf(db, workspaceId)
  if (after !== undefined && !(await people.where('id', '=', after).executeTakeFirst())) return undefined
  const sorted = db
    .with('listed', () => people.select(SORT_VALUES[sort.by].as('sort_value')))
    .selectFrom('listed')
    .selectAll()
  return readPage(sorted, page, sortedKeyset(sort.direction, after), personOf)
}

const selectPeopleOf = (db: Db, workspaceId: string | undefined) =>
  workspaceId === undefined ? selectPeople(db) : selectPeople(db).where(hasRoleIn({ workspaceIds: [workspaceId], inAll: true }))

export const findPerson = (db: Db, id: string): Promise<Person | undefined> =>
  selectPeople(db).where('id', '=', id).$call(takeFirst(personOf))

export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  await shareLockPeople(tx, [id])
  return findPerson(tx, id)
}

const selectIds = (tx: Tx, ids: readonly string[]) => tx.selectFrom('operator').select('id').where('id', 'in', ids)

/** Locks the rows of operators for changes, always in the same order, so that two operators who change each other do not deadlock. */
export async function lockPeople(tx: Tx, ids: readonly string[]): Promise<void> {
  await selectIds(tx, ids).orderBy('id').forUpdate().execute()
}

/** Locks operators against changes by others. Owners first, as `lockOwners` then `lockPeople` do, against deadlocks. */
export async function shareLockPeople(tx: Tx, ids: readonly string[]): Promise<void> {
  const owners = sql`role = 'owner' and suspended_at is null`
  await selectIds(tx, ids).orderBy(owners, 'desc').orderBy('id').forShare().execute()
}

export const findPersonByEmail = (db: Db, email: string): Promise<Person | undefined> =>
  selectPeople(db).where('email', '=', email.toLowerCase()).$call(takeFirst(personOf))

/** Returns undefined if the email address is taken. The operator can sign in after accepting an invitation, or with OIDC. */
export async function createPerson(
  tx: Tx,
  { name, email, roles }: Pick<Person, 'name' | 'email' | 'roles'>,
  now: Date,
): Promise<Person | undefined> {
  const id = newId('opr')
  const inserted = await tx
    .insertInto('operator')
    .values({
      id,
      name,
      email: email.toLowerCase(),
      email_verified: true,
      ...columnsOf(roles.all),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) return undefined
  await writeRoles(tx, id, { ...NO_ROLES, all: roles.all }, roles)
  await removeFirstInvitation(tx)
  return findPerson(tx, id)
}

/**
 * Returns undefined if the operator does not exist. Other access ends the operator's sessions, own invitation and issued invitations.
 * `roles` also ends a suspension. Publish the topic `operators` after the commit.
 */
export async function updatePerson(
  tx: Tx,
  id: string,
  { name, roles }: { readonly name?: string | undefined; readonly roles?: Roles | undefined },
  now: Date,
): Promise<Person | undefined> {
  const named = name !== undefined && { name }
  await tx
    .updateTable('operator')
    .set({ updated_at: now, ...named })
    .where('id', '=', id)
    .execute()
  const before = await findPerson(tx, id)
  if (!before || !roles) return before
  await writeRoles(tx, id, before.roles, roles)
  const changed = changedRoles(before.roles, roles)
  // A role that adds nothing ends no session: an owner of one Workspace could sign out the owner of all again and again.
  if (!isSameAccess(accessOf(before.roles), accessOf(roles))) {
    await endSessions(tx, id)
    await tx.deleteFrom('operator_invitation').where('operator_id', '=', id).execute()
    const concerned = { workspaceIds: changed.workspaceIds, inAll: roles.all !== 'owner' }
    await withdrawInvitationsOf(tx, id, changed.all ? undefined : concerned)
  }
  return findPerson(tx, id)
}

/** Suspends an operator until a new role: ends sessions and issued invitations. The operator's admin tokens stop working too. */
export async function suspendPerson(tx: Tx, id: string, now: Date): Promise<void> {
  const person = await findPerson(tx, id)
  const { role } = columnsOf(person?.roles.all ?? null)
  await tx.updateTable('operator').set({ role, suspended_at: now, updated_at: now }).where('id', '=', id).execute()
  await endSessions(tx, id)
  await withdrawInvitationsOf(tx, id)
}

/** Deletes an operator with all sessions and issued invitations. Publish the topic `operators` after the commit. */
export async function deletePerson(tx: Tx, id: string): Promise<void> {
  await withdrawInvitationsOf(tx, id)
  await tx.deleteFrom('operator').where('id', '=', id).execute()
}

export async function endSessions(tx: Tx, id: string, currentToken = ''): Promise<void> {
  await tx.deleteFrom('operator_session').where('operator_id', '=', id).where('token', '!=', currentToken).execute()
  await tx.deleteFrom('operator_verification').where('value', '=', id).execute()
}

export async function recordSignIn(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('operator').set({ last_signed_in_at: now }).where('id', '=', id).execute()
}

export async function countWrongCodes(tx: Tx, id: string): Promise<number> {
  const row = await tx
    .selectFrom('operator_second_factor')
    .select('failed_count')
    .where('operator_id', '=', id)
    .executeTakeFirst()
  return row?.failed_count ?? 0
}

/** Sets an operator's password and removes all sessions and the second factor. `issuer`: of the link with which it was chosen. */
export async function setPassword(tx: Tx, id: string, passwordHash: string, issuer: string | null, now: Date): Promise<void> {
  await endSessions(tx, id)
  await tx.deleteFrom('operator_second_factor').where('operator_id', '=', id).execute()
  await tx
    .updateTable('operator')
    .set({
      two_factor_enabled: false,
      password_by: issuer,
      updated_at: now,
      // A link from the server confirms that the operator is independent (docs/decisions/0008-review.md).
      ...(issuer === SERVER && { could_cause_requests: false }),
    })
    .where('id', '=', id)
    .execute()
  if (issuer === SERVER)
    await tx.updateTable('operator_role').set({ could_cause_requests: false }).where('operator_id', '=', id).execute()
  const account = { operator_id: id, provider_id: 'credential', account_id: id, password: passwordHash }
  await tx
    .insertInto('operator_account')
    .values({ id: newId('acc'), ...account, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: passwordHash, updated_at: now }),
    )
    .execute()
}

/** Single sign-on remains. */
export async function removePassword(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('operator_account').where('operator_id', '=', id).where('provider_id', '=', 'credential').execute()
}

/** The ids of owners of all Workspaces who can sign in, locked until `tx` ends, so that two concurrent requests cannot remove the last two owners. */
export const lockOwners = (tx: Tx): Promise<string[]> => findOwners(selectOwners(tx).forUpdate())

export const listOwners = (db: Db): Promise<string[]> => findOwners(selectOwners(db))

const selectOwners = (db: Db) =>
  db
    .selectFrom('operator')
    .select((eb) => ['id', hasAccount(eb).as('has_account')])
    .where('role', '=', 'owner')
    .where('suspended_at', 'is', null)
    .orderBy('id')

async function findOwners(owners: ReturnType<typeof selectOwners>): Promise<string[]> {
  const rows = await owners.execute()
  return rows.filter(({ has_account }) => has_account).map(({ id }) => id)
}

export async function hasPeople(db: Db): Promise<boolean> {
  return (await db.selectFrom('operator').select('id').limit(1).executeTakeFirst()) !== undefined
}
