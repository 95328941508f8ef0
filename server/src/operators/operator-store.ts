import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Role } from '../domain/operator.ts'
import { causingScope, ROLE_SCOPES, roleOf } from '../domain/roles.ts'
import { newId } from '../lib/id.ts'
import { hasAccount, removeFirstInvitation, SERVER, withdrawInvitationsOf } from './invitation-store.ts'
import type { NewPerson, Person } from './operator.ts'

const selectPeople = (db: Db) =>
  db
    .selectFrom('operator')
    .select(['id', 'name', 'email', 'role', 'two_factor_enabled', 'suspended_at', 'last_signed_in_at', 'created_at'])
    .select((eb) => hasAccount(eb).as('has_account'))

type Row = Awaited<ReturnType<ReturnType<typeof selectPeople>['executeTakeFirstOrThrow']>>

const personOf = (row: Row): Person => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: roleOf(row.role),
  state: row.suspended_at ? 'suspended' : row.has_account ? 'active' : 'invited',
  twoFactor: row.two_factor_enabled,
  lastSignedInAt: row.last_signed_in_at,
  createdAt: row.created_at,
})

/** Oldest first. */
export const listPeople = (db: Db, page: PageRequest): Promise<Page<Person>> =>
  readPage(selectPeople(db), page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, personOf)

export async function findPerson(db: Db, id: string): Promise<Person | undefined> {
  const row = await selectPeople(db).where('id', '=', id).executeTakeFirst()
  return row && personOf(row)
}

/** Finds an operator and locks the row against changes until `tx` ends. */
export async function lockPerson(tx: Tx, id: string): Promise<Person | undefined> {
  await tx.selectFrom('operator').select('id').where('id', '=', id).forShare().execute()
  return findPerson(tx, id)
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  const row = await selectPeople(db).where('email', '=', email.toLowerCase()).executeTakeFirst()
  return row && personOf(row)
}

/** Returns undefined if the email address is taken. The operator can sign in after accepting an invitation, or with OIDC. */
export async function createPerson(tx: Tx, { name, email, role }: NewPerson, now: Date): Promise<Person | undefined> {
  const id = newId('opr')
  const inserted = await tx
    .insertInto('operator')
    .values({ id, name, email: email.toLowerCase(), email_verified: true, role, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) return undefined
  await removeFirstInvitation(tx)
  return findPerson(tx, id)
}

/**
 * Returns undefined if the operator does not exist. A new role ends the operator's sessions, own invitation and issued invitations.
 * Publish the topic `operators` after the commit.
 */
export async function updatePerson(
  tx: Tx,
  id: string,
  { name, role }: { readonly name?: string | undefined; readonly role?: Role | undefined },
  now: Date,
): Promise<Person | undefined> {
  const before = await findPerson(tx, id)
  if (!before) return undefined
  const patch = { name: name ?? before.name, role: role ?? before.role, updated_at: now }
  const suspension = role === undefined ? {} : { suspended_at: null }
  await tx
    .updateTable('operator')
    .set({ ...patch, ...suspension })
    .where('id', '=', id)
    .execute()
  if (patch.role !== before.role) {
    await endSessions(tx, id)
    if (causingScope(ROLE_SCOPES[before.role]))
      await tx.updateTable('operator').set({ could_cause_requests: true }).where('id', '=', id).execute()
    await tx.deleteFrom('operator_invitation').where('operator_id', '=', id).execute()
    await withdrawInvitationsOf(tx, id)
  }
  return findPerson(tx, id)
}

/** Suspends an operator until a new role: ends sessions and issued invitations. The operator's admin tokens stop working too. */
export async function suspendPerson(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('operator').set({ suspended_at: now, updated_at: now }).where('id', '=', id).execute()
  await endSessions(tx, id)
  await withdrawInvitationsOf(tx, id)
}

/** Deletes an operator with all sessions and issued invitations. Publish the topic `operators` after the commit. */
export async function deletePerson(tx: Tx, id: string): Promise<void> {
  await withdrawInvitationsOf(tx, id)
  await tx.deleteFrom('operator').where('id', '=', id).execute()
}

/** Ends an operator's unfinished sign-ins and all sessions except the one with `currentToken`. */
export async function endSessions(tx: Tx, id: string, currentToken = ''): Promise<void> {
  await tx.deleteFrom('operator_session').where('operator_id', '=', id).where('token', '!=', currentToken).execute()
  await tx.deleteFrom('operator_verification').where('value', '=', id).execute()
}

export async function recordSignIn(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('operator').set({ last_signed_in_at: now }).where('id', '=', id).execute()
}

/** Number of consecutive wrong codes of the second factor. */
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
  const account = { operator_id: id, provider_id: 'credential', account_id: id, password: passwordHash }
  await tx
    .insertInto('operator_account')
    .values({ id: newId('acc'), ...account, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: passwordHash, updated_at: now }),
    )
    .execute()
}

/** The ids of owners who can sign in, locked until `tx` ends, so that two concurrent requests cannot remove the last two owners. */
export async function lockOwners(tx: Tx): Promise<string[]> {
  const rows = await tx
    .selectFrom('operator')
    .select((eb) => ['id', hasAccount(eb).as('has_account')])
    .where('role', '=', 'owner')
    .where('suspended_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.filter(({ has_account }) => has_account).map(({ id }) => id)
}

/** Whether another operator issued the link with which the password was chosen, and so may know it. An unknown issuer counts as one. */
export async function hasOperatorIssuedPassword(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('operator')
    .innerJoin('operator_account', 'operator_account.operator_id', 'operator.id')
    .select('operator.id')
    .where('operator.id', '=', id)
    .where('operator_account.provider_id', '=', 'credential')
    .where((eb) => eb.or([eb('operator.password_by', 'is', null), eb('operator.password_by', '!=', SERVER)]))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether an earlier role could cause requests (domain/roles.ts): keys and tokens from then still work. */
export async function couldCauseRequests(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('operator').select('could_cause_requests').where('id', '=', id).executeTakeFirst()
  return row?.could_cause_requests ?? false
}

/** Whether an operator exists. A first start creates an invitation for the first owner otherwise. */
export async function hasPeople(db: Db): Promise<boolean> {
  return (await db.selectFrom('operator').select('id').limit(1).executeTakeFirst()) !== undefined
}
