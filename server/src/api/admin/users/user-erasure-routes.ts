import { ACCESS_TOKENS_TOPIC } from '../../../domains/messaging/people/member.ts'
import { eraseUser, eraseUserContent } from '../../../domains/messaging/retention/erase-user.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import { notFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const DESCRIPTION =
  'Permanently erases profile, tokens, memories, messages, reactions, files, saved views and stored budget alerts of this user. Audit records keep keyed hashes. The member who ' +
  "joined first becomes the owner of the user's groups. In direct conversations the other member keeps their own messages. A " +
  'valid user token creates the user again, without their former data.'

interface Deps extends ChangeDeps {
  /** Deletes the saved views that filter by the user or search for them. Needs the user's profile. */
  readonly eraseViewsOfUser: (tx: Tx, workspaceId: string, userId: string) => Promise<unknown>
}

export function userErasureRoutes(app: TypedApp, deps: Deps): void {
  const docs = inWorkspace('DELETE /users/:id', 'eraseUser', 'Erase a user and all their data', {
    scope: 'people:write',
    description: DESCRIPTION,
    answers: { 204: null },
    errors: { 404: 'NOT_FOUND: the user, or the Workspace' },
  })

  handle(app, docs, async (request, reply) => {
    const { workspaceId, params, log } = request
    const erasure = await change(deps, request, async (tx, now) => {
      const value = { workspaceId, userId: params.id, erasedAt: now }
      if (!isStorable(params.id)) throw notFound('user')
      await deps.eraseViewsOfUser(tx, workspaceId, params.id)
      if (!(await eraseUser(tx, value, request.base))) throw notFound('user')
      return {
        value,
        action: 'user.erase',
        id: (hasher) => hasher.user(params.id) ?? '',
        announce: [ACCESS_TOKENS_TOPIC, params.id],
      }
    })
    // The erasure is committed. If a step fails now, a job repeats it.
    await eraseUserContent(deps.db, erasure, deps.clock.now()).catch((err) =>
      log.error({ err }, 'part of the data of an erased user is not erased yet; a job repeats it'),
    )
    return reply.status(204).send()
  })
}
