import { ActionIcon, Group, Switch, Text } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

interface QueuePositionProps {
  /** From 1; 0: the item is not in the queue. */
  readonly position: number
  readonly total: number
  readonly hasMore: boolean
  /** Undefined: there is none. */
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly opensNext: boolean
  readonly onOpensNext: (opensNext: boolean) => void
}

/** The place of the opened item in the queue, and whether a decision opens the next one. */
export function QueuePosition({ position, total, hasMore, onPrevious, onNext, opensNext, onOpensNext }: QueuePositionProps) {
  const { t } = useTranslation('reviews')
  return (
    <Group gap="xs" mb="xs" mih={30}>
      <ActionIcon variant="default" aria-label={t('queue.previous')} disabled={!onPrevious} onClick={onPrevious}>
        <IconChevronUp size={16} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t('queue.next')} disabled={!onNext} onClick={onNext}>
        <IconChevronDown size={16} />
      </ActionIcon>
      {position > 0 && (
        <Text size="sm" role="status">
          {hasMore ? t('queue.positionMore', { position, total }) : t('queue.position', { position, total })}
        </Text>
      )}
      <Switch
        ml={{ base: 0, xs: 'auto' }}
        size="xs"
        label={t('queue.openNext')}
        checked={opensNext}
        onChange={({ currentTarget }) => onOpensNext(currentTarget.checked)}
      />
    </Group>
  )
}
