import { Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconHandStop } from '@tabler/icons-react'
import { msOf } from '../../ui/numbers.ts'
import classes from './stage-list.module.css'

export interface Stage {
  readonly name: string
  readonly outcome: string
  readonly ms: number
}

const LOOKS = {
  ok: { icon: IconCircleCheck, color: 'var(--mantine-color-green-text)', label: 'done' },
  stopped: { icon: IconHandStop, color: 'var(--mantine-color-red-text)', label: 'stopped here' },
  failed: { icon: IconAlertTriangle, color: 'var(--mantine-color-red-text)', label: 'failed' },
  simulated: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'no model called' },
  skipped: { icon: IconCircleDashed, color: 'var(--mantine-color-dimmed)', label: 'skipped' },
}

interface StageListProps {
  readonly stages: readonly Stage[]
  /** No provider was called: a stand-in answered. */
  readonly isDryRun: boolean
}

/** The stages in their order: what each came to, and how long it took. */
export function StageList({ stages, isDryRun }: StageListProps) {
  const longest = Math.max(...stages.map(({ ms }) => ms), 1)
  return (
    <ol className={classes.stages} aria-label="Stages">
      {stages.map(({ name, outcome, ms }) => {
        const shown = isDryRun && name === 'invoke' && outcome === 'ok' ? 'simulated' : outcome
        const { icon: Icon, color, label } = LOOKS[shown as keyof typeof LOOKS] ?? LOOKS.skipped
        return (
          <li key={name} className={classes.stage}>
            <Icon size={18} color={color} aria-hidden />
            <Text size="sm" span>
              {name}
            </Text>
            <Text size="xs" span {...(outcome === 'skipped' && { c: 'dimmed' })}>
              {label}
            </Text>
            <span className={classes.track} aria-hidden>
              <span className={classes.time} style={{ width: `${(100 * ms) / longest}%` }} />
            </span>
            <Group justify="flex-end" gap={0}>
              <Text size="xs" c="dimmed" span>
                {outcome === 'skipped' ? '–' : msOf(ms)}
              </Text>
            </Group>
          </li>
        )
      })}
    </ol>
  )
}
