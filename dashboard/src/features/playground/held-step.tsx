import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'

const POLL_MS = 3_000

interface HeldStepProps {
  readonly reviewItemId: string
  /** Called once when a reviewer has approved the request. */
  readonly onApproved: () => void
}

/** A held request: it continues by itself once a reviewer has approved it, as a client does. */
export function HeldStep({ reviewItemId, onApproved }: HeldStepProps) {
  const { t } = useTranslation('playground')
  const canRead = useScopes().hasScope('reviews:read')
  // The list has no content: reading that would be recorded as if an operator had opened the item.
  const { items } = useList(
    '/admin/v1/reviews',
    { params: { query: { id: reviewItemId, limit: 1 } } },
    { enabled: canRead, refetchInterval: POLL_MS, staleTime: 0 },
  )
  const state = items?.[0]?.state
  const continued = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the state of the item continues the request
  useEffect(() => {
    if (state !== 'approved' || continued.current) return
    continued.current = true
    onApproved()
  }, [state])
  return (
    <Group gap="xs">
      <Text size="sm">
        <Trans
          ns="playground"
          i18nKey="held.waiting"
          components={{
            review: (
              <Link to={`/reviews/${reviewItemId}`} inherit underline="always">
                {null}
              </Link>
            ),
          }}
        />
      </Text>
      {!canRead && (
        <Button size="xs" variant="default" onClick={onApproved}>
          {t('held.checkAgain')}
        </Button>
      )}
    </Group>
  )
}
