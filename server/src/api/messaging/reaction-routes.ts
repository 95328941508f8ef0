import { MessageView } from '../../domains/messaging/messages/message.ts'
import { emitMessageUpdated, lockMessage } from '../../domains/messaging/messages/message-store.ts'
import { loadMessageView } from '../../domains/messaging/messages/message-views.ts'
import { checkReactionName, tooManyNames } from '../../domains/messaging/messages/reaction.ts'
import { addReaction, removeReaction } from '../../domains/messaging/messages/reaction-store.ts'
import { prepareReaction } from '../../domains/messaging/messages/update-message.ts'
import { notFound, requireFound } from '../../shared/refusals.ts'
import { type Route, writeRoute } from './route.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the message does not exist, or the caller is not a member of its conversation' }

/** Routes of the caller's reactions. A reaction does not change the time of the message's last update. */
export const reactionRoutes: readonly Route[] = [
  writeRoute({
    target: 'PUT /v1/messages/:id/reactions/:name',
    docs: {
      operationId: 'addReaction',
      summary: 'Add a reaction to a message',
      description: 'Rule: MSG-REACT-4.',
      answers: { 200: MessageView },
      errors: { ...UNKNOWN, 403: 'POLICY_DENIED, with audit_id' },
    },
    prepare: ({ member, params, now }, deps) =>
      prepareReaction(deps, member, params.id ?? '', checkReactionName(params.name ?? ''), now),
    write: async (tx, { member, params, base, now }, { name, governed }) => {
      const message = requireFound(await lockMessage(tx, member, params.id ?? ''), 'message')
      const result = await addReaction(tx, member, message, name, now)
      if (result === 'too_many_names') throw tooManyNames()
      if (result === 'added') await emitMessageUpdated(tx, message, undefined)
      const body = await loadMessageView(tx, message, base)
      await governed.settle(tx)
      return { status: 200, body }
    },
  }),
  writeRoute({
    target: 'DELETE /v1/messages/:id/reactions/:name',
    docs: {
      operationId: 'removeReaction',
      summary: "Remove the caller's reaction",
      description: 'Rule: MSG-REACT-4.',
      answers: { 204: null },
      errors: { 404: "NOT_FOUND: the message or the caller's reaction does not exist" },
    },
    write: async (tx, { member, params }) => {
      const message = requireFound(await lockMessage(tx, member, params.id ?? ''), 'message')
      if (!(await removeReaction(tx, member, message, params.name ?? ''))) throw notFound('reaction')
      await emitMessageUpdated(tx, message, undefined)
      return { status: 204, body: undefined }
    },
  }),
]
