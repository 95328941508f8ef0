import { Box, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useScopes } from '../../api/session.ts'
import type { Figure } from '../../ui/figures.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { Time } from '../../ui/time.tsx'
import classes from './queue.module.css'
import { TargetButton } from './target-button.tsx'
import { useStatistics } from './use-statistics.ts'

const PERCENT = 100
/** Of the service levels in a wide window, so that the queue does not move when they are loaded. */
const ROW_HEIGHT = 22

/** How many items are pending and how fast items are decided. */
export function ServiceLevels() {
  const { t } = useTranslation('reviews')
  const { data, error } = useStatistics()
  if (!data) return !error && <Skeleton height={ROW_HEIGHT} aria-hidden />
  const { pending, decided, expired, created, median_seconds, p90_seconds, target_minutes } = data
  const time = (seconds: number | null) => (seconds === null ? t('levels.none') : formatDuration(seconds * 1_000))
  return (
    <Box role="group" aria-label={t('levels.label')}>
      <Levels
        figures={[
          {
            name: t('levels.pending'),
            value: pending.count,
            note: pending.oldest && (
              <Trans ns="reviews" i18nKey="levels.oldest" components={{ time: <Time at={pending.oldest} /> }} />
            ),
          },
          {
            name: t('levels.median'),
            value: time(median_seconds),
            note: p90_seconds !== null && t('levels.p90', { time: time(p90_seconds) }),
          },
          { name: t('levels.decided'), value: decided, note: t('levels.decidedNote') },
          {
            name: t('levels.expired'),
            value: expired,
            note: created > 0 && t('levels.expiredNote', { percent: Math.round((PERCENT * expired) / created), total: created }),
          },
        ]}
      >
        <Target minutes={target_minutes} overdue={pending.overdue} />
      </Levels>
    </Box>
  )
}

interface LevelsProps {
  readonly figures: readonly Figure[]
  readonly children: ReactNode
}

/** In one row, so that the queue stays in view. */
const Levels = ({ figures, children }: LevelsProps) => (
  <dl className={classes.levels}>
    {figures.map((figure) => (
      <Level key={figure.name} {...figure} />
    ))}
    {children}
  </dl>
)

const Level = ({ name, value, note }: Figure) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value !== undefined && (
        <Text span inherit fw={600}>
          {value}
        </Text>
      )}
      {note && (
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </dd>
  </div>
)

interface TargetProps {
  /** Null: the Workspace has none. */
  readonly minutes: number | null
  readonly overdue: number
}

/** The target, and a button for operators who may set it. */
function Target({ minutes, overdue }: TargetProps) {
  const { t } = useTranslation('reviews')
  const button = useScopes().hasScope('workspaces:write') && <TargetButton minutes={minutes} />
  if (minutes === null) return button && <Level name={t('levels.noTarget')} value={undefined} note={button} />
  const note = (
    <>
      {t('levels.overdue', { count: overdue })} {button}
    </>
  )
  return <Level name={t('levels.target')} value={formatDuration(minutes * 60_000)} note={note} />
}
