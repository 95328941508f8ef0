import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useAll } from '../../api/queries.ts'
import type { ReviewItem as Review } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { oneOf } from '../../routing/location.ts'
import { Link } from '../../ui/link.tsx'
import { OutcomeBadge } from '../../ui/outcome.tsx'
import classes from './conversations.module.css'
import { dismissHeldMessage, type HeldMessage, heldKey } from './held-message-cache.ts'
import { useMember } from './member-context.ts'

const PENDING = { params: { query: { state: 'pending', kind: 'hold' } } } as const

/** Held messages of the conversation, with the decisions of reviewers. */
export function HeldMessages({ conversationId }: { readonly conversationId: string }) {
  const { userId } = useMember()
  const { data: notes = [] } = useQuery<readonly HeldMessage[]>({
    queryKey: heldKey(userId, conversationId),
    queryFn: () => [],
    enabled: false,
  })
  const reviews = useAll('/admin/v1/reviews', PENDING, { enabled: useScopes().hasScope('reviews:read'), staleTime: 0 })
  const fromQueue = (reviews.items ?? [])
    .filter(({ id, session_id: session }) => session === conversationId && !notes.some((note) => note.reviewItemId === id))
    .map((review) => ({ reviewItemId: review.id, state: 'pending', text: null, ...originOf(review, userId) }))
  return [...fromQueue, ...notes.map((note) => ({ ...note, own: true, subject: 'own' as const }))].map((held) => (
    <Held key={held.reviewItemId} {...held} conversationId={conversationId} />
  ))
}

/** Origin of a message that another window or the assistant sent. */
function originOf({ endpoint, user_id: author }: Review, userId: string) {
  if (endpoint === 'message')
    return author === userId ? { own: true, subject: 'own' as const } : { own: false, subject: 'other' as const }
  return { own: false, subject: 'assistant' as const }
}

interface HeldProps extends HeldMessage {
  readonly own: boolean
  /** Key of the author in the catalogue. */
  readonly subject: 'own' | 'other' | 'assistant'
  readonly conversationId: string
}

const STATES = ['pending', 'denied', 'expired'] as const

function Held({ reviewItemId, state, text, own, subject, conversationId }: HeldProps) {
  const { t } = useTranslation('conversations')
  const { userId } = useMember()
  const queries = useQueryClient()
  const canReview = useScopes().hasScope('reviews:read')
  const known = oneOf(STATES, state)
  return (
    <div className={`${classes.message} ${own ? classes.own : ''}`}>
      <div className={`${classes.bubble} ${classes.held}`}>
        {text !== null && (
          <Text size="sm" className={classes.text ?? ''}>
            {text}
          </Text>
        )}
        <Group gap="xs">
          <OutcomeBadge outcome={state === 'denied' ? 'denied' : 'held'} />
          <Text size="sm">{known ? t(`held.${subject}.${known}`) : state}</Text>
          {canReview && (
            <Link to={`/reviews/${reviewItemId}`} size="sm">
              {t('held.openReview')}
            </Link>
          )}
          {state !== 'pending' && (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => dismissHeldMessage(queries, userId, conversationId, reviewItemId)}
            >
              {t('dismiss')}
            </Button>
          )}
        </Group>
      </div>
    </div>
  )
}
