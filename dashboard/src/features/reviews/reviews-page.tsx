import { Badge, Box, Grid, Group } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useFilters, useNavigateWithin, usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { useLetterKeys } from '../../ui/use-letter-keys.ts'
import { AbsenceButton } from './absence-button.tsx'
import { Queue } from './queue.tsx'
import { QueueArrangement } from './queue-arrangement.tsx'
import { QueueFilters } from './queue-filters.tsx'
import { QueuePosition } from './queue-position.tsx'
import { ReviewDetail } from './review-detail.tsx'
import { readFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'
import { ServiceLevels } from './service-levels.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { lastUndoable, useSendOnLeave } from './unsent-decisions.ts'
import { useAdjacentItems } from './use-adjacent-items.ts'
import { useArrangedQueue } from './use-arranged-queue.ts'
import { useUndo } from './use-decide.tsx'
import { useQueue } from './use-queue.ts'

const FROM_MD = { visibleFrom: 'md' } as const

/** The queue and the selected item, side by side; on a narrow screen one of them. No item opens by itself, because reading it is recorded. */
export function Page() {
  const { t } = useTranslation('reviews')
  const selected = usePathParam('id') || undefined
  const [filters, setFilters] = useFilters(readFilters)
  const { list, live } = useQueue(filters)
  const [opensNext, setOpensNext] = useLocalStorage({ key: 'gatehouse.reviews.opens-next', defaultValue: false })
  const navigateWithin = useNavigateWithin()
  const groups = useArrangedQueue(list.items ?? [], filters)
  const items = groups.flatMap(({ entries }) => entries.map(({ item }) => item))
  const { next, previous } = useAdjacentItems(items, selected)
  const opening = (item: ReviewItem | undefined) => item && (() => navigateWithin(`/reviews/${item.id}`))
  const [openNext, openPrevious] = [opening(next), opening(previous)]
  const undo = useUndo()
  useSendOnLeave()
  useLetterKeys([
    ['J', () => openNext?.()],
    ['K', () => openPrevious?.()],
    ['U', () => undo(lastUndoable())],
  ])
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={
        <Group gap="xs" {...(selected && FROM_MD)}>
          <ConnectionBadge live={live} />
          <Shortcuts />
          <AbsenceButton />
        </Group>
      }
    >
      <Box {...(selected && FROM_MD)}>
        <ServiceLevels />
      </Box>
      <Box {...(selected && FROM_MD)}>
        <QueueFilters filters={filters} items={list.items ?? []} onChange={setFilters} />
      </Box>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: selected || list.items?.length ? 4 : 12 }} {...(selected && FROM_MD)}>
          {(list.items ?? []).length > 0 && <QueueArrangement filters={filters} onChange={setFilters} />}
          <Queue list={list} groups={groups} filters={filters} selected={selected} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }} {...(!selected && FROM_MD)}>
          {selected ? (
            <>
              <LinkButton to="/reviews" search={(before) => before} variant="subtle" hiddenFrom="md" px={0} mb="xs">
                {t('queue.back')}
              </LinkButton>
              <QueuePosition
                position={items.findIndex(({ id }) => id === selected) + 1}
                total={items.length}
                hasMore={list.hasMore}
                onPrevious={openPrevious}
                onNext={openNext}
                opensNext={opensNext}
                onOpensNext={setOpensNext}
              />
              <ReviewDetail
                id={selected}
                listed={items.find(({ id }) => id === selected)}
                onNext={openNext}
                opensNext={opensNext}
              />
            </>
          ) : (
            items.length > 0 && <EmptyState title={t('queue.noneSelected')}>{t('queue.noneSelectedHint')}</EmptyState>
          )}
        </Grid.Col>
      </Grid>
    </Frame>
  )
}

function ConnectionBadge({ live }: { readonly live: boolean }) {
  const { t } = useTranslation('reviews')
  return (
    <Badge color={live ? 'green' : 'gray'} role="status">
      {live ? t('live') : t('connecting')}
    </Badge>
  )
}
