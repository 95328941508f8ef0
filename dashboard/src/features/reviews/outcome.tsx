import { Alert, Button, Group, Kbd } from '@mantine/core'
import { useSession } from '../../api/session.ts'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { RecordLink } from './record-link.tsx'
import { type ReviewItem, STATE_NAMES } from './review-item.ts'

interface OutcomeProps {
  readonly item: ReviewItem
  /** Undefined: there is no other item. */
  readonly onNext: (() => void) | undefined
}

/** The decision, in the place of the buttons. */
export function Outcome({ item, onNext }: OutcomeProps) {
  const self = useSession().data?.operator.id
  const { decided_by, decided_at, comment, released_at, released_audit_id, successor_id, expires_at, state } = item
  const next = onNext && (
    <Group gap="xs">
      <Button variant="default" onClick={onNext}>
        Open the next item
      </Button>
      <Kbd size="xs" aria-hidden visibleFrom="sm">
        J
      </Kbd>
    </Group>
  )
  if (state === 'expired') {
    return (
      <Alert color="gray" title="Expired without a decision">
        It expired <Time at={expires_at} />.{next}
      </Alert>
    )
  }
  return (
    <Section title="What was decided">
      <Facts
        facts={[
          ['Decision', STATE_NAMES[state]],
          ['By', decided_by === self ? 'you' : decided_by],
          ['When', decided_at && <Time key="decided" at={decided_at} />],
          ['Comment', comment],
          ['Answer left', released_at && <Time key="released" at={released_at} />],
          ['Its record', released_audit_id && <RecordLink key="record" id={released_audit_id} />],
          [
            'Held again as',
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
