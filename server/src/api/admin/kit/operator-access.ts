import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { findWorkspaceId, listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import type { AdminAuthenticator } from '../../../domains/operators/admin-authenticator.ts'
import type { SignIn } from '../../../domains/operators/sign-in.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import { describeMisplacedCredential } from '../../../platform/lib/credential.ts'
import { type Access, enterable, mayEnter, scopesAnywhere, scopesIn } from '../../../shared/access.ts'
import type { Operator } from '../../../shared/operator.ts'
import { notFound } from '../../../shared/request-errors.ts'
import type { Scope } from '../../../shared/scope.ts'
import { REACH, type Reach, SCOPE } from './operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator
    /** Admin API, routes within a Workspace: its id (`ws_…`). */
    workspaceId: string
  }
}

/** Authenticates the operator: by a token if the request has one, else by the session cookie. Throws a 401. */
export async function operatorOf(
  { authorization, cookie }: IncomingHttpHeaders,
  {
    adminAuthenticator,
    signIn,
  }: { readonly adminAuthenticator: AdminAuthenticator; readonly signIn: Pick<SignIn, 'authenticate'> },
): Promise<Operator> {
  const person = authorization === undefined ? await signIn.authenticate(cookie) : undefined
  return person ?? (await byToken(authorization, adminAuthenticator))
}

async function byToken(authorization: string | undefined, authenticator: AdminAuthenticator): Promise<Operator> {
  const answer = await authenticator.authenticate(authorization)
  if (answer.ok) return answer.operator
  const misplaced = answer.code === 'AUTH_INVALID_KEY' ? describeMisplacedCredential(authorization, 'ga_') : undefined
  throw new GatehouseError(answer.code, { message: misplaced ?? answer.message })
}

interface Requirement {
  /** Undefined: the operation declares none, which is a programming error. */
  readonly scope: Scope | null | undefined
  readonly reach: Reach
}

export function requirementOf(schema: object | undefined): Requirement {
  const declared = (schema ?? {}) as { [SCOPE]?: Scope | null; [REACH]?: Reach }
  return { scope: declared[SCOPE], reach: declared[REACH] ?? 'server' }
}

/** Throws unless the operator has the scope, and sets `operator.scopes`. The Workspace is not known yet: `enterWorkspace` checks the rest. */
export function requireScope(request: FastifyRequest): void {
  const { scope, reach } = requirementOf(request.routeOptions.schema)
  const { access } = request.operator
  if (reach === 'server') requireIn(request, access.all, scope, 'in all Workspaces')
  else requireIn(request, scopesAnywhere(access), scope)
  if (reach === 'path') enterWorkspace(request, (request.params as { readonly id: string }).id)
}

/** Makes it the Workspace of the request. Throws a 404 if the operator has no scope in it, as if it did not exist. */
function enterWorkspace(request: FastifyRequest, workspaceId: string): void {
  const { access } = request.operator
  if (!mayEnter(access, workspaceId)) throw notFound('Workspace')
  const { scope } = requirementOf(request.routeOptions.schema)
  requireIn(request, scopesIn(access, workspaceId), scope, 'in this Workspace')
  request.workspaceId = workspaceId
}

function requireIn(request: FastifyRequest, scopes: Operator['scopes'], scope: Requirement['scope'], where?: string): void {
  request.operator = { ...request.operator, scopes }
  if (!scope || scopes.includes(scope)) return
  const hasItElsewhere = where !== undefined && scopesAnywhere(request.operator.access).includes(scope)
  throw new GatehouseError('FORBIDDEN', {
    message: hasItElsewhere ? `You need the scope ${scope} ${where}.` : `You need the scope ${scope}.`,
  })
}

/** Sets the Workspace that the query or the header names by id or name; default: the first that the operator may enter. */
export function chooseWorkspace(db: Db) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = (request.query as { workspace?: string }).workspace
    const choice = query ?? (request.headers['x-gatehouse-workspace'] as string | undefined)
    const { access } = request.operator
    enterWorkspace(request, choice === undefined ? await firstWorkspace(db, access) : await resolveWorkspace(db, choice, access))
  }
}

async function firstWorkspace(db: Db, access: Access): Promise<string> {
  const ids = enterable(access)
  if (ids) return ids[0] ?? ''
  const [first] = (await listWorkspaces(db, { limit: 1 }))?.data ?? []
  if (!first)
    throw new GatehouseError('NOT_FOUND', {
      message: 'This server has no Workspace yet. Create one in the dashboard, or with `gatehouse workspace create NAME`.',
    })
  return first.id
}

/** The id of the Workspace with this id or name. Throws a 404, also if the operator must not know that it exists. */
export async function resolveWorkspace(db: Db, choice: string, access: Access): Promise<string> {
  const id = await findWorkspaceId(db, choice)
  if (id === undefined || !mayEnter(access, id)) throw notFound('Workspace')
  return id
}
