import { invitationUrl, newInvitationToken, putInvitation } from '../../domains/operators/invitation-store.ts'
import type { Person } from '../../domains/operators/operator.ts'
import { findPersonByEmail, listPeople, lockOwners, updatePerson } from '../../domains/operators/operator-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { ROLES, type Role } from '../../shared/operator.ts'
import { changeOf } from '../setup/change.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { issueFirstLogin } from '../start/first-login.ts'
import { chooseWorkspace, listAllWorkspaces } from './choose-workspace.ts'
import { CommandFailure, formatTime, printTable, type Terminal } from './terminal.ts'
import { publicUrl, withDatabase } from './with-database.ts'

export const operatorFirstLogin = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const token = await issueFirstLogin(context, context.config)
    if (token === undefined) {
      throw new CommandFailure('an operator exists already: print a link for an operator with `gatehouse operator invite EMAIL`')
    }
    terminal.out(invitationUrl(await publicUrl(context, terminal), token))
    terminal.note(
      'for the first owner, who enters a name, an address, a password and the name of the first Workspace. The link works once',
    )
  })

/** `gatehouse operator invite EMAIL`: prints the link to standard output. For an operator that no owner can invite. */
export const operatorInvite = (terminal: Terminal, email: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const token = newInvitationToken()
    await changeServer(context, async (tx, now) => {
      const { id } = await findPerson(tx, email)
      await putInvitation(tx, id, token, now)
      return [changeOf('operator_invitation', 'issued', { id, name: email })]
    })
    terminal.out(invitationUrl(await publicUrl(context, terminal), token))
    terminal.note(
      `for ${email}, who chooses a new password. The link works once, within 7 days. Copy it now, because only its hash is stored`,
    )
  })

async function findPerson(tx: Tx, email: string): Promise<Person> {
  const person = await findPersonByEmail(tx, email)
  if (!person) throw new CommandFailure(`there is no operator with the address ${email}`)
  return person
}

export const operatorList = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const names = new Map((await listAllWorkspaces(db)).map(({ id, name }) => [id, name]))
    const rows = (await listPeople(db, ALL_ROWS)).data.map((person) => [
      person.email,
      person.state,
      formatTime(person.lastSignedInAt),
      describeRoles(person, names),
    ])
    printTable(terminal, ['EMAIL', 'STATE', 'LAST SIGN-IN', 'ROLES'], rows)
  })

function describeRoles({ roles }: Person, names: ReadonlyMap<string, string>): string {
  const inWorkspaces = [...roles.workspaces].map(([id, role]) => `${names.get(id) ?? id}:${role}`)
  return [...(roles.all ? [roles.all] : []), ...inWorkspaces].join(' ') || 'none'
}

/** `gatehouse operator role EMAIL ROLE`: for an operator whose roles no owner can change. `none` takes the role. */
export const operatorRole = (
  terminal: Terminal,
  email: string,
  name: string,
  { workspace }: { readonly workspace?: string },
): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const role = parseRole(name)
    const chosen = workspace === undefined ? undefined : await chooseWorkspace(context.database.db, workspace)
    await changeServer(context, async (tx, now) => {
      const owners = await lockOwners(tx)
      const person = await findPerson(tx, email)
      if (!chosen && role !== 'owner' && owners.length === 1 && owners[0] === person.id)
        throw new CommandFailure(`${email} is the last owner of all Workspaces: make another operator an owner first`)
      const workspaces = new Map(person.roles.workspaces)
      if (chosen && role) workspaces.set(chosen.id, role)
      if (chosen && !role) workspaces.delete(chosen.id)
      const all = chosen ? person.roles.all : role
      await updatePerson(tx, person.id, { roles: { all, workspaces } }, now)
      const fields = [chosen ? 'workspace_roles' : 'role']
      const logs = chosen && { workspaceIds: [chosen.id] }
      return [{ ...changeOf('operator', 'updated', { id: person.id, name: email }, fields), ...logs }]
    })
    terminal.note(`${email} has ${role ? `the role ${role}` : 'no role'} in ${chosen ? chosen.name : 'all Workspaces'}`)
  })

function parseRole(name: string): Role | null {
  if (name === 'none') return null
  const role = ROLES.find((known) => known === name)
  if (!role) throw new CommandFailure(`there is no role ${name}. The roles are ${ROLES.join(', ')}, or none`)
  return role
}
