import { listPeople } from '../../../domains/operators/operator-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import type { Scope } from '../../../shared/scope.ts'
import { isReviewer } from '../reviews/reviewer.ts'

/** The steps of the setup checklist in their order, each with the scope that it needs. */
const STEPS = {
  provider: 'providers:write',
  application: 'applications:write',
  request: 'applications:write',
  policy: 'policies:write',
  reviewer: 'operators:write',
} as const satisfies Record<string, Scope>

export type SetupStep = keyof typeof STEPS
export const SETUP_STEPS = Object.keys(STEPS) as readonly SetupStep[]

export const stepsFor = (scopes: readonly Scope[]): readonly SetupStep[] =>
  SETUP_STEPS.filter((step) => scopes.includes(STEPS[step]))

const MAX_OPERATORS = 500

export async function readSetup(db: Db, workspaceId: string): Promise<Readonly<Record<SetupStep, boolean>> | undefined> {
  const id = uuidOfWorkspace(workspaceId)
  const row = await db
    .selectFrom('workspace')
    .where('workspace.id', '=', id)
    .select(({ exists, selectFrom, or }) => [
      exists(selectFrom('provider').select('provider.id').where('provider.workspace_id', '=', id).where('kind', '<>', 'stub')).as(
        'provider',
      ),
      exists(selectFrom('application').select('application.id').where('application.workspace_id', '=', id)).as('application'),
      or([
        exists(
          selectFrom('api_key').select('api_key.id').where('api_key.workspace_id', '=', id).where('last_used_at', 'is not', null),
        ),
        exists(selectFrom('audit_usage_value').select('value').where('audit_usage_value.workspace_id', '=', id)),
      ]).as('request'),
      exists(selectFrom('policy_set').select('policy_set.id').where('policy_set.workspace_id', '=', id)).as('policy'),
    ])
    .executeTakeFirst()
  return row && ({ ...row, reviewer: await hasReviewer(db, workspaceId) } as Record<SetupStep, boolean>)
}

/** Whether a second operator can decide in the Workspace on what the first one asks for. */
async function hasReviewer(db: Db, workspaceId: string): Promise<boolean> {
  const { data } = await listPeople(db, { limit: MAX_OPERATORS }, workspaceId)
  return data.filter((person) => isReviewer(person, workspaceId)).length > 1
}

export async function isSetupDismissed(db: Db, workspaceId: string, operatorId: string): Promise<boolean> {
  const row = await db
    .selectFrom('setup_dismissal')
    .select('operator_id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('operator_id', '=', operatorId)
    .executeTakeFirst()
  return row !== undefined
}

export async function dismissSetup(db: Db, workspaceId: string, operatorId: string, now: Date): Promise<void> {
  await db
    .insertInto('setup_dismissal')
    .values({ workspace_id: uuidOfWorkspace(workspaceId), operator_id: operatorId, dismissed_at: now })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'operator_id']).doNothing())
    .execute()
}
