import type { FastifyRequest } from 'fastify'
import type { KeyedHasher } from '../../../domains/audit/record/hashes.ts'
import {
  type Assistant,
  AssistantCreate,
  AssistantPatch,
  AssistantView,
  assistantView,
} from '../../../domains/messaging/assistants/assistant.ts'
import {
  type AssistantChange,
  createAssistant,
  findAssistant,
  listAssistants,
  updateAssistant,
} from '../../../domains/messaging/assistants/assistant-store.ts'
import { type FieldContext, governFields } from '../../../domains/messaging/governance/governed-fields.ts'
import type { GovernTextDeps } from '../../../domains/messaging/governance/governed-text.ts'
import { emitContact } from '../../../domains/messaging/people/contact-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { accepted, conflict, invalid, notFound } from '../../../shared/request-errors.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { ChangeDeps } from '../kit/change.ts'
import type { Asked, Outcome } from '../kit/noun.ts'
import { resource } from '../kit/resource.ts'

const NO_APPLICATION = { 404: 'NOT_FOUND: the assistant, the Application, or the Workspace' }
const REFUSED = { ...NO_APPLICATION, 409: 'CONFLICT: the Application is archived, or the id or username is taken' }

/** An assistant is a user, so audit records contain its keyed hash. */
const auditIdOf =
  ({ id }: Assistant) =>
  (hasher: KeyedHasher): string =>
    hasher.user(id) ?? ''

export function assistantsRoutes(app: TypedApp, deps: ChangeDeps & GovernTextDeps): void {
  const govern = async <U extends string | undefined>(request: Asked<AssistantPatch>, username: U, id?: string) => {
    const { display_name: displayName, avatar_url: avatarUrl } = request.body
    const { fields, settle } = accepted(
      await governFields(deps, operatorAuthor(request, deps), { username, displayName, avatarUrl, id }),
    )
    return { governed: { username: fields.username, display_name: fields.displayName, avatar_url: fields.avatarUrl }, settle }
  }
  resource(app, deps, {
    noun: 'assistant',
    path: '/assistants',
    area: 'messaging',
    view: AssistantView,
    show: (rows: readonly Assistant[]) => rows.map(assistantView),
    taken: { id: 'User id', username: 'Username' },
    recordedId: auditIdOf,
    list: { summary: 'List assistants, by id', read: listAssistants },
    get: { errors: NO_APPLICATION, find: findAssistant },
    create: {
      description:
        "An assistant is a contact. Its Application answers messages in direct conversations and mentions in groups, with the Application's default model and settings and the active policies.",
      errors: REFUSED,
      body: AssistantCreate,
      prepare: async (request) => {
        const { workspaceId, body, base } = request
        const { governed, settle } = await govern(request, body.username, body.id)
        return async (tx, now) => {
          const result = await createAssistant(tx, workspaceId, { ...body, ...governed }, now)
          return announced(tx, 'contact.created', result, base, settle)
        }
      },
    },
    update: {
      description: 'Missing fields stay unchanged. null clears a field.',
      errors: REFUSED,
      body: AssistantPatch,
      prepare: async (request) => {
        const { workspaceId, params, body, base } = request
        const { governed, settle } = await govern(request, body.username)
        return async (tx, now) => {
          const result = await updateAssistant(tx, workspaceId, params.id, { ...body, ...governed }, now)
          return announced(tx, 'contact.updated', result, base, settle)
        }
      },
    },
  })
}

/** Announces the contact and records the decision on its texts, if the assistant was changed. */
async function announced(
  tx: Tx,
  event: 'contact.created' | 'contact.updated',
  result: AssistantChange,
  base: string,
  settle: (tx: Tx) => Promise<void>,
): Promise<Outcome<Assistant>> {
  if (result.ok) {
    const { assistant } = result
    await emitContact(tx, event, assistant.workspaceId, assistant.id, base)
    await settle(tx)
    return assistant
  }
  if (result.reason === 'no_application') throw notFound('Application')
  if (result.reason === 'archived')
    throw conflict(`The Application ${JSON.stringify(result.application)} is archived. Restore it, or choose another one.`, {
      param: 'application_id',
    })
  if (result.reason !== 'no_model') return { ok: false, reason: result.reason }
  const message = `has no default model. Choose one under Applications › ${result.application} › Settings`
  throw invalid({ param: 'application_id', message })
}

/** The operator as the author of texts that users read, for policies. */
export const operatorAuthor = (
  { workspaceId, operator }: Pick<FastifyRequest, 'workspaceId' | 'operator'>,
  { clock }: { readonly clock: Clock },
): FieldContext => ({ workspaceId, author: { ...ANONYMOUS_USER, id: operator.id, verified: true }, now: clock.now() })
