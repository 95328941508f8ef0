import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useSession } from '../../api/session.ts'
import { useNavigateWithin } from '../../routing/location.ts'
import { describeError } from '../../ui/describe-error.ts'
import { notifyFailure } from '../../ui/notify.ts'
import type { Decision, Verb } from './as-decided.ts'
import type { ReviewItem } from './review-item.ts'
import { UndoMessage } from './undo-message.tsx'
import { keepDecision, sendNow, type UnsentDecision, undoDecision } from './unsent-decisions.ts'
import { useRuleTitles } from './use-rule-titles.ts'
import { useSendDecision } from './use-send-decision.ts'
import { useUserText } from './use-user-text.ts'

interface Returned {
  readonly comment: string
  /** Why the operator may not decide, which only the server knows for accounts of the same person. */
  readonly refusal?: string
}

/** Items whose decision was undone or failed, by id, so that the comment is not lost. */
const returned = new Map<string, Returned>()

export const returnedDecision = (id: string): Returned | undefined => returned.get(id)

const messageId = ({ items }: Decision): string => `undo: ${items[0]?.id}`

/** Undoes a decision. A decision on one item opens it again. */
export function useUndo(): (decision: UnsentDecision | undefined) => void {
  const navigateWithin = useNavigateWithin()
  return (decision) => {
    if (!decision || !undoDecision(decision)) return
    const { items, comment } = decision
    notifications.hide(messageId(decision))
    for (const { id } of items) returned.set(id, { comment })
    const [first, ...others] = items
    if (first && others.length === 0) navigateWithin(`/reviews/${first.id}`)
  }
}

type Decide = (items: readonly ReviewItem[], verb: Verb, comment: string) => void

/** Decides on one item, or on several escalations. The decision is sent when the time to undo it has passed. */
export function useDecide(items: readonly ReviewItem[]): Decide {
  const { t } = useTranslation('reviews')
  const by = useSession().data?.operator.id ?? ''
  const nameOf = useDecisionName(items, t)
  const sendDecision = useSendDecision()
  const undo = useUndo()
  const queries = useQueryClient()
  return (decided, verb, comment) => {
    const decision = { items: decided, verb, comment: comment.trim(), by, at: new Date().toISOString() }
    const name = nameOf(decided)
    const send = async () => {
      notifications.hide(messageId(decision))
      try {
        await sendDecision(decision, queries)
        for (const { id } of decided) returned.delete(id)
      } catch (error) {
        const { message, requestId } = describeError(error)
        const refusal = hasStatus(error, 403) ? { refusal: message } : {}
        for (const { id } of decided) returned.set(id, { comment: decision.comment, ...refusal })
        notifyFailure(t(`undo.failed.${verb}`, { name }), message, requestId)
      }
    }
    const kept = keepDecision(decision, send)
    if (!kept || kept.sending) return
    notifications.show({
      id: messageId(decision),
      color: 'gray',
      autoClose: false,
      withCloseButton: false,
      message: (
        <UndoMessage text={t(`undo.done.${verb}`, { name })} onUndo={() => undo(kept)} onSend={() => void sendNow(kept)} />
      ),
    })
  }
}

/** Names the items of a decision, because several decisions can wait at a time. */
function useDecisionName(items: readonly ReviewItem[], t: TFunction<'reviews'>) {
  const titleOf = useRuleTitles(items)
  const userText = useUserText()
  return ([first, ...others]: readonly ReviewItem[]): string => {
    if (!first || others.length > 0) return t('undo.several', { count: others.length + 1 })
    return t('undo.name', { title: titleOf(first), user: userText(first) })
  }
}
