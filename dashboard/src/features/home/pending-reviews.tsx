import { Group, Text } from '@mantine/core'
import { DescriptionList } from '../../ui/description-list.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import type { Overview } from './overview.ts'

interface PendingReviewsProps {
  readonly holds: Overview['holds']
  readonly escalations: Overview['escalations']
  /** Whether to show a link to the reviews. */
  readonly linked: boolean
}

/** Numbers of pending holds and escalations. */
export function PendingReviews({ holds, escalations, linked }: PendingReviewsProps) {
  return (
    <Section
      title="Pending review"
      actions={
        linked && (
          <LinkButton to="/reviews" size="xs" variant="default">
            Open reviews
          </LinkButton>
        )
      }
    >
      <DescriptionList
        items={[
          ['Holds', <Count key="holds" pending={holds} />],
          ['Escalations', <Count key="escalations" pending={escalations} />],
        ]}
      />
    </Section>
  )
}

function Count({ pending: { count, oldest, next_expiry } }: { readonly pending: Overview['holds'] }) {
  return (
    <>
      <Text span fw={600}>
        {count}
      </Text>
      {count > 0 && (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            Oldest <Time at={oldest} />
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
