import { Group, Text } from '@mantine/core'
import { Facts } from '../../ui/facts.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import type { Overview } from './overview.ts'

interface WaitingProps {
  readonly holds: Overview['holds']
  readonly escalations: Overview['escalations']
  /** Reviews may be opened. */
  readonly linked: boolean
}

/** What waits for a person. */
export function Waiting({ holds, escalations, linked }: WaitingProps) {
  return (
    <Section
      title="Waiting for a person"
      actions={
        linked && (
          <LinkButton to="/reviews" size="xs" variant="default">
            Reviews
          </LinkButton>
        )
      }
    >
      <Facts
        facts={[
          ['Holds', <Count key="holds" waiting={holds} />],
          ['Escalations', <Count key="escalations" waiting={escalations} />],
        ]}
      />
    </Section>
  )
}

function Count({ waiting: { count, oldest, next_expiry } }: { readonly waiting: Overview['holds'] }) {
  return (
    <>
      <Text span fw={600}>
        {count}
      </Text>
      {count > 0 && (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            oldest <Time at={oldest} />
          </Text>
          {next_expiry && (
            <Text size="xs" component="span">
              <TimeLeft until={next_expiry} />
            </Text>
          )}
        </Group>
      )}
    </>
  )
}
