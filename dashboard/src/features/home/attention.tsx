import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { LinkButton } from '../../ui/link.tsx'
import type { Overview } from './overview.ts'

type Need = Overview['attention'][number]

const URGENT: readonly Need['kind'][] = ['audit_tampered', 'holds_expiring', 'provider_down', 'provider_fault']

/** What somebody should see to, the most urgent first. */
export function Attention({ attention }: { readonly attention: readonly Need[] }) {
  if (attention.length === 0) {
    return (
      <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />}>
        Nothing needs attention.
      </Alert>
    )
  }
  return (
    <Stack component="section" gap="xs" aria-label="What needs attention">
      {attention.map((need) => (
        <NeedRow key={`${need.kind} ${need.link}`} need={need} />
      ))}
    </Stack>
  )
}

function NeedRow({ need: { kind, text, link } }: { readonly need: Need }) {
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
          aria-label={`See to it: ${text}`}
        >
          See to it
        </LinkButton>
      </Group>
    </Alert>
  )
}
