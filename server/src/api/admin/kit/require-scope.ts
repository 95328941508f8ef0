import type { FastifyRequest } from 'fastify'
import { GatehouseError } from '../../../errors.ts'
import { mayEnter, scopesAnywhere, scopesIn } from '../../../shared/access.ts'
import type { Operator } from '../../../shared/operator.ts'
import { notFound } from '../../../shared/request-errors.ts'
import type { Scope } from '../../../shared/scope.ts'
import { REACH, type Reach, SCOPE } from './operation.ts'

interface Requirement {
  /** Undefined: the operation declares none, which is a programming error. */
  readonly scope: Scope | null | undefined
  readonly reach: Reach
}

export function requirementOf(schema: object | undefined): Requirement {
  const declared = (schema ?? {}) as { [SCOPE]?: Scope | null; [REACH]?: Reach }
  return { scope: declared[SCOPE], reach: declared[REACH] ?? 'server' }
}

/**
 * Throws unless the operator has the scope of the operation where it is required, and sets `request.operator.scopes`. The Workspace of
 * a request is not known yet, so those operations require the scope in any Workspace here, and `enterWorkspace` checks the rest.
 */
export function requireScope(request: FastifyRequest): void {
  const { scope, reach } = requirementOf(request.routeOptions.schema)
  const { access } = request.operator
  if (reach === 'server') requireIn(request, access.all, scope, 'in all Workspaces')
  else requireIn(request, scopesAnywhere(access), scope)
  if (reach === 'path') enterWorkspace(request, (request.params as { readonly id: string }).id)
}

/** Makes it the Workspace of the request. Throws a 404 if the operator has no scope in it, as if it did not exist. */
export function enterWorkspace(request: FastifyRequest, workspaceId: string): void {
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
