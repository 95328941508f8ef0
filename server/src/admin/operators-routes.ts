import type { FastifyRequest } from 'fastify'
import { answerableFor } from '../applications/admin-token-store.ts'
import type { Tx } from '../db/database.ts'
import { OPERATORS_TOPIC, type Operator, type Role } from '../domain/operator.ts'
import { ROLE_SCOPES } from '../domain/roles.ts'
import { GatehouseError } from '../errors.ts'
import { invitationUrl, newInvitationToken, putInvitation } from '../operators/invitation-store.ts'
import type { Person } from '../operators/operator.ts'
import { createPerson, deletePerson, findPerson, listPeople, lockOwners, updatePerson } from '../operators/operator-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { type Change, change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { inWorkspace } from './operation.ts'
import { InvitationView, OperatorCreate, OperatorPatch, OperatorView, operatorView } from './operator-shapes.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound, taken } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the operator, or the Workspace' }
const LAST_OWNER = { ...UNKNOWN, 409: 'CONFLICT: the last owner stays one' }
const one = { query: {}, params: pathOf('id') }

const docs = {
  list: inWorkspace('listOperators', 'People who operate the server, oldest first', {
    scope: 'operators:read',
    query: PAGE,
    answers: { 200: List(OperatorView) },
  }),
  invite: inWorkspace('inviteOperator', 'Invite somebody, in a role', {
    scope: 'operators:write',
    description:
      'Operators serve the whole server; that one was invited is recorded in the Workspace of the request. Nobody gives a role that may more than they do.',
    query: {},
    body: OperatorCreate,
    answers: { 201: InvitationView },
    errors: { 409: 'CONFLICT: the address is taken' },
  }),
  update: inWorkspace('updateOperator', 'Change the name or the role of somebody; a new role ends their sessions', {
    scope: 'operators:write',
    description:
      'A link that was made for the old role opens nothing any more, nor do invitations that they issued. Admin tokens that they issued may what the new role may.',
    ...one,
    body: OperatorPatch,
    answers: { 200: OperatorView },
    errors: LAST_OWNER,
  }),
  remove: inWorkspace(
    'deleteOperator',
    'Remove somebody: their sessions, the admin tokens that they issued and their invitations end',
    {
      scope: 'operators:write',
      description: 'API keys and tokens of users that they issued stay: they belong to an Application or a user.',
      ...one,
      answers: { 204: null },
      errors: LAST_OWNER,
    },
  ),
  again: inWorkspace('reinviteOperator', 'A new link, for who has lost the old one, a password or a second factor', {
    scope: 'operators:write',
    description: 'Older links open nothing any more. Whoever opens it chooses a password anew; the second factor is gone then.',
    ...one,
    answers: { 201: InvitationView },
    errors: UNKNOWN,
  }),
}

export function operatorsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps
  /** A change of operators: one at a time, so that what an operator may do cannot change while they use it on others. */
  const changeOperators = <T>(request: FastifyRequest, work: (tx: Tx, now: Date) => Promise<Change<T>>): Promise<T> =>
    change(deps, request, work, lockOwners)

  const inviting = async (request: FastifyRequest, find: (tx: Tx, now: Date) => Promise<Person>, verb: 'invite' | 'reinvite') => {
    const token = newInvitationToken()
    const person = await changeOperators(request, async (tx, now) => {
      const value = await find(tx, now)
      refuseMore(request.operator, value.role)
      await putInvitation(tx, value.id, token, now, await answerableFor(tx, request.operator.id))
      return { value, action: `operator.${verb}`, id: value.id, fields: verb === 'invite' ? ['email', 'name', 'role'] : [] }
    })
    const url = invitationUrl(request.base, token)
    return { object: 'invitation' as const, url, operator: operatorView(person) }
  }

  app.get('/operators', { schema: docs.list }, async ({ query }) =>
    listOf(await listPeople(db, pageOf(query)), operatorView, ({ id }) => id),
  )

  app.post('/operators', { schema: docs.invite }, async (request, reply) => {
    const create = async (tx: Tx, now: Date): Promise<Person> => {
      const person = await createPerson(tx, request.body, now)
      if (!person) throw taken('email', 'an operator with that address')
      return person
    }
    return reply.status(201).send(await inviting(request, create, 'invite'))
  })

  app.post('/operators/:id/invitation', { schema: docs.again }, async (request, reply) => {
    const { id } = request.params
    return reply.status(201).send(await inviting(request, (tx) => known(tx, id), 'reinvite'))
  })

  app.patch('/operators/:id', { schema: docs.update }, async (request) => {
    const { params, body, operator } = request
    const person = await changeOperators(request, async (tx, now) => {
      if (body.role !== undefined && body.role !== 'owner') await keepAnOwner(tx, params.id)
      const before = await known(tx, params.id)
      refuseMore(operator, before.role)
      if (body.role) refuseMore(operator, body.role)
      const value = (await updatePerson(tx, params.id, body, now)) ?? before
      const fields = changedFields(OperatorPatch, body)
      return { value, action: 'operator.update', id: value.id, fields, announce: [OPERATORS_TOPIC, value.id] }
    })
    return operatorView(person)
  })

  app.delete('/operators/:id', { schema: docs.remove }, async (request, reply) => {
    const { id } = request.params
    await changeOperators(request, async (tx) => {
      await keepAnOwner(tx, id)
      refuseMore(request.operator, (await known(tx, id)).role)
      await deletePerson(tx, id)
      return { value: id, action: 'operator.delete', id, announce: [OPERATORS_TOPIC, id] }
    })
    return reply.status(204).send()
  })
}

async function known(tx: Tx, id: string): Promise<Person> {
  const person = await findPerson(tx, id)
  if (!person) throw notFound('operator')
  return person
}

/** Nobody gives, takes or opens what they lack. */
function refuseMore({ scopes }: Operator, role: Role): void {
  const missing = ROLE_SCOPES[role].find((scope) => !scopes.includes(scope))
  if (missing)
    throw new GatehouseError('FORBIDDEN', { message: `The role ${role} has ${missing}, which you do not have.`, param: 'role' })
}

/** Else nobody could let anybody in again. */
async function keepAnOwner(tx: Tx, id: string): Promise<void> {
  const owners = await lockOwners(tx)
  if (owners.length === 1 && owners[0] === id) {
    throw new GatehouseError('CONFLICT', { message: 'The last owner stays: make somebody else an owner first.' })
  }
}
