import { Type } from 'typebox'
import { findWorkspaceByIssuer, listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import { lockOwners } from '../../../domains/operators/operator-store.ts'
import type { GatehouseError } from '../../../errors.ts'
import { repeated } from '../../../platform/db/retried-transaction.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { DEMO_ISSUER } from '../../../shared/demo-words.ts'
import { conflict, notFound, requireFound } from '../../../shared/request-errors.ts'
import { CONTENT_KINDS, countContents } from '../../../tools/demo/removal/demo-contents.ts'
import { announceRemoval, findAccounts, type Removal, removeDemo } from '../../../tools/demo/removal/remove-demo.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { operation } from '../kit/operation.ts'

const Count = Type.Integer({ minimum: 0 })

const DemoView = Type.Object({
  object: Type.Literal('demo'),
  workspace: Type.Object({ id: Type.String(), name: Type.String() }),
  removable: Type.Boolean({ description: 'Whether there is another Workspace, which a server needs.' }),
  contents: Type.Array(
    Type.Object({
      kind: oneOf(CONTENT_KINDS),
      total: Count,
      added: Type.Integer({ minimum: 0, description: 'How many of them operators or clients have added since.' }),
      names: Type.Array(Type.String(), { description: 'Names of the added Applications, providers and budgets; at most 20.' }),
    }),
    { description: 'Everything that is deleted.' },
  ),
  operators: Type.Array(Type.String(), { description: 'Email addresses of the operators of the demo that are removed.' }),
  owner_stays: Type.Boolean({
    description: "Whether the demo's owner stays: it sends this request, or no other owner of all Workspaces can sign in.",
  }),
})

const docs = {
  get: operation('GET /demo', 'getDemo', 'Get what removing the demo deletes', {
    scope: 'workspaces:write',
    answers: { 200: DemoView },
    errors: { 404: 'NOT_FOUND: this server has no demo' },
  }),
  remove: operation('POST /demo/remove', 'removeDemo', 'Delete the Workspace of the demo with everything in it', {
    scope: 'workspaces:write',
    description:
      "This cannot be undone. The demo's reviewer, its owner and its admin token are removed too, unless no other owner of all Workspaces can sign in. The audit log of the oldest other Workspace records it.",
    body: Type.Object({
      name: Type.String({ maxLength: 200, description: 'Name of the Workspace of the demo, as a confirmation.' }),
    }),
    answers: { 204: null },
    errors: { 404: 'NOT_FOUND: no Workspace has the name', 409: 'CONFLICT: it is not the demo, or the only Workspace' },
  }),
}

const refusalOf = ({ reason }: Extract<Removal, { ok: false }>): GatehouseError => {
  if (reason === 'not_found') return notFound('Workspace')
  const message =
    reason === 'not_demo'
      ? 'This Workspace is not the demo, so it cannot be removed.'
      : 'The demo is the only Workspace. Create another Workspace first.'
  return conflict(message, { param: 'name' })
}

/** Removing the demo (ADM-API-20). */
export function demoRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, workspaceBox } = deps

  handle(app, docs.get, async ({ operator }) => {
    const workspace = requireFound(await findWorkspaceByIssuer(db, DEMO_ISSUER), 'demo')
    const { id, name } = workspace
    const { people, isOwnerKept } = await findAccounts(db, id, operator.id)
    const workspaces = (await listWorkspaces(db, { limit: 2 }))?.data.length ?? 0
    return {
      object: 'demo',
      workspace: { id, name },
      removable: workspaces > 1,
      contents: (await countContents(db, workspace)).map((content) => ({ ...content, names: [...content.names] })),
      operators: people.map(({ email }) => email),
      owner_stays: isOwnerKept,
    }
  })

  handle(app, docs.remove, async (request, reply) => {
    const {
      body: { name },
      operator: { id: actor },
    } = request
    const remove = () =>
      change(deps, request, async (tx, now) => ({ value: await removeDemo(tx, name, { actor, now, workspaceBox }) }), lockOwners)
    const removal = await repeated(remove)
    if (!removal.ok) throw refusalOf(removal)
    await announceRemoval(removal, { signal: deps.signal, dataDir: deps.config.dataDir })
    request.log.warn({ workspace: removal.workspaceId }, 'the demo was removed')
    return reply.status(204).send()
  })
}
