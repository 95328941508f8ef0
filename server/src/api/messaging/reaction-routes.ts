import { MessageView } from '../../domains/messaging/messages/message.ts'
import { emitMessageUpdated, lockMessage } from '../../domains/messaging/messages/message-store.ts'
import { loadMessageView } from '../../domains/messaging/messages/message-views.ts'
import { refuseNames, tooManyNames } from '../../domains/messaging/messages/reaction.ts'
import { addReaction, removeReaction } from '../../domains/messaging/messages/reaction-store.ts'
import { prepareReaction } from '../../domains/messaging/messages/update-message.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { refuseUnknown } from '../../shared/refusal.ts'
import { requireFound } from '../../shared/request-errors.ts'
import type { TypedApp } from '../kit/route.ts'
import { operation, UNKNOWN_MESSAGE } from './operation.ts'
import { handlePrepared, handleWrite } from './write.ts'

const docs = {
  addReaction: operation('PUT /v1/messages/:id/reactions/:name', 'addReaction', {
    summary: 'Add a reaction to a message',
    description: 'Rule: MSG-REACT-4.',
    answers: { 200: MessageView },
    errors: { ...UNKNOWN_MESSAGE, 403: 'POLICY_DENIED, with audit_id' },
  }),
  removeReaction: operation('DELETE /v1/messages/:id/reactions/:name', 'removeReaction', {
    summary: "Remove the caller's reaction",
    description: 'Rule: MSG-REACT-4.',
    answers: { 204: null },
    errors: { 404: "NOT_FOUND: the message or the caller's reaction does not exist" },
  }),
}

/** Routes of the caller's reactions. A reaction does not change the time of the message's last update. */
export function reactionRoutes(app: TypedApp, deps: MessagingDeps): void {
  handlePrepared(app, deps, docs.addReaction, {
    prepare: async ({ member, params: { id, name }, now }) =>
      refuseNames([name]) ?? (await prepareReaction(deps, member, id, name, now)),
    write: async (tx, { member, params, base, now }, { name, governed }) => {
      const message = requireFound(await lockMessage(tx, member, params.id), 'message')
      const result = await addReaction(tx, member, message, name, now)
      if (result === 'too_many_names') return tooManyNames()
      if (result === 'added') await emitMessageUpdated(tx, message, undefined)
      const body = await loadMessageView(tx, message, base)
      await governed.settle(tx)
      return { status: 200, body }
    },
  })

  handleWrite(app, deps, docs.removeReaction, async (tx, { member, params }) => {
    const message = requireFound(await lockMessage(tx, member, params.id), 'message')
    if (!(await removeReaction(tx, member, message, params.name))) return refuseUnknown('reaction')
    await emitMessageUpdated(tx, message, undefined)
    return { status: 204 }
  })
}
