import { Badge, Group, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { findingName, foundTypes } from '../../ui/finding-names.ts'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { HeldMessages } from './held-messages.tsx'
import { HeldParameters } from './held-parameters.tsx'
import { Judgement } from './judgement.tsx'
import { Outcome } from './outcome.tsx'
import { Reasons, useItemPolicy } from './reasons.tsx'
import { RecordLink } from './record-link.tsx'
import { askerOf, type HeldContent, type Mark, type ReviewItem, STATE_NAMES, subjectOf } from './review-item.ts'

interface ReviewDetailProps {
  readonly id: string
  /** As the queue has it, for those who may not read what is held. */
  readonly listed: ReviewItem | undefined
  readonly onNext: (() => void) | undefined
}

/** One item. Its content is read once, and that it was is on record. */
export function ReviewDetail({ id, listed, onNext }: ReviewDetailProps) {
  const readsContent = useScopes().may('reviews:content')
  const read = useRead(
    '/admin/v1/reviews/{id}',
    { params: { path: { id } } },
    { enabled: readsContent, staleTime: Number.POSITIVE_INFINITY },
  )
  if (!readsContent && listed) return <Item key={id} item={listed} content={undefined} marks={[]} onNext={onNext} />
  if (!readsContent) {
    return <EmptyState title="Not in this list">Choose it in the queue: what is held is shown to reviewers only.</EmptyState>
  }
  if (hasStatus(read.error, 404)) {
    return <EmptyState title="There is no such item">It may belong to another Workspace, or the link is incomplete.</EmptyState>
  }
  if (read.error) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <PageSkeleton />
  const { content, marks, ...item } = read.data
  return <Item key={id} item={item} content={content} marks={marks} onNext={onNext} />
}

/** For so long an item has to be on screen, unmoved, before it can be decided on. */
const SETTLE_MS = 1_000

interface ItemProps {
  readonly item: ReviewItem
  /** Null: erased. Undefined: not for this session. */
  readonly content: HeldContent | null | undefined
  readonly marks: readonly Mark[]
  /** Undefined: there is no other item. */
  readonly onNext: (() => void) | undefined
}

function Item({ item, content, marks, onNext }: ItemProps) {
  const { may } = useScopes()
  const waits = item.state === 'pending'
  const { policy, loading } = useItemPolicy(item)
  const settled = useSettled(loading ? undefined : item.state, SETTLE_MS)
  // What takes the place of the buttons takes no click at first: a second one was meant for a button.
  const opened = useRef(item.state)
  const justDecided = item.state !== opened.current && !settled
  return (
    <Stack inert={justDecided}>
      <Section
        title={subjectOf(item)}
        actions={
          <Group gap="xs">
            <Badge variant="light" color={waits ? 'yellow' : 'gray'} tt="none">
              {STATE_NAMES[item.state]}
            </Badge>
            {waits && <TimeLeft until={item.expires_at} />}
          </Group>
        }
      >
        {content && <HeldMessages content={content} marks={marks} />}
        {content === null && <Text c="dimmed">Its content has been erased, as it is on denial and when its time is up.</Text>}
        {content === undefined && <Text c="dimmed">What is held is shown to reviewers and auditors only.</Text>}
        <Findings findings={item.findings} />
      </Section>
      {content && <HeldParameters parameters={content.parameters} marks={marks} />}
      <Section title={item.kind === 'hold' ? 'Why it is held' : 'Why it is here'}>
        <Reasons item={item} policy={policy} />
      </Section>
      {waits && may('reviews:write') && (
        <Section title="Decision">
          <Judgement item={item} ready={settled} />
        </Section>
      )}
      {!waits && <Outcome item={item} onNext={onNext} />}
      <Section title="Who asked">
        <Origin item={item} />
      </Section>
    </Stack>
  )
}

function Findings({ findings }: Pick<ReviewItem, 'findings'>) {
  const found = foundTypes(findings)
  if (found.length === 0) return null
  return (
    <Group gap="xs" aria-label="Findings" role="group">
      {found.map(([type, count]) => (
        <Badge key={type} variant="outline" color="gray" tt="none">
          {findingName(type)} × {count}
        </Badge>
      ))}
    </Group>
  )
}

function Origin({ item }: { readonly item: ReviewItem }) {
  const { nameOf } = useApplicationNames()
  const { application_id, model, session_id, created_at, classification, risk_level, endpoint, audit_id } = item
  return (
    <Facts
      facts={[
        ['User', askerOf(item)],
        [
          'Application',
          application_id ? (
            <Link key="application" to={`/applications/${application_id}`}>
              {nameOf(application_id)}
            </Link>
          ) : (
            'a message between people'
          ),
        ],
        ['Asked', <Time key="time" at={created_at} />],
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
