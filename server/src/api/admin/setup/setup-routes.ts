import { sql } from 'kysely'
import { Type } from 'typebox'
import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import { listPeople } from '../../../domains/operators/operator-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { hasRow } from '../../../platform/db/from-row.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { timeOfUuid } from '../../../platform/lib/id.ts'
import { DEMO_ISSUER, DEMO_REVIEWER_EMAIL } from '../../../shared/demo-words.ts'
import { conflict, notFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import type { Scope } from '../../../shared/scope.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { isReviewer } from '../reviews/reviewer.ts'

/** The steps of the setup checklist in their order, each with the scope that it needs. */
const STEPS = {
  provider: 'providers:write',
  application: 'applications:write',
  request: 'applications:write',
  knowledge: 'knowledge:write',
  policy: 'policies:write',
  reviewer: 'operators:write',
} as const satisfies Record<string, Scope>

type SetupStep = keyof typeof STEPS
const SETUP_STEPS = Object.keys(STEPS) as readonly SetupStep[]

const stepsFor = (scopes: readonly Scope[]): readonly SetupStep[] => SETUP_STEPS.filter((step) => scopes.includes(STEPS[step]))

const MAX_OPERATORS = 500

/** In the demo's Workspace only what was created after the demo is a step of its operators. */
export async function readSetup(db: Db, workspaceId: string): Promise<Readonly<Record<SetupStep, boolean>> | undefined> {
  const id = uuidOfWorkspace(workspaceId)
  // Of the id, because a demo with a history was seeded as of a month ago.
  const createdAt = timeOfUuid(id)
  const isDemo = sql<boolean>`workspace.settings ->> 'issuer' is not distinct from ${DEMO_ISSUER}`
  const isOwn = (table: 'provider' | 'application' | 'policy_set' | 'knowledge_collection') =>
    sql<boolean>`(not ${isDemo} or ${sql.ref(`${table}.created_at`)} > ${createdAt})`
  const row = await db
    .selectFrom('workspace')
    .where('workspace.id', '=', id)
    .select(({ exists, selectFrom, and, or }) => {
      const hasOwn = (table: 'application' | 'policy_set') =>
        exists(selectFrom(table).select(`${table}.id`).where(`${table}.workspace_id`, '=', id).where(isOwn(table)))
      const providers = selectFrom('provider').select('provider.id').where('provider.workspace_id', '=', id)
      const collections = selectFrom('knowledge_collection')
        .select('knowledge_collection.id')
        .where('knowledge_collection.workspace_id', '=', id)
        .where('removed_at', 'is', null)
      const rememberers = selectFrom('application')
        .select('application.id')
        .where('application.workspace_id', '=', id)
        .where(sql<boolean>`application.settings -> 'memory' ->> 'enabled' = 'true'`)
      const keys = selectFrom('api_key').select('api_key.id').where('api_key.workspace_id', '=', id)
      const usage = selectFrom('audit_usage_value').select('value').where('audit_usage_value.workspace_id', '=', id)
      return [
        exists(providers.where('kind', '<>', 'stub').where(isOwn('provider'))).as('provider'),
        hasOwn('application').as('application'),
        or([exists(keys.where('last_used_at', '>', createdAt)), exists(usage.where(sql<boolean>`not ${isDemo}`))]).as('request'),
        and([exists(collections.where(isOwn('knowledge_collection'))), exists(rememberers.where(isOwn('application')))]).as(
          'knowledge',
        ),
        hasOwn('policy_set').as('policy'),
      ]
    })
    .executeTakeFirst()
  return row && ({ ...row, reviewer: await hasReviewer(db, workspaceId) } as Record<SetupStep, boolean>)
}

/** Whether a second operator, besides the demo's reviewer, can decide in the Workspace on what the first one asks for. */
async function hasReviewer(db: Db, workspaceId: string): Promise<boolean> {
  const { data } = await listPeople(db, { limit: MAX_OPERATORS }, workspaceId)
  return data.filter((person) => person.email !== DEMO_REVIEWER_EMAIL && isReviewer(person, workspaceId)).length > 1
}

const isSetupDismissed = (db: Db, workspaceId: string, operatorId: string): Promise<boolean> =>
  db
    .selectFrom('setup_dismissal')
    .select('operator_id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('operator_id', '=', operatorId)
    .$call(hasRow)

async function dismissSetup(db: Db, workspaceId: string, operatorId: string, now: Date): Promise<void> {
  await db
    .insertInto('setup_dismissal')
    .values({ workspace_id: uuidOfWorkspace(workspaceId), operator_id: operatorId, dismissed_at: now })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'operator_id']).doNothing())
    .execute()
}

const SetupView = Type.Object({
  object: Type.Literal('setup'),
  base_url: nullable(
    Type.String({ description: 'The public URL of this server, to which clients append `/v1`. null: it is not configured.' }),
  ),
  is_demo: Type.Boolean({ description: 'Whether the Workspace is the demo, which an owner can remove.' }),
  dismissed: Type.Boolean({ description: 'Whether the operator has dismissed the checklist.' }),
  steps: Type.Array(Type.Object({ id: oneOf(SETUP_STEPS), done: Type.Boolean() }), {
    description: "The steps that the operator's scopes allow. Objects of the demo do not count.",
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
