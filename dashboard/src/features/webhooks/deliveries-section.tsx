import { Badge, Box, Button, Group, SegmentedControl, Text } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useChange, useList } from '../../api/queries.ts'
import { oneOf, textOf, useFilters } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

type Delivery = ItemOf<'/admin/v1/webhooks/{id}/deliveries'>

const STATES = ['pending', 'delivered', 'dead'] as const
const COLORS = { pending: 'yellow', delivered: 'green', dead: 'red' }
const CHOICES = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'On their way' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Given up' },
]
const REFRESH = ['/admin/v1/webhooks/{id}/deliveries']
/** What is on its way arrives while one looks. */
const EVERY_MS = 5_000

const readFilters = ({ state }: Readonly<Record<string, unknown>>) => ({ state: oneOf(STATES, textOf(state)) })

interface DeliveriesSectionProps {
  readonly webhookId: string
  readonly mayReplay: boolean
}

/** What a webhook was sent, the newest first: how often it was tried, what came back, and once more on demand. */
export function DeliveriesSection({ webhookId, mayReplay }: DeliveriesSectionProps) {
  const [{ state }, setFilters] = useFilters(readFilters)
  const query = state ? { state } : {}
  const params = { path: { id: webhookId }, query }
  const list = useList('/admin/v1/webhooks/{id}/deliveries', { params }, { every: EVERY_MS })
  const columns: readonly Column<Delivery>[] = [
    { header: 'Event', cell: Event },
    { header: 'State', cell: State },
    { header: 'Happened', cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: 'Tries', cell: ({ attempts }) => attempts, align: 'right', from: 'sm' },
    { header: 'Last answer', cell: LastAnswer, from: 'md' },
    ...(mayReplay
      ? [{ header: 'Actions', hiddenHeader: true, align: 'right', cell: (one: Delivery) => <Replay delivery={one} /> } as const]
      : []),
  ]
  return (
    <Section title="Deliveries" actions={mayReplay && <ReplayDead webhookId={webhookId} />}>
      <Group>
        <SegmentedControl
          aria-label="Which deliveries"
          transitionDuration={0}
          size="xs"
          data={CHOICES}
          value={state ?? ''}
          onChange={(chosen) => setFilters({ state: oneOf(STATES, chosen) })}
        />
      </Group>
      <DataTable
        label="Deliveries"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={state ? 'None like that' : 'Nothing was sent yet'}>
            Delivered ones are kept for 7 days, those that were given up for 30.
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

function State({ state, next_attempt_at, attempts }: Delivery) {
  return (
    <Group gap={4}>
      <Badge color={COLORS[state]} variant="light" tt="none">
        {state === 'dead' ? 'given up' : state}
      </Badge>
      {state === 'pending' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          next try <Time at={next_attempt_at} />
        </Text>
      )}
    </Group>
  )
}

function LastAnswer({ last_status, last_failure }: Delivery) {
  return [last_status, last_failure].filter((part) => part !== null).join(' · ') || '–'
}

function Replay({ delivery: { id, webhook_id, type } }: { readonly delivery: Delivery }) {
  const replay = useChange('post', '/admin/v1/webhooks/{id}/deliveries/{delivery}/replay', { refresh: REFRESH })
  const params = { path: { id: webhook_id, delivery: id } }
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Send again: ${type}`}
      loading={replay.isPending}
      onClick={() => replay.mutate({ params }, { onSuccess: () => notifyDone('It is sent once more.'), onError: notifyError })}
    >
      Send again
    </Button>
  )
}

function ReplayDead({ webhookId }: { readonly webhookId: string }) {
  const replay = useChange('post', '/admin/v1/webhooks/{id}/replay', {
    refresh: REFRESH,
    onDone: ({ replayed }) => notifyDone(replayed === 0 ? 'None was given up.' : `${replayed} are sent once more.`),
  })
  return (
    <ConfirmButton
      destructive={false}
      question="Retry all failed deliveries?"
      consequence="They are sent with the same ids for 3 more days, so the receiver can tell repeated ones."
      onConfirm={() => replay.mutateAsync({ params: { path: { id: webhookId } } })}
    >
      Retry failed deliveries
    </ConfirmButton>
  )
}
