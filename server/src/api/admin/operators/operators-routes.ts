import type { FastifyRequest } from 'fastify'
import { listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { invitationUrl, newInvitationToken, putInvitation } from '../../../domains/operators/invitation-store.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import {
  createPerson,
  deletePerson,
  findPerson,
  findPersonByEmail,
  listPeople,
  listSortedPeople,
  lockOwners,
  lockPeople,
  PEOPLE_SORTS,
  updatePerson,
} from '../../../domains/operators/operator-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { type Access, changedRoles, enterable, NO_ROLES, type Roles, scopesIn, workspacesWith } from '../../../shared/access.ts'
import { OPERATORS_TOPIC, type Operator, ROLES, type Role } from '../../../shared/operator.ts'
import { conflict, invalid, notFound, taken } from '../../../shared/request-errors.ts'
import { VERSION } from '../../../version.ts'
import { List, listById, PAGE, pageOf, sortOf, sortQuery } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { type Change, change, changedFields } from '../kit/change.ts'
import { inWorkspace, operation } from '../kit/operation.ts'
import { canSee, concerned, grantRoles, refuseUncovered } from './granted-roles.ts'
import { InvitationView, OperatorCreate, OperatorPatch, OperatorView, operatorView, SessionView } from './operator-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the operator, or a Workspace' }
const LAST_OWNER = { ...UNKNOWN, 409: 'CONFLICT: the operator is the last owner of all Workspaces' }
const docs = {
  list: inWorkspace('GET /operators', 'listOperators', 'List operators, oldest first', {
    scope: 'operators:read',
    description:
      'All operators, if you have the scope in all Workspaces. Otherwise the operators of the Workspace of the request.',
    query: { ...PAGE, ...sortQuery(PEOPLE_SORTS, 'Default: oldest first. `-` before a name is descending.') },
    answers: { 200: List(OperatorView) },
  }),
  invite: inWorkspace('POST /operators', 'inviteOperator', 'Invite an operator', {
    scope: 'operators:write',
    description:
      'With a role in all Workspaces, or roles in single ones, whose audit logs record the invitation. You cannot give a role with scopes that you do not have in the same Workspaces.',
    body: OperatorCreate,
    answers: { 201: InvitationView },
    errors: { 404: 'NOT_FOUND: a Workspace', 409: 'CONFLICT: the email address is taken' },
  }),
  update: inWorkspace(
    'PATCH /operators/:id',
    'updateOperator',
    'Change the name or roles of an operator. Other access ends their sessions',
    {
      scope: 'operators:write',
      description:
        'New roles invalidate links for the old ones, and invitations into the same Workspaces that the operator issued. Admin tokens that the operator issued get at most the scopes of the new roles. The audit logs of the Workspaces concerned record the change.',
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
      description:
        'You need the scopes of all their roles. API keys and user tokens that the operator issued stay valid: they belong to an Application or a user.',
      answers: { 204: null },
      errors: LAST_OWNER,
    },
  ),
  reinvite: inWorkspace(
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

export function operatorsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps
  const { invite } = operatorChanges(deps)

  handle(app, docs.list, async ({ query, operator: { access }, workspaceId }) => {
    const isLimited = workspacesWith(access, 'operators:read') !== undefined
    const [sort, page, listedWorkspace] = [sortOf(PEOPLE_SORTS, query), pageOf(query), isLimited ? workspaceId : undefined]
    const people = sort ? await listSortedPeople(db, page, sort, listedWorkspace) : await listPeople(db, page, listedWorkspace)
    return listById(people, (person) => operatorView(person, access))
  })

  handle(app, docs.invite, async (request, reply) => {
    const { body, operator } = request
    const create = async (tx: Tx, now: Date): Promise<Person> => {
      const roles = await grantRoles(tx, operator.access, NO_ROLES, body)
      if (roles.all === null && roles.workspaces.size === 0)
        throw invalid({ param: 'role', message: 'is required, or a role in workspace_roles' })
      return (await createPerson(tx, { ...body, roles }, now)) ?? refuseTaken(tx, body.email, operator.access)
    }
    return reply.status(201).send(await invite(request, 'invite', create))
  })

  handle(app, docs.reinvite, async (request, reply) => {
    const { params, operator } = request
    const find = async (tx: Tx): Promise<Person> => {
      const person = await requirePerson(tx, params.id, operator)
      refuseUncovered(operator.access, person.roles)
      return person
    }
    return reply.status(201).send(await invite(request, 'reinvite', find))
  })

  changeRoutes(app, deps)
}

function changeRoutes(app: TypedApp, deps: AdminDeps): void {
  const { changeOperators } = operatorChanges(deps)

  handle(app, docs.update, async (request) => {
    const { params, body, operator, workspaceId } = request
    const update = async (tx: Tx, now: Date) => {
      if (body.role !== undefined && body.role !== 'owner') await keepAnOwner(tx, params.id)
      const before = await requirePerson(tx, params.id, operator)
      const after = await grantRoles(tx, operator.access, before.roles, body)
      const hasRoles = body.role !== undefined || body.workspace_roles !== undefined
      // A name is the same in all Workspaces, and roles end a suspension in all of them.
      if (body.name !== undefined || !hasRoles || before.state === 'suspended') refuseUncovered(operator.access, after)
      const value = (await updatePerson(tx, params.id, { name: body.name, ...(hasRoles && { roles: after }) }, now)) ?? before
      const changed = changedRoles(before.roles, after)
      return {
        value,
        action: 'operator.update' as const,
        id: value.id,
        fields: changedFields(OperatorPatch, body),
        workspaceIds: concerned(changed.workspaceIds, changed.all || body.name !== undefined, workspaceId),
        announce: [OPERATORS_TOPIC, value.id] as const,
      }
    }
    return operatorView(await changeOperators(request, update, params.id), operator.access)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { params, operator, workspaceId } = request
    const remove = async (tx: Tx) => {
      await keepAnOwner(tx, params.id)
      const { roles } = await requirePerson(tx, params.id, operator)
      refuseUncovered(operator.access, roles)
      await deletePerson(tx, params.id)
      return {
        value: params.id,
        action: 'operator.delete' as const,
        id: params.id,
        workspaceIds: concerned(roles.workspaces.keys(), roles.all !== null, workspaceId),
        announce: [OPERATORS_TOPIC, params.id] as const,
      }
    }
    await changeOperators(request, remove, params.id)
    return reply.status(204).send()
  })
}

function operatorChanges(deps: AdminDeps) {
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
async function requirePerson(tx: Tx, id: string, { access }: Operator): Promise<Person> {
  const person = await findPerson(tx, id)
  if (!person || !canSee(access, person)) throw notFound('operator')
  return person
}

/** Only an owner of all Workspaces adds a Workspace to an existing operator: their inviter may know the password. */
async function refuseTaken(tx: Tx, email: string, access: Access): Promise<never> {
  const person = await findPersonByEmail(tx, email)
  if (!person || canSee(access, person)) throw taken('email', 'Email address')
  throw conflict(
    'An operator of other Workspaces has this email address. Ask an owner of all Workspaces to add a role in your Workspace.',
    { param: 'email' },
  )
}

/** Without an owner of all Workspaces, no operator could be invited again. */
async function keepAnOwner(tx: Tx, id: string): Promise<void> {
  const owners = await lockOwners(tx)
  if (owners.length === 1 && owners[0] === id)
    throw conflict('The last owner of all Workspaces cannot be removed or demoted. Make another operator an owner first.')
}

const sessionDocs = operation(
  'GET /session',
  'getSession',
  'Get the current operator, the Workspaces that they can enter, and their roles and scopes',
  { scope: null, reach: 'any', answers: { 200: SessionView } },
)

/** A server with more Workspaces is searched by name. */
const MAX_WORKSPACES = 1_000

export function sessionRoutes(app: TypedApp, { db }: AdminDeps): void {
  handle(app, sessionDocs, async ({ operator: { id, kind, name, access } }) => {
    const person = kind === 'person' ? await findPerson(db, id) : undefined
    const workspaces = (await listWorkspaces(db, { limit: MAX_WORKSPACES }, enterable(access)))?.data ?? []
    return {
      object: 'session',
      operator: {
        id,
        kind,
        name,
        email: person?.email ?? null,
        role: person?.roles.all ?? null,
        two_factor: person?.twoFactor ?? false,
      },
      scopes: [...access.all],
      workspaces: workspaces.map((workspace) => ({
        id: workspace.id,
        name: workspace.name,
        role: person ? strongestRole(person.roles, workspace.id) : null,
        scopes: [...scopesIn(access, workspace.id)],
      })),
      version: VERSION,
    }
  })
}

/** The role that the dashboard shows: of the role in all Workspaces and the one in this Workspace the more powerful one. */
const strongestRole = ({ all, workspaces }: Roles, workspaceId: string): Role | null =>
  ROLES.find((role) => role === all || role === workspaces.get(workspaceId)) ?? null
