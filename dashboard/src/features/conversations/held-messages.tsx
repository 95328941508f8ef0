import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { Verdict } from '../../ui/verdict.tsx'
import classes from './conversations.module.css'
import { forgetHeld, type HeldNote, heldKey } from './held-notes.ts'
import { useMember } from './member.ts'

type Review = ItemOf<'/admin/v1/reviews'>

const PENDING = { params: { query: { state: 'pending', kind: 'hold' } } } as const

/** What waits for a reviewer before it is said here, and what reviewers made of it. */
export function HeldMessages({ conversationId }: { readonly conversationId: string }) {
  const { userId } = useMember()
  const { data: notes = [] } = useQuery<readonly HeldNote[]>({
    queryKey: heldKey(userId, conversationId),
    queryFn: () => [],
    enabled: false,
  })
  const reviews = useAll('/admin/v1/reviews', PENDING, { enabled: useScopes().may('reviews:read'), staleTime: 0 })
  const elsewhere = (reviews.items ?? [])
    .filter(({ id, session_id: session }) => session === conversationId && !notes.some((note) => note.reviewItemId === id))
    .map((review) => ({ reviewItemId: review.id, state: 'pending', text: null, ...whatOf(review, userId) }))
  return [...elsewhere, ...notes.map((note) => ({ ...note, own: true, what: 'Your message' }))].map((held) => (
    <Held key={held.reviewItemId} {...held} conversationId={conversationId} />
  ))
}

/** Of what this window has not sent itself. */
function whatOf({ endpoint, user_id: author }: Review, userId: string) {
  if (endpoint === 'message') return author === userId ? { own: true, what: 'Your message' } : { own: false, what: 'A message' }
  return { own: false, what: "The assistant's answer" }
}

interface HeldProps extends HeldNote {
  readonly own: boolean
  readonly what: string
  readonly conversationId: string
}

const STATES: Readonly<Record<string, string>> = {
  pending: 'waits for a reviewer.',
  denied: 'was denied by a reviewer.',
  expired: 'was not decided on in time.',
}

function Held({ reviewItemId, state, text, own, what, conversationId }: HeldProps) {
  const { userId } = useMember()
  const queries = useQueryClient()
  const mayReview = useScopes().may('reviews:read')
  return (
    <div className={`${classes.message} ${own ? classes.own : ''}`}>
      <div className={`${classes.bubble} ${classes.held}`}>
        {text !== null && (
          <Text size="sm" className={classes.text ?? ''}>
            {text}
          </Text>
        )}
        <Group gap="xs">
          <Verdict verdict={state === 'denied' ? 'deny' : 'require_approval'} />
          <Text size="sm">
            {what} {STATES[state] ?? state}
          </Text>
          {mayReview && (
            <Link to={`/reviews/${reviewItemId}`} size="sm">
              Open the review
            </Link>
          )}
          {state !== 'pending' && (
            <Button size="compact-xs" variant="subtle" onClick={() => forgetHeld(queries, userId, conversationId, reviewItemId)}>
              Dismiss
            </Button>
          )}
        </Group>
      </div>
    </div>
  )
}
