import type { FastifyRequest } from 'fastify'
import { type Change, type ChangeDeps, change } from '../../admin/kit/change.ts'
import { changedFields } from '../../admin/kit/changed-fields.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import type { Tx } from '../../db/database.ts'
import { OPERATORS_TOPIC, type Operator, type Role } from '../../domain/operator.ts'
import { ROLE_SCOPES } from '../../domain/roles.ts'
import { GatehouseError } from '../../errors.ts'
import { List, listOf, PAGE, pageOf } from '../../http/paging.ts'
import { notFound, taken } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { findResponsibleOperator } from '../admin-token-store.ts'
import { invitationUrl, newInvitationToken, putInvitation } from '../invitation-store.ts'
import type { Person } from '../operator.ts'
import { createPerson, deletePerson, findPerson, listPeople, lockOwners, updatePerson } from '../operator-store.ts'
import { InvitationView, OperatorCreate, OperatorPatch, OperatorView, operatorView } from './operator-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the operator, or the Workspace' }
const LAST_OWNER = { ...UNKNOWN, 409: 'CONFLICT: the operator is the last owner' }
const docs = {
  list: inWorkspace('GET /operators', 'listOperators', 'List operators, oldest first', {
    scope: 'operators:read',
    query: PAGE,
    answers: { 200: List(OperatorView) },
  }),
  invite: inWorkspace('POST /operators', 'inviteOperator', 'Invite an operator', {
    scope: 'operators:write',
    description:
      "Operators work on the whole server. The audit log of the request's Workspace records the invitation. You cannot give a role with scopes that you do not have.",
    body: OperatorCreate,
    answers: { 201: InvitationView },
    errors: { 409: 'CONFLICT: the email address is taken' },
  }),
  update: inWorkspace(
    'PATCH /operators/:id',
    'updateOperator',
    'Change the name or role of an operator. A new role ends their sessions',
    {
      scope: 'operators:write',
      description:
        'A new role invalidates links for the old role and invitations that the operator issued. Admin tokens that the operator issued get at most the scopes of the new role.',
      body: OperatorPatch,
      answers: { 200: OperatorView },
      errors: LAST_OWNER,
    },
  ),
  remove: inWorkspace(
    'DELETE /operators/:id',
    'deleteOperator',
    'Remove an operator with their sessions, admin tokens and invitations',
    {
      scope: 'operators:write',
      description: 'API keys and user tokens that the operator issued stay valid: they belong to an Application or a user.',
      answers: { 204: null },
      errors: LAST_OWNER,
    },
  ),
  again: inWorkspace(
    'POST /operators/:id/invitation',
    'reinviteOperator',
    'Create a new invitation link for an operator who lost the link, password or second factor',
    {
      scope: 'operators:write',
      description: 'Older links become invalid. The operator who opens the link sets a new password and loses the second factor.',
      answers: { 201: InvitationView },
      errors: UNKNOWN,
    },
  ),
}

function operatorChanges(deps: ChangeDeps) {
  /** Runs one change at a time, so that the scopes of the acting operator stay the same during it. */
  const changeOperators = <T>(request: FastifyRequest, work: (tx: Tx, now: Date) => Promise<Change<T>>): Promise<T> =>
    change(deps, request, work, lockOwners)

  const invite = async (request: FastifyRequest, find: (tx: Tx, now: Date) => Promise<Person>, verb: 'invite' | 'reinvite') => {
    const token = newInvitationToken()
    const person = await changeOperators(request, async (tx, now) => {
      const value = await find(tx, now)
      refuseRoleWithMissingScope(request.operator, value.role)
      await putInvitation(tx, value.id, token, now, await findResponsibleOperator(tx, request.operator.id))
      return { value, action: `operator.${verb}`, id: value.id, fields: verb === 'invite' ? ['email', 'name', 'role'] : [] }
    })
    const url = invitationUrl(request.base, token)
    return { object: 'invitation' as const, url, operator: operatorView(person) }
  }
  return { changeOperators, invite }
}

export function operatorsRoutes(app: TypedApp, deps: ChangeDeps): void {
  const { db } = deps
  const { changeOperators, invite } = operatorChanges(deps)

  handle(app, docs.list, async ({ query }) => listOf(await listPeople(db, pageOf(query)), operatorView, ({ id }) => id))

  handle(app, docs.invite, async (request, reply) => {
    const create = async (tx: Tx, now: Date): Promise<Person> => {
      const person = await createPerson(tx, request.body, now)
      if (!person) throw taken('email', 'Email address')
      return person
    }
    return reply.status(201).send(await invite(request, create, 'invite'))
  })

  handle(app, docs.again, async (request, reply) => {
    const { id } = request.params
    return reply.status(201).send(await invite(request, (tx) => requirePerson(tx, id), 'reinvite'))
  })

  handle(app, docs.update, async (request) => {
    const { params, body, operator } = request
    const person = await changeOperators(request, async (tx, now) => {
      if (body.role !== undefined && body.role !== 'owner') await keepAnOwner(tx, params.id)
      const before = await requirePerson(tx, params.id)
      refuseRoleWithMissingScope(operator, before.role)
      if (body.role) refuseRoleWithMissingScope(operator, body.role)
      const value = (await updatePerson(tx, params.id, body, now)) ?? before
      const fields = changedFields(OperatorPatch, body)
      return { value, action: 'operator.update', id: value.id, fields, announce: [OPERATORS_TOPIC, value.id] }
    })
    return operatorView(person)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { id } = request.params
    await changeOperators(request, async (tx) => {
      await keepAnOwner(tx, id)
      refuseRoleWithMissingScope(request.operator, (await requirePerson(tx, id)).role)
      await deletePerson(tx, id)
      return { value: id, action: 'operator.delete', id, announce: [OPERATORS_TOPIC, id] }
    })
    return reply.status(204).send()
  })
}

async function requirePerson(tx: Tx, id: string): Promise<Person> {
  const person = await findPerson(tx, id)
  if (!person) throw notFound('operator')
  return person
}

/** Operators cannot give, take or reset roles with scopes that they do not have. */
function refuseRoleWithMissingScope({ scopes }: Operator, role: Role): void {
  const missing = ROLE_SCOPES[role].find((scope) => !scopes.includes(scope))
  if (missing)
    throw new GatehouseError('FORBIDDEN', { message: `The role ${role} has ${missing}, which you do not have.`, param: 'role' })
}

/** Without an owner, no operator could be invited again. */
async function keepAnOwner(tx: Tx, id: string): Promise<void> {
  const owners = await lockOwners(tx)
  if (owners.length === 1 && owners[0] === id) {
    throw new GatehouseError('CONFLICT', {
      message: 'The last owner cannot be removed or demoted. Make another operator an owner first.',
    })
  }
}
