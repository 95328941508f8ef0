import type { FastifyRequest } from 'fastify'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { invitationUrl, newInvitationToken, putInvitation } from '../../../domains/operators/invitation-store.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import { findPerson, findPersonByEmail, lockOwners, lockPeople } from '../../../domains/operators/operator-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { Access } from '../../../shared/access.ts'
import type { Operator } from '../../../shared/operator.ts'
import { notFound, taken } from '../../../shared/request-errors.ts'
import { type Change, type ChangeDeps, change } from '../kit/change.ts'
import { canSee, concerned, type FindWorkspaceIds } from './granted-roles.ts'
import { operatorView } from './operator-shapes.ts'

export interface OperatorsDeps extends ChangeDeps {
  readonly findWorkspaceIds: FindWorkspaceIds
}

export function operatorChanges(deps: OperatorsDeps) {
  /** Runs one change at a time, so that the roles of the acting operator stay the same during it. */
  const changeOperators = <T>(
    request: FastifyRequest,
    work: (tx: Tx, now: Date) => Promise<Change<T>>,
    id?: string,
  ): Promise<T> =>
    change(deps, request, work, async (tx) => {
      await lockOwners(tx)
      await lockPeople(tx, [request.operator.id, ...(id === undefined ? [] : [id])])
    })

  const invite = async (request: FastifyRequest, verb: 'invite' | 'reinvite', find: (tx: Tx, now: Date) => Promise<Person>) => {
    const { operator, workspaceId } = request
    const token = newInvitationToken()
    const person = await changeOperators(request, async (tx, now) => {
      const value = await find(tx, now)
      const { all, workspaces } = value.roles
      await putInvitation(tx, value.id, token, now, await findResponsibleOperator(tx, operator.id))
      const fields = ['email', 'name', ...(all ? ['role'] : []), ...(workspaces.size > 0 ? ['workspace_roles'] : [])]
      return {
        value,
        action: `operator.${verb}`,
        id: value.id,
        fields: verb === 'invite' ? fields : [],
        workspaceIds: concerned(workspaces.keys(), all !== null, workspaceId),
      }
    })
    const url = invitationUrl(request.base, token)
    return { object: 'invitation' as const, url, operator: operatorView(person, operator.access) }
  }
  return { changeOperators, invite }
}

/** The operator. Throws a 404 if there is none, or if the acting operator must not know them. */
export async function requirePerson(tx: Tx, id: string, { access }: Operator): Promise<Person> {
  const person = await findPerson(tx, id)
  if (!person || !canSee(access, person)) throw notFound('operator')
  return person
}

/** Only an owner of all Workspaces adds a Workspace to an existing operator: their inviter may know the password. */
export async function refuseTaken(tx: Tx, email: string, access: Access): Promise<never> {
  const person = await findPersonByEmail(tx, email)
  if (!person || canSee(access, person)) throw taken('email', 'Email address')
  throw new GatehouseError('CONFLICT', {
    message:
      'An operator of other Workspaces has this email address. Ask an owner of all Workspaces to add a role in your Workspace.',
    param: 'email',
  })
}

/** Without an owner of all Workspaces, no operator could be invited again. */
export async function keepAnOwner(tx: Tx, id: string): Promise<void> {
  const owners = await lockOwners(tx)
  if (owners.length === 1 && owners[0] === id) {
    throw new GatehouseError('CONFLICT', {
      message: 'The last owner of all Workspaces cannot be removed or demoted. Make another operator an owner first.',
    })
  }
}
