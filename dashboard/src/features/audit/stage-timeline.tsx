import { Badge, Group, Text, Timeline } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { formatMs } from '../../ui/format-numbers.ts'
import { skipReasonOf } from '../../ui/skip-reasons.ts'
import { useSummaries } from './use-summaries.ts'

const COLORS: Readonly<Record<string, string>> = { ok: 'green', skipped: 'gray', stopped: 'orange', failed: 'red' }

/** The stages of a request with their outcomes. */
export function StageTimeline({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const summaryOf = useSummaries(record)
  return (
    <Timeline
      active={record.stages.length}
      bulletSize={12}
      lineWidth={2}
      aria-label={t('stages.title')}
      styles={{ itemBullet: { backgroundColor: 'var(--mantine-color-body)' } }}
    >
      {record.stages.map(({ name, outcome, ms }, index) => (
        <Timeline.Item
          key={name}
          mt={index === 0 ? 0 : 'sm'}
          color={COLORS[outcome] ?? 'gray'}
          title={
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {t('stages.item', { number: index + 1, name })}
              </Text>
              <Badge size="sm" color={COLORS[outcome] ?? 'gray'}>
                {t(`stages.outcomes.${outcome}` as 'stages.outcomes.ok', { defaultValue: outcome })}
              </Badge>
              {outcome !== 'skipped' && (
                <Text size="xs" c="dimmed">
                  {formatMs(ms)}
                </Text>
              )}
            </Group>
          }
        >
          {outcome !== 'skipped' && (
            <>
              <Text size="xs" c="dimmed">
                {t(`stages.purposes.${name}` as 'stages.purposes.admit', { defaultValue: '' })}
              </Text>
              <Text size="sm">{summaryOf(name)}</Text>
            </>
          )}
          <SkipReason record={record} stage={name} />
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

function SkipReason({ record, stage }: { readonly record: AuditRecord; readonly stage: string }) {
  const { t } = useTranslation('audit')
  const reason = skipReasonOf(record, stage)
  return reason ? <Text size="sm">{t(`stages.reasons.${reason}`)}</Text> : null
}
