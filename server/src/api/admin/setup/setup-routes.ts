import { Type } from 'typebox'
import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { DEMO_ISSUER } from '../../../shared/demo-words.ts'
import { conflict, notFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { dismissSetup, isSetupDismissed, readSetup, SETUP_STEPS, stepsFor } from './setup-store.ts'

const SetupView = Type.Object({
  object: Type.Literal('setup'),
  base_url: nullable(
    Type.String({ description: 'The public URL of this server, to which clients append `/v1`. null: it is not configured.' }),
  ),
  is_demo: Type.Boolean({ description: 'Whether the Workspace is the demo, which an owner can remove.' }),
  dismissed: Type.Boolean({ description: 'Whether the operator has dismissed the checklist.' }),
  steps: Type.Array(Type.Object({ id: oneOf(SETUP_STEPS), done: Type.Boolean() }), {
    description: "The steps that the operator's scopes allow. Objects of the demo count, except its built-in model.",
  }),
})

const docs = {
  get: inWorkspace('GET /setup', 'getSetup', 'Get the setup checklist of a Workspace: which first steps are done', {
    scope: 'applications:read',
    answers: { 200: SetupView },
  }),
  dismiss: inWorkspace('POST /setup/dismiss', 'dismissSetup', 'Dismiss the setup checklist for the signed-in operator', {
    scope: 'applications:read',
    description: 'A setting of the operator, so no audit record is written.',
    answers: { 204: null },
    errors: { 409: 'CONFLICT: the request has an admin token, which has no checklist' },
  }),
}

export function setupRoutes(app: TypedApp, { db, clock, signIn }: AdminDeps): void {
  handle(app, docs.get, async ({ workspaceId, operator: { id, kind, scopes } }) => {
    const [done, workspace, dismissed] = await Promise.all([
      readSetup(db, workspaceId),
      findWorkspace(db, workspaceId),
      kind === 'person' && isSetupDismissed(db, workspaceId, id),
    ])
    if (!done) throw notFound('Workspace')
    const steps = stepsFor(scopes).map((step) => ({ id: step, done: done[step] }))
    const is_demo = workspace?.settings.issuer === DEMO_ISSUER
    return { object: 'setup', base_url: signIn.origin ?? null, is_demo, dismissed, steps }
  })

  handle(app, docs.dismiss, async ({ workspaceId, operator: { id, kind } }, reply) => {
    if (kind !== 'person') throw conflict('An admin token has no checklist. Sign in as an operator to dismiss yours.')
    await dismissSetup(db, workspaceId, id, clock.now())
    return reply.status(204).send()
  })
}
