import { Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconHandStop } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { formatMs } from '../../ui/format-numbers.ts'
import classes from './stage-list.module.css'

const STYLES = {
  ok: { icon: IconCircleCheck, color: 'var(--mantine-color-green-text)' },
  stopped: { icon: IconHandStop, color: 'var(--mantine-color-red-text)' },
  failed: { icon: IconAlertTriangle, color: 'var(--mantine-color-red-text)' },
  simulated: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)' },
  skipped: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)' },
}

interface StageListProps {
  readonly stages: AuditRecord['stages']
  /** No provider was called. */
  readonly isDryRun: boolean
  /** A count, or why the stage was skipped. */
  readonly noteOf: (stage: string) => ReactNode
}

/** The stages in order with outcome and duration. */
export function StageList({ stages, isDryRun, noteOf }: StageListProps) {
  const { t } = useTranslation('playground')
  const longest = Math.max(...stages.map(({ ms }) => ms), 1)
  return (
    <ol className={classes.stages} aria-label={t('stages.label')}>
      {stages.map(({ name, outcome, ms }) => {
        const displayed = isDryRun && name === 'invoke' && outcome === 'ok' ? 'simulated' : outcome
        const known = displayed in STYLES ? (displayed as keyof typeof STYLES) : 'skipped'
        const { icon: Icon, color } = STYLES[known]
        const note = noteOf(name)
        return (
          <li key={name} className={classes.stage}>
            <Icon size={18} color={color} aria-hidden />
            <Text size="sm" span>
              {name}
            </Text>
            <Text size="xs" span {...(outcome === 'skipped' && { c: 'dimmed' })}>
              {t(`stages.${known}`)}
            </Text>
            <span className={classes.track} aria-hidden>
              {outcome !== 'skipped' && <span className={classes.time} style={{ width: `${(100 * ms) / longest}%` }} />}
            </span>
            <Group justify="flex-end" gap={0}>
              <Text size="xs" c="dimmed" span>
                {outcome === 'skipped' ? '–' : formatMs(ms)}
              </Text>
            </Group>
            {note && (
              <Text size="xs" c="dimmed" className={classes.note ?? ''} span>
                {note}
              </Text>
            )}
          </li>
        )
      })}
    </ol>
  )
}
