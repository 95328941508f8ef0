import { Group, Paper, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import { LinkButton } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import type { Overview } from './overview.ts'

type AttentionItem = Overview['attention'][number]

const URGENT: readonly AttentionItem['kind'][] = [
  'audit_tampered',
  'holds_expiring',
  'provider_down',
  'provider_fault',
  'budget_used_up',
]

/** Items that need an operator, one line each, most urgent first. */
export function Attention({ overview }: { readonly overview: Overview }) {
  const { attention } = overview
  const { t } = useTranslation('home')
  return (
    <Paper component="section" withBorder px="md" py={6} aria-label={t('attention.title')}>
      <Stack gap={2}>
        {attention.length === 0 && (
          <Group gap="xs" wrap="nowrap" mih={30}>
            <IconCircleCheck size={18} color="var(--mantine-color-green-text)" aria-hidden />
            <Text size="sm">{t('attention.none')}</Text>
          </Group>
        )}
        {attention.map((item) => (
          <AttentionRow key={`${item.kind} ${item.link}`} item={item} overview={overview} />
        ))}
      </Stack>
    </Paper>
  )
}

function AttentionRow({ item: { kind, text, link }, overview }: { readonly item: AttentionItem; readonly overview: Overview }) {
  const { t } = useTranslation('home')
  const isUrgent = URGENT.includes(kind)
  const Icon = isUrgent ? IconAlertTriangle : IconInfoCircle
  const [to = '/', query] = link.split('?')
  // A policy is written in a draft, which the page creates.
  const writesPolicy = useScopes().hasScope('policies:write') && kind === 'no_policy'
  return (
    <Group gap="xs" wrap="nowrap" mih={30}>
      <Icon size={18} style={{ flex: 'none' }} color={`var(--mantine-color-${isUrgent ? 'red' : 'yellow'}-text)`} aria-hidden />
      <Text size="sm" flex={1}>
        {text} <Waiting kind={kind} overview={overview} />
      </Text>
      <LinkButton
        to={to}
        search={Object.fromEntries(new URLSearchParams(query))}
        {...(writesPolicy && { hash: 'create' })}
        size="compact-sm"
        variant="default"
        aria-label={writesPolicy ? t('attention.writePolicy') : t('attention.reviewItem', { text })}
      >
        {writesPolicy ? t('attention.writePolicy') : t('attention.review')}
      </LinkButton>
    </Group>
  )
}

/** How long holds or escalations have waited, and when the first hold expires. */
function Waiting({
  kind,
  overview: { holds, escalations },
}: {
  readonly kind: AttentionItem['kind']
  readonly overview: Overview
}) {
  const { t } = useTranslation('home')
  const isHold = kind === 'holds_waiting' || kind === 'holds_expiring'
  const oldest = isHold ? holds.oldest : kind === 'escalations_waiting' ? escalations.oldest : null
  if (oldest === null) return null
  const next = isHold ? holds.next_expiry : null
  return (
    <Text span inherit c="dimmed">
      {t('attention.oldest')} <Time at={oldest} />.
      {next && (
        <>
          {' '}
          {t('attention.nextExpiry')} <TimeLeft until={next} />.
        </>
      )}
    </Text>
  )
}
