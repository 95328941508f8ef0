import type { FastifyRequest } from 'fastify'
import { ADMIN_TOKENS_TOPIC } from '../../../domains/operators/admin-authenticator.ts'
import {
  type AdminToken,
  AdminTokenCreate,
  AdminTokenView,
  adminTokenView,
  IssuedAdminTokenView,
} from '../../../domains/operators/admin-token.ts'
import {
  createAdminToken,
  findAdminToken,
  listAdminTokens,
  lockActiveAdminTokens,
  revokeAdminToken,
} from '../../../domains/operators/admin-token-store.ts'
import { withdrawInvitationsOf } from '../../../domains/operators/invitation-store.ts'
import { type Access, mayEnter, scopesAnywhere, scopesIn, workspacesWith } from '../../../shared/access.ts'
import { conflict, forbidden, notFound, requireFound } from '../../../shared/request-errors.ts'
import { SCOPES, type Scope } from '../../../shared/scope.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { requireWorkspaces } from './granted-roles.ts'

const docs = {
  list: inWorkspace('GET /tokens', 'listAdminTokens', 'List admin tokens, including revoked tokens, oldest first', {
    scope: 'operators:read',
    description:
      'A token has at most the scopes that its issuer has in the same Workspace at the time of use. With the scope in all Workspaces, all tokens are listed, otherwise those for the Workspace of the request.',
    query: PAGE,
    answers: { 200: List(AdminTokenView) },
  }),
  issue: inWorkspace('POST /tokens', 'issueAdminToken', 'Issue an admin token. Only this response contains it', {
    scope: 'operators:write',
    description: 'A token is valid in all Workspaces or in some, whose audit logs record the issue.',
    body: AdminTokenCreate,
    answers: { 201: IssuedAdminTokenView },
  }),
  revoke: inWorkspace(
    'POST /tokens/:id/revoke',
    'revokeAdminToken',
    'Revoke an admin token. The last token for all Workspaces cannot be revoked',
    {
      scope: 'operators:write',
      description:
        'You cannot revoke a token that has scopes you do not have. Invitations issued with a token without a responsible operator end with it.',
      answers: { 200: AdminTokenView },
      errors: { 404: 'NOT_FOUND: the token, or the Workspace', 409: 'CONFLICT: the token is the last one' },
    },
  ),
}

export function adminTokensRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs.list, async ({ query, operator: { access }, workspaceId }) => {
    const isLimited = workspacesWith(access, 'operators:read') !== undefined
    const tokens = await listAdminTokens(deps.db, pageOf(query), isLimited ? workspaceId : undefined)
    return listById(tokens, (token) => adminTokenView(token, access))
  })

  handle(app, docs.issue, async (request, reply) => {
    const { operator, body, workspaceId } = request
    const { access } = operator
    const workspaceIds = body.workspace_ids === undefined ? defaultWorkspaces(request) : body.workspace_ids
    if (workspaceIds && !workspaceIds.every((id) => mayEnter(access, id))) throw notFound('Workspace')
    refuseScope(access, 'operators:write', workspaceIds, 'workspace_ids')
    const scopes = body.scopes ?? commonScopes(access, workspaceIds)
    for (const scope of scopes) refuseScope(access, scope, workspaceIds, 'scopes')
    const issued = await change(deps, request, async (tx, now) => {
      if (workspaceIds) await requireWorkspaces(tx, workspaceIds)
      const value = await createAdminToken(tx, { name: body.name, scopes, workspaceIds, issuer: operator.id }, now)
      const fields = ['name', 'scopes', ...(workspaceIds ? ['workspace_ids'] : [])]
      return { value, action: 'admin_token.issue', id: value.id, fields, workspaceIds: workspaceIds ?? [workspaceId] }
    })
    return reply.status(201).send({ ...adminTokenView(issued, access), token: issued.token })
  })

  handle(app, docs.revoke, async (request) => {
    const { id } = request.params
    const { access } = request.operator
    const token = await change(deps, request, async (tx, now) => {
      const token = await findAdminToken(tx, id)
      if (!token || !canSee(access, token)) throw notFound('admin token')
      for (const scope of token.scopes) refuseScope(access, scope, token.workspaceIds, 'scopes', 'revoke')
      const active = await lockActiveAdminTokens(tx)
      if (active.length === 1 && active[0] === id) throw conflict('The last admin token cannot be revoked. Issue another first.')
      const value = requireFound(await revokeAdminToken(tx, id, now), 'admin token')
      await withdrawInvitationsOf(tx, id)
      const workspaceIds = token.workspaceIds ?? [request.workspaceId]
      return { value, action: 'admin_token.revoke', id, fields: ['revoked_at'], workspaceIds, announce: [ADMIN_TOKENS_TOPIC, id] }
    })
    return adminTokenView(token, access)
  })
}

/** A token for all Workspaces if the operator may issue one, otherwise for the Workspace of the request. */
const defaultWorkspaces = ({ operator, workspaceId }: FastifyRequest): readonly string[] | null =>
  operator.access.all.includes('operators:write') ? null : [workspaceId]

/** The scopes that the operator has in each of the Workspaces; null: in all. */
const commonScopes = (access: Access, workspaceIds: readonly string[] | null): readonly Scope[] =>
  workspaceIds === null ? access.all : SCOPES.filter((scope) => workspaceIds.every((id) => scopesIn(access, id).includes(scope)))

/** Whether the operator may know the token: one for all Workspaces, or for one where the operator reads operators. */
const canSee = (access: Access, { workspaceIds }: AdminToken): boolean => {
  const visible = workspacesWith(access, 'operators:read')
  return visible === undefined || workspaceIds === null || workspaceIds.some((id) => visible.includes(id))
}

/** Operators cannot grant or revoke scopes that they do not have in all Workspaces of the token. */
function refuseScope(
  access: Access,
  scope: Scope,
  workspaceIds: readonly string[] | null,
  param: string,
  verb: 'grant' | 'revoke' = 'grant',
): void {
  if ((workspaceIds ?? [undefined]).every((id) => scopesIn(access, id).includes(scope))) return
  const where = scopesAnywhere(access).includes(scope) ? ' in all Workspaces of the token' : ''
  throw forbidden(`You cannot ${verb} the scope ${scope}, which you do not have${where}.`, { param })
}
