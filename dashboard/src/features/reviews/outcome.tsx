import { Alert, Button, Group, Kbd } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { RecordLink } from './record-link.tsx'
import type { ReviewItem } from './review-item.ts'
import { useReviewers } from './use-reviewers.ts'

interface OutcomeProps {
  readonly item: ReviewItem
  /** Undefined: no further item. */
  readonly onNext: (() => void) | undefined
}

/** The decision on an item, shown instead of the decision form. */
export function Outcome({ item, onNext }: OutcomeProps) {
  const { t } = useTranslation('reviews')
  const { nameOf } = useReviewers()
  const { data: session } = useSession()
  const { decided_by, decided_at, comment, released_at, released_audit_id, successor_id, expires_at, state } = item
  const next = onNext && (
    <Group gap="xs">
      <Button variant="default" onClick={onNext}>
        {t('outcome.openNext')}
      </Button>
      <Kbd size="xs" aria-hidden visibleFrom="sm">
        J
      </Kbd>
    </Group>
  )
  if (state === 'expired') {
    return (
      <Alert color="gray" title={t('outcome.expired')}>
        <Trans ns="reviews" i18nKey="outcome.expiredAt" components={{ time: <Time at={expires_at} /> }} />
        {next}
      </Alert>
    )
  }
  return (
    <Section title={t('outcome.title')}>
      <DescriptionList
        items={[
          [t('outcome.decision'), t(`states.${state}`)],
          [t('outcome.by'), decided_by === session?.operator.id ? t('assignment.you') : decided_by && nameOf(decided_by)],
          [t('outcome.at'), decided_at && <Time key="decided" at={decided_at} />],
          [t('outcome.comment'), comment],
          [t('outcome.released'), released_at && <Time key="released" at={released_at} />],
          [t('outcome.record'), released_audit_id && <RecordLink key="record" id={released_audit_id} />],
          [
            t('outcome.nextItem'),
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
