import type { NotNull } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPage } from '../../../platform/db/page.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import type { ApplicationRecord } from '../../identity/application.ts'
import { lockApplication } from '../../identity/application-store.ts'
import { createUser, updateUser } from '../../identity/user-store.ts'
import { ASSISTANT_ROLE, type Assistant, type AssistantCreate, type AssistantPatch } from './assistant.ts'

export type AssistantChange =
  | { readonly ok: true; readonly assistant: Assistant }
  | { readonly ok: false; readonly reason: 'not_found' | 'no_application' | 'id_taken' | 'username_taken' }
  /** The Application has no default model or is archived, so the assistant could not answer. */
  | { readonly ok: false; readonly reason: 'no_model' | 'archived'; readonly application: string }

interface ProfileFields {
  readonly username?: GovernedString | undefined
  readonly display_name?: GovernedString | null | undefined
  readonly avatar_url?: GovernedString | null | undefined
}
export type NewAssistant = Omit<AssistantCreate, keyof ProfileFields> & ProfileFields & { readonly username: GovernedString }
export type ChangedAssistant = Omit<AssistantPatch, keyof ProfileFields> & ProfileFields

function problemOf(application: ApplicationRecord | undefined): Exclude<AssistantChange, { ok: true }> | undefined {
  if (!application) return { ok: false, reason: 'no_application' }
  if (application.archivedAt) return { ok: false, reason: 'archived', application: application.name }
  return application.defaultModel === null ? { ok: false, reason: 'no_model', application: application.name } : undefined
}

export async function createAssistant(tx: Tx, workspaceId: string, create: NewAssistant, now: Date): Promise<AssistantChange> {
  const application = await lockApplication(tx, workspaceId, create.application_id)
  const problem = problemOf(application)
  if (!application || problem) return problem ?? { ok: false, reason: 'no_application' }
  const { id, username } = create
  const created = await createUser(tx, workspaceId, { ...(id !== undefined && { id }), username, role: ASSISTANT_ROLE }, now)
  if (!created.ok) return created
  await tx
    .insertInto('contact_profile')
    .values({
      workspace_id: uuidOf('ws', workspaceId),
      user_id: created.user.id,
      display_name: create.display_name ?? null,
      phone_number: '' as const,
      avatar_url: create.avatar_url ?? null,
      application_id: uuidOf('app', application.id),
      last_active_at: null,
    })
    .execute()
  return toChange(await findAssistant(tx, workspaceId, created.user.id))
}

export async function updateAssistant(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: ChangedAssistant,
  now: Date,
): Promise<AssistantChange> {
  if (!(await findAssistant(tx, workspaceId, id))) return { ok: false, reason: 'not_found' }
  const { username, application_id: applicationId, display_name: displayName, avatar_url: avatarUrl } = patch
  const problem = applicationId === undefined ? undefined : problemOf(await lockApplication(tx, workspaceId, applicationId))
  if (problem) return problem
  const renamed = await updateUser(tx, workspaceId, id, { ...(username !== undefined && { username }) }, now)
  if (!renamed.ok) return renamed
  const fields = {
    application_id: applicationId && uuidOf('app', applicationId),
    display_name: displayName,
    avatar_url: avatarUrl,
  }
  if (Object.values(fields).some((value) => value !== undefined)) {
    await tx
      .updateTable('contact_profile')
      .set(fields)
      .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), user_id: id }))
      .execute()
  }
  return toChange(await findAssistant(tx, workspaceId, id))
}

export async function findAssistant(db: Db, workspaceId: string, id: string): Promise<Assistant | undefined> {
  if (!isStorable(id)) return undefined
  return assistants(db, workspaceId).where('user.id', '=', id).$call(takeFirst(toAssistant))
}

/** In the order of ids. Undefined when the cursor cannot be an id. */
export async function listAssistants(db: Db, workspaceId: string, page: PageRequest): Promise<Page<Assistant> | undefined> {
  if (!isStorable(page.after ?? '')) return undefined
  const place = page.after === undefined ? undefined : [page.after]
  return readPage(assistants(db, workspaceId), page, { by: ['user.id'], place }, toAssistant)
}

const toChange = (assistant: Assistant | undefined): AssistantChange =>
  assistant ? { ok: true, assistant } : { ok: false, reason: 'not_found' }

const assistants = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspace_user as user')
    .innerJoin('contact_profile as profile', (join) =>
      join.onRef('profile.workspace_id', '=', 'user.workspace_id').onRef('profile.user_id', '=', 'user.id'),
    )
    .innerJoin('application', (join) =>
      join.onRef('application.id', '=', 'profile.application_id').onRef('application.workspace_id', '=', 'profile.workspace_id'),
    )
    .where('user.workspace_id', '=', uuidOf('ws', workspaceId))
    .where('profile.application_id', 'is not', null)
    .select(['user.id', 'user.workspace_id', 'user.username', 'user.created_at'])
    .select(['profile.display_name', 'profile.avatar_url', 'profile.application_id'])
    .select('application.archived_at as application_archived_at')
    .$narrowType<{ application_id: NotNull }>()

type Row = Awaited<ReturnType<ReturnType<typeof assistants>['executeTakeFirstOrThrow']>>

const toAssistant = (row: Row): Assistant => fromRow(row, { workspace_id: 'ws', application_id: 'app' })
