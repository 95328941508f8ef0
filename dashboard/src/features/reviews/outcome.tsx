import { Alert, Button, Group, Kbd } from '@mantine/core'
import { useSession } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { RecordLink } from './record-link.tsx'
import { type ReviewItem, STATE_NAMES } from './review-item.ts'

interface OutcomeProps {
  readonly item: ReviewItem
  /** Undefined: no further item. */
  readonly onNext: (() => void) | undefined
}

/** The decision on an item, shown instead of the decision form. */
export function Outcome({ item, onNext }: OutcomeProps) {
  const self = useSession().data?.operator.id
  const { decided_by, decided_at, comment, released_at, released_audit_id, successor_id, expires_at, state } = item
  const next = onNext && (
    <Group gap="xs">
      <Button variant="default" onClick={onNext}>
        Open next item
      </Button>
      <Kbd size="xs" aria-hidden visibleFrom="sm">
        J
      </Kbd>
    </Group>
  )
  if (state === 'expired') {
    return (
      <Alert color="gray" title="Expired without a decision">
        The item expired <Time at={expires_at} />.{next}
      </Alert>
    )
  }
  return (
    <Section title="Outcome">
      <DescriptionList
        items={[
          ['Decision', STATE_NAMES[state]],
          ['Decided by', decided_by === self ? 'You' : decided_by],
          ['Decided', decided_at && <Time key="decided" at={decided_at} />],
          ['Comment', comment],
          ['Released', released_at && <Time key="released" at={released_at} />],
          ['Record of the release', released_audit_id && <RecordLink key="record" id={released_audit_id} />],
          [
            'Next review item',
            successor_id && (
              <Link key="next" to={`/reviews/${successor_id}`}>
                {successor_id}
              </Link>
            ),
          ],
        ]}
      />
      {next}
    </Section>
  )
}
