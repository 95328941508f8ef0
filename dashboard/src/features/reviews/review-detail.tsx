import { Badge, Group, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { DecisionForm } from './decision-form.tsx'
import { HeldMessages } from './held-messages.tsx'
import { HeldParameters } from './held-parameters.tsx'
import { Outcome } from './outcome.tsx'
import { Reasons, useItemPolicy } from './reasons.tsx'
import { RecordLink } from './record-link.tsx'
import { type HeldContent, type Mark, type ReviewItem, STATE_NAMES, titleOf, userOf } from './review-item.ts'

interface ReviewDetailProps {
  readonly id: string
  /** Item of the queue, shown without the scope reviews:content. */
  readonly listed: ReviewItem | undefined
  readonly onNext: (() => void) | undefined
}

/** One review item. Its content is loaded once, because each reading is recorded. */
export function ReviewDetail({ id, listed, onNext }: ReviewDetailProps) {
  const canReadContent = useScopes().hasScope('reviews:content')
  const read = useRead(
    '/admin/v1/reviews/{id}',
    { params: { path: { id } } },
    { enabled: canReadContent, staleTime: Number.POSITIVE_INFINITY },
  )
  if (!canReadContent && listed) return <Item key={id} item={listed} content={undefined} marks={[]} onNext={onNext} />
  if (!canReadContent) {
    return <EmptyState title="Item not in the queue">Select an item in the queue.</EmptyState>
  }
  if (hasStatus(read.error, 404)) {
    return <EmptyState title="Review item not found">It belongs to another Workspace, or the link is incomplete.</EmptyState>
  }
  if (read.error) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <PageSkeleton />
  const { content, marks, ...item } = read.data
  return <Item key={id} item={item} content={content} marks={marks} onNext={onNext} />
}

/** An item must be visible and unchanged for this time before it can be decided. See decision 0021. */
const SETTLE_MS = 1_000

interface ItemProps {
  readonly item: ReviewItem
  /** Null: erased. Undefined: the session may not read it. */
  readonly content: HeldContent | null | undefined
  readonly marks: readonly Mark[]
  /** Undefined: no further item. */
  readonly onNext: (() => void) | undefined
}

function Item({ item, content, marks, onNext }: ItemProps) {
  const { hasScope } = useScopes()
  const isPending = item.state === 'pending'
  const { policy, loading } = useItemPolicy(item)
  const settled = useSettled(loading ? undefined : item.state, SETTLE_MS)
  // The outcome ignores clicks at first, because a second click was meant for a button.
  const initialState = useRef(item.state)
  const justDecided = item.state !== initialState.current && !settled
  return (
    <Stack inert={justDecided}>
      <Section
        title={titleOf(item)}
        actions={
          <Group gap="xs">
            <Badge color={isPending ? 'yellow' : 'gray'}>{STATE_NAMES[item.state]}</Badge>
            {isPending && <TimeLeft until={item.expires_at} />}
          </Group>
        }
      >
        {content && <HeldMessages content={content} marks={marks} />}
        {content === null && <Text c="dimmed">The content was erased after denial or expiry.</Text>}
        {content === undefined && <Text c="dimmed">Only reviewers and auditors can see the content.</Text>}
        <Findings findings={item.findings} />
      </Section>
      {content && <HeldParameters parameters={content.parameters} marks={marks} />}
      <Section title={item.kind === 'hold' ? 'Reason for the hold' : 'Reason for the escalation'}>
        <Reasons item={item} policy={policy} />
      </Section>
      {isPending && hasScope('reviews:write') && (
        <Section title="Decision">
          <DecisionForm item={item} ready={settled} />
        </Section>
      )}
      {!isPending && <Outcome item={item} onNext={onNext} />}
      <Section title="Request">
        <RequestDetails item={item} />
      </Section>
    </Stack>
  )
}

function Findings({ findings }: Pick<ReviewItem, 'findings'>) {
  const counts = findingCounts(findings)
  if (counts.length === 0) return null
  return (
    <Group gap="xs" aria-label="Findings" role="group">
      {counts.map(([type, count]) => (
        <Badge key={type} variant="outline" color="gray">
          {findingLabel(type)} × {count}
        </Badge>
      ))}
    </Group>
  )
}

function RequestDetails({ item }: { readonly item: ReviewItem }) {
  const { nameOf } = useApplicationNames()
  const { application_id, model, session_id, created_at, classification, risk_level, endpoint, audit_id } = item
  return (
    <DescriptionList
      items={[
        ['User', userOf(item)],
        [
          'Application',
          application_id ? (
            <Link key="application" to={`/applications/${application_id}`}>
              {nameOf(application_id)}
            </Link>
          ) : (
            'None (message between users)'
          ),
        ],
        ['Received', <Time key="time" at={created_at} />],
        ['Model', model],
        ['Session', session_id],
        ['Endpoint', endpoint],
        ['Classification', <Level key="classification" level={classification} />],
        ['Risk', <Level key="risk" level={risk_level} />],
        ['Record', <RecordLink key="record" id={audit_id} />],
      ]}
    />
  )
}
