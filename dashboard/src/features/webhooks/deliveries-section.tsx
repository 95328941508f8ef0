import { Badge, Button, Group, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { useChange, useList } from '../../api/queries.ts'
import type { WebhookDelivery as Delivery } from '../../api/schema.d.ts'
import { oneOf, textOf, useFilters } from '../../routing/location.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useEventTypes } from './event-types.ts'

const STATES = ['pending', 'delivered', 'dead'] as const
const COLORS = { pending: 'yellow', delivered: 'green', dead: 'red' }
const REFRESH = ['/admin/v1/webhooks/{id}/deliveries']
const REFETCH_MS = 5_000

const readFilters = ({ state }: Readonly<Record<string, unknown>>) => ({ state: oneOf(STATES, textOf(state)) })

interface DeliveriesSectionProps {
  readonly webhookId: string
  readonly canReplay: boolean
}

/** Deliveries of a webhook, newest first, with attempts and last response. */
export function DeliveriesSection({ webhookId, canReplay }: DeliveriesSectionProps) {
  const { t } = useTranslation('webhooks')
  const [filters, setFilters] = useFilters(readFilters)
  const { state } = filters
  const query = state ? { state } : {}
  const params = { path: { id: webhookId }, query }
  const list = useList('/admin/v1/webhooks/{id}/deliveries', { params }, { refetchInterval: REFETCH_MS })
  const hasDeliveries = state !== undefined || (list.items ?? []).length > 0
  const columns: readonly Column<Delivery>[] = [
    { header: t('deliveries.columns.event'), cell: Event },
    { header: t('deliveries.columns.status'), cell: Status },
    { header: t('deliveries.columns.created'), cell: ({ created_at }) => <Time at={created_at} />, from: 'sm' },
    { header: t('deliveries.columns.attempts'), cell: ({ attempts }) => attempts, align: 'right', from: 'sm' },
    { header: t('deliveries.columns.response'), cell: LastResponse, from: 'md' },
    ...(canReplay ? [actionsColumn((delivery: Delivery) => <ResendButton delivery={delivery} />)] : []),
  ]
  return (
    <Section title={t('deliveries.title')} actions={canReplay && hasDeliveries && <ResendFailedButton webhookId={webhookId} />}>
      <FilterBar
        filters={[
          {
            name: 'state',
            label: t('deliveries.columns.status'),
            kind: 'segments',
            pinned: true,
            choices: [
              { value: '', label: t('deliveries.states.all') },
              ...STATES.map((value) => ({ value, label: t(`deliveries.states.${value}`) })),
            ],
          },
        ]}
        values={filters}
        onChange={setFilters}
      />
      <DataTable
        label={t('deliveries.title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={state ? t('deliveries.noMatch') : t('deliveries.empty')}>{t('deliveries.retention')}</EmptyState>
        }
      />
    </Section>
  )
}

/** The event in words; its type and the id of the delivery on hover. */
function Event({ id, type }: Delivery) {
  const { labelOf } = useEventTypes()
  return <span title={`${type} · ${id}`}>{labelOf(type)}</span>
}

function Status({ state, next_attempt_at, attempts }: Delivery) {
  const { t } = useTranslation('webhooks')
  return (
    <Group gap={4}>
      <Badge color={COLORS[state]}>{t(`deliveries.states.${state}`)}</Badge>
      {state === 'pending' && attempts > 0 && (
        <Text size="xs" c="dimmed">
          <Trans ns="webhooks" i18nKey="deliveries.nextAttempt" components={{ time: <Time at={next_attempt_at} /> }} />
        </Text>
      )}
    </Group>
  )
}

function LastResponse({ last_status, last_failure }: Delivery) {
  return [last_status, last_failure].filter((part) => part !== null).join(' · ') || '–'
}

function ResendButton({ delivery: { id, webhook_id, type } }: { readonly delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const replay = useChange('post', '/admin/v1/webhooks/{id}/deliveries/{delivery}/replay', { refresh: REFRESH })
  const params = { path: { id: webhook_id, delivery: id } }
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={t('deliveries.resendEvent', { type })}
      loading={replay.isPending}
      onClick={() => replay.mutate({ params }, { onSuccess: () => notifySuccess(t('deliveries.queued')), onError: notifyError })}
    >
      {t('deliveries.resend')}
    </Button>
  )
}

function ResendFailedButton({ webhookId }: { readonly webhookId: string }) {
  const { t } = useTranslation('webhooks')
  const replay = useChange('post', '/admin/v1/webhooks/{id}/replay', {
    refresh: REFRESH,
    onDone: ({ replayed }) =>
      notifySuccess(replayed === 0 ? t('deliveries.noFailed') : t('deliveries.resent', { count: replayed })),
  })
  return (
    <ConfirmButton
      destructive={false}
      question={t('deliveries.question')}
      consequence={t('deliveries.consequence')}
      onConfirm={() => replay.mutateAsync({ params: { path: { id: webhookId } } })}
    >
      {t('deliveries.resendFailed')}
    </ConfirmButton>
  )
}
