import { Group, Stack, Text } from '@mantine/core'
import { HealthBadge } from '../../ui/health-badge.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import type { Overview } from './overview.ts'

interface ProvidersHealthProps {
  readonly providers: Overview['providers']
  /** Whether names link to provider pages. */
  readonly linked: boolean
}

/** Health of the providers. */
export function ProvidersHealth({ providers, linked }: ProvidersHealthProps) {
  return (
    <Section title="Providers">
      {providers.length === 0 && <Text c="dimmed">No providers yet. Add one under Providers to serve chat requests.</Text>}
      <Stack gap="xs">
        {providers.map(({ id, enabled, health }) => (
          <Group key={id} justify="space-between">
            {linked ? <Link to={`/providers/${id}`}>{id}</Link> : <Text>{id}</Text>}
            <HealthBadge enabled={enabled} health={health} />
          </Group>
        ))}
      </Stack>
    </Section>
  )
}
