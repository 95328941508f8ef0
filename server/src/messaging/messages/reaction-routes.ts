import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { notFound } from '../door/refusals.ts'
import { writeRoute } from '../door/route.ts'
import { MessageView } from './message.ts'
import { lockMessageFor, tellOfUpdate } from './message-store.ts'
import { oneMessageView } from './message-views.ts'
import { addReaction, checkedName, removeReaction } from './reactions.ts'
import { prepareReaction } from './update-message.ts'

const UNKNOWN = { 404: 'NOT_FOUND: no such message, or the caller is not in its conversation' }

/** What the caller alone reacts with. The message counts as it was: a reaction is no edit. */
export function reactionRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  writeRoute(app, deps, {
    method: 'PUT',
    path: '/v1/messages/:id/reactions/:name',
    docs: {
      operationId: 'addReaction',
      summary: 'React to a message',
      answers: { 200: MessageView },
      errors: { ...UNKNOWN, 403: 'POLICY_DENIED, with audit_id' },
    },
    prepare: ({ member, params, now }, deps) =>
      prepareReaction(deps, member, params.id ?? '', checkedName(params.name ?? ''), now),
    write: async (tx, { member, params, base, now }, { name, governed }) => {
      const message = await lockMessageFor(tx, member, params.id ?? '')
      if (!message) throw notFound('message')
      if (await addReaction(tx, member, message, name, now)) await tellOfUpdate(tx, message, undefined)
      const body = await oneMessageView(tx, message, base)
      await governed.settle(tx)
      return { status: 200, body }
    },
  })

  writeRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/messages/:id/reactions/:name',
    docs: {
      operationId: 'removeReaction',
      summary: "Take the caller's reaction back",
      answers: { 204: null },
      errors: { 404: 'NOT_FOUND: no such message, or the caller has not reacted so' },
    },
    write: async (tx, { member, params }) => {
      const message = await lockMessageFor(tx, member, params.id ?? '')
      if (!message) throw notFound('message')
      if (!(await removeReaction(tx, member, message, params.name ?? ''))) throw notFound('reaction')
      await tellOfUpdate(tx, message, undefined)
      return { status: 204, body: undefined }
    },
  })
}
