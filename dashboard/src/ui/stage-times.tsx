import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatMs } from './format-numbers.ts'

interface StageTime {
  readonly name: string
  readonly p50_ms: number
  readonly p95_ms: number
  readonly count: number
}

/** Below this, a stage is shown as fast and not in a row. */
const SHOWN_MS = 0.1

/** Latency of the stages that take time. The others are named below the table. */
export function StageTimes({ stages }: { readonly stages: readonly StageTime[] }) {
  const { t } = useTranslation('ui')
  if (stages.length === 0) return <Text c="dimmed">{t('stages.none')}</Text>
  const slow = stages.filter(({ count, p95_ms }) => count > 0 && p95_ms >= SHOWN_MS)
  const fast = stages.filter(({ count, p95_ms }) => count > 0 && p95_ms < SHOWN_MS)
  return (
    <>
      <Table aria-label={t('stages.title')} verticalSpacing={4} maw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('stages.stage')}</Table.Th>
            <Table.Th scope="col" ta="right">
              {t('stages.median')}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {t('stages.p95')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {slow.map(({ name, p50_ms, p95_ms }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              <Table.Td ta="right">{formatMs(p50_ms)}</Table.Td>
              <Table.Td ta="right">{formatMs(p95_ms)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {fast.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('stages.fast', { names: fast.map(({ name }) => name).join(', ') })}
        </Text>
      )}
    </>
  )
}
