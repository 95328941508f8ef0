import { isStorable } from '../applications/shapes.ts'
import { ACCESS_TOKENS_TOPIC } from '../messaging/people/member-authenticator.ts'
import { eraseTraces } from '../messaging/retention/erase-traces.ts'
import { eraseUser } from '../messaging/retention/erase-user.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { notFound } from './refusals.ts'
import { pathOf } from './shapes.ts'

const DESCRIPTION =
  'With profile, tokens, memories, messages, reactions and files, for good; audit records keep keyed hashes. Groups of their own ' +
  'go to who has been there for longest. In direct conversations the other side keeps what it has said. A user token of the ' +
  "Workspace's own keys still brings its user back, as a new one."

/** For people who want to be forgotten. */
export function userErasureRoutes(app: AdminApp, deps: AdminDeps): void {
  const schema = inWorkspace('eraseUser', 'Erase a user with all that is theirs', {
    scope: 'people:write',
    description: DESCRIPTION,
    query: {},
    params: pathOf('id'),
    answers: { 204: null },
    errors: { 404: 'NOT_FOUND: the user, or the Workspace' },
  })

  app.delete('/users/:id', { schema }, async (request, reply) => {
    const { workspaceId, params, log } = request
    const erasure = await change(deps, request, async (tx, now) => {
      const value = { workspaceId, userId: params.id, erasedAt: now }
      if (!isStorable(params.id) || !(await eraseUser(tx, value, request.base))) throw notFound('user')
      return {
        value,
        action: 'user.erase',
        id: (hasher) => hasher.user(params.id) ?? '',
        announce: [ACCESS_TOKENS_TOPIC, params.id],
      }
    })
    // It is decided: what fails now, a job does in a moment.
    await eraseTraces(deps.db, erasure, deps.clock.now()).catch((err) => log.error({ err }, 'a user is erased in part so far'))
    return reply.status(204).send()
  })
}
