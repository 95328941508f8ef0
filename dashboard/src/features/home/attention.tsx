import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { LinkButton } from '../../ui/link.tsx'
import type { Overview } from './overview.ts'

type AttentionItem = Overview['attention'][number]

const URGENT: readonly AttentionItem['kind'][] = [
  'audit_tampered',
  'holds_expiring',
  'provider_down',
  'provider_fault',
  'budget_used_up',
]

/** Items that need an operator, most urgent first. */
export function Attention({ attention }: { readonly attention: readonly AttentionItem[] }) {
  if (attention.length === 0) {
    return (
      <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />}>
        Nothing needs your attention.
      </Alert>
    )
  }
  return (
    <Stack component="section" gap="xs" aria-label="Needs attention">
      {attention.map((item) => (
        <AttentionRow key={`${item.kind} ${item.link}`} item={item} />
      ))}
    </Stack>
  )
}

function AttentionRow({ item: { kind, text, link } }: { readonly item: AttentionItem }) {
  const urgent = URGENT.includes(kind)
  const [to = '/', query] = link.split('?')
  return (
    <Alert
      color={urgent ? 'red' : 'yellow'}
      variant="light"
      icon={urgent ? <IconAlertTriangle size={18} /> : <IconInfoCircle size={18} />}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">{text}</Text>
        <LinkButton
          to={to}
          search={Object.fromEntries(new URLSearchParams(query))}
          size="xs"
          variant="default"
          aria-label={`Review: ${text}`}
        >
          Review
        </LinkButton>
      </Group>
    </Alert>
  )
}
