import { Badge, Box, Button, Group, SegmentedControl, Text } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { oneOf, textOf, useFilters } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

type Delivery = ItemOf<'/admin/v1/webhooks/{id}/deliveries'>

const STATES = ['pending', 'delivered', 'dead'] as const
const STATE_LABELS = { pending: 'Pending', delivered: 'Delivered', dead: 'Failed' } as const
const COLORS = { pending: 'yellow', delivered: 'green', dead: 'red' }
const STATE_FILTERS = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Failed' },
]
const REFRESH = ['/admin/v1/webhooks/{id}/deliveries']
const REFETCH_MS = 5_000

const readFilters = ({ state }: Readonly<Record<string, unknown>>) => ({ state: oneOf(STATES, textOf(state)) })

interface DeliveriesSectionProps {
  readonly webhookId: string
  readonly canReplay: boolean
}

/** Deliveries of a webhook, newest first, with attempts and last response. */
export function DeliveriesSection({ webhookId, canReplay }: DeliveriesSectionProps) {
  const [{ state }, setFilters] = useFilters(readFilters)
  const query = state ? { state } : {}
  const params = { path: { id: webhookId }, query }
  const list = useList('/admin/v1/webhooks/{id}/deliveries', { params }, { refetchInterval: REFETCH_MS })
  const columns: readonly Column<Delivery>[] = [
    { header: 'Event', cell: Event },
    { header: 'Status', cell: Status },
    { header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: 'Attempts', cell: ({ attempts }) => attempts, align: 'right', from: 'sm' },
    { header: 'Last response', cell: LastResponse, from: 'md' },
    ...(canReplay ? [actionsColumn((delivery: Delivery) => <ResendButton delivery={delivery} />)] : []),
  ]
  return (
    <Section title="Deliveries" actions={canReplay && <ResendFailedButton webhookId={webhookId} />}>
      <Group>
        <SegmentedControl
          aria-label="Filter deliveries"
          transitionDuration={0}
          size="xs"
          data={STATE_FILTERS}
          value={state ?? ''}
          onChange={(selected) => setFilters({ state: oneOf(STATES, selected) })}
        />
      </Group>
      <DataTable
        label="Deliveries"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={state ? 'No matching deliveries' : 'No deliveries yet'}>
            Delivered events are stored for 7 days, failed ones for 30 days.
          </EmptyState>
        }
      />
    </Section>
  )
}

function Event({ id, type }: Delivery) {
  return (
    <Box>
      {type}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
    </Box>
  )
}

function Status({ state, next_attempt_at, attempts }: Delivery) {
  return (
    <Group gap={4}>
      <Badge color={COLORS[state]}>{STATE_LABELS[state]}</Badge>
      {state === 'pending' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          Next attempt <Time at={next_attempt_at} />
        </Text>
      )}
    </Group>
  )
}

function LastResponse({ last_status, last_failure }: Delivery) {
  return [last_status, last_failure].filter((part) => part !== null).join(' · ') || '–'
}

function ResendButton({ delivery: { id, webhook_id, type } }: { readonly delivery: Delivery }) {
  const replay = useChange('post', '/admin/v1/webhooks/{id}/deliveries/{delivery}/replay', { refresh: REFRESH })
  const params = { path: { id: webhook_id, delivery: id } }
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Resend ${type}`}
      loading={replay.isPending}
      onClick={() => replay.mutate({ params }, { onSuccess: () => notifySuccess('Delivery queued.'), onError: notifyError })}
    >
      Resend
    </Button>
  )
}

function ResendFailedButton({ webhookId }: { readonly webhookId: string }) {
  const replay = useChange('post', '/admin/v1/webhooks/{id}/replay', {
    refresh: REFRESH,
    onDone: ({ replayed }) => notifySuccess(replayed === 0 ? 'No failed deliveries.' : `${replayed} deliveries queued.`),
  })
  return (
    <ConfirmButton
      destructive={false}
      question="Resend all failed deliveries?"
      consequence="Gatehouse retries them for 3 more days with the same ids, so that the receiver can detect duplicates."
      onConfirm={() => replay.mutateAsync({ params: { path: { id: webhookId } } })}
    >
      Resend failed deliveries
    </ConfirmButton>
  )
}
