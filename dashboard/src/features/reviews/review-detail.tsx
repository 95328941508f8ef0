import { Badge, Group, Paper, Stack, VisuallyHidden } from '@mantine/core'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { findingCounts, findingLabel } from '../../ui/finding-labels.ts'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { Approvals } from './approvals.tsx'
import { asDecided } from './as-decided.ts'
import { AskButton } from './ask-button.tsx'
import { Assignment } from './assignment.tsx'
import { Content } from './content.tsx'
import { DecisionForm } from './decision-form.tsx'
import { ExtendButton } from './extend-button.tsx'
import { ReviewHistory } from './history.tsx'
import { OtherRequests } from './other-requests.tsx'
import { Outcome } from './outcome.tsx'
import { Question } from './question.tsx'
import classes from './queue.module.css'
import { Reasons, useItemPolicy } from './reasons.tsx'
import { RequestDetails } from './request-details.tsx'
import { type HeldContent, type Mark, type ReviewItem, titleKey } from './review-item.ts'
import { useUnsentDecisions } from './unsent-decisions.ts'

interface ReviewDetailProps {
  readonly id: string
  /** Item of the queue, shown without the scope reviews:content. */
  readonly listed: ReviewItem | undefined
  readonly onNext: (() => void) | undefined
  /** A decision opens the next item. */
  readonly opensNext: boolean
}

/** One review item. Its content is loaded once and never refreshed, because each reading is recorded. */
export function ReviewDetail({ id, listed, ...navigation }: ReviewDetailProps) {
  const { t } = useTranslation('reviews')
  const unsent = useUnsentDecisions()
  const canReadContent = useScopes().hasScope('reviews:content')
  const read = useRead('/admin/v1/reviews/{id}', { params: { path: { id } } }, { enabled: canReadContent, staleTime: 'static' })
  if (!canReadContent && listed)
    return <Item key={id} item={listed} content={undefined} expectedCost={undefined} marks={[]} {...navigation} />
  if (!canReadContent) {
    return <EmptyState title={t('item.notInQueue')}>{t('item.notInQueueHint')}</EmptyState>
  }
  if (hasStatus(read.error, 404)) {
    return <EmptyState title={t('item.notFound')}>{t('item.notFoundHint')}</EmptyState>
  }
  if (read.error) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <PageSkeleton />
  const { content, expected_cost, marks, ...item } = read.data
  return (
    <Item key={id} item={asDecided(item, unsent)} content={content} expectedCost={expected_cost} marks={marks} {...navigation} />
  )
}

/** An item must be visible and unchanged for this time before it can be decided. See decision 0021. */
const SETTLE_MS = 1_000

interface ItemProps extends Pick<ReviewDetailProps, 'onNext' | 'opensNext'> {
  readonly item: ReviewItem
  /** Null: erased. Undefined: the session may not read it. */
  readonly content: HeldContent | null | undefined
  readonly expectedCost: number | null | undefined
  readonly marks: readonly Mark[]
}

function Item({ item, content, expectedCost, marks, onNext, opensNext }: ItemProps) {
  const { t } = useTranslation('reviews')
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
        title={t(`reasons.${item.kind}`)}
        actions={
          <Group gap="xs">
            <Badge color={isPending ? 'yellow' : 'gray'}>{t(`states.${item.state}`)}</Badge>
            {isPending && <TimeLeft until={item.expires_at} />}
            <CopyButton value={linkOf(item)} label={t('item.link')} />
          </Group>
        }
      >
        <Group justify="space-between" align="flex-start" gap="xs">
          <Reasons item={item} policy={policy} />
          <Findings findings={item.findings} />
        </Group>
        <Question item={item} />
        <ReviewHistory item={item} />
      </Section>
      <Section title={t(titleKey(item))}>
        <Content item={item} content={content} marks={marks} />
      </Section>
      {isPending && hasScope('reviews:write') && (
        <Paper component="section" className={classes.decision ?? ''} withBorder p="sm" aria-label={t('decision.title')}>
          {/* Hidden, because the box covers part of the text. */}
          <VisuallyHidden>
            <h2>{t('decision.title')}</h2>
          </VisuallyHidden>
          <Approvals item={item} />
          <DecisionForm item={item} ready={settled} onDecided={() => opensNext && onNext?.()} />
        </Paper>
      )}
      {!isPending && <Outcome item={item} onNext={onNext} />}
      <Section title={t('request.title')}>
        {isPending && hasScope('reviews:write') && (
          <Group gap="xs" align="end">
            <Assignment item={item} />
            <ExtendButton item={item} />
            <AskButton item={item} />
          </Group>
        )}
        <RequestDetails item={item} expectedCost={expectedCost} />
        <OtherRequests item={item} />
      </Section>
    </Stack>
  )
}

/** Without the filters of the queue. It keeps the Workspace. */
function linkOf({ id, workspace_id }: ReviewItem): string {
  const { origin } = window.location
  return `${origin}/dashboard/reviews/${id}?${new URLSearchParams({ workspace: workspace_id })}`
}

function Findings({ findings }: Pick<ReviewItem, 'findings'>) {
  const { t } = useTranslation('reviews')
  const counts = findingCounts(findings)
  if (counts.length === 0) return null
  return (
    <Group gap="xs" aria-label={t('item.findings')} role="group">
      {counts.map(([type, count]) => (
        <Badge key={type} variant="outline" color="gray">
          {findingLabel(type)} × {count}
        </Badge>
      ))}
    </Group>
  )
}
