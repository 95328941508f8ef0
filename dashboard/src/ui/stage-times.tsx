import { Table, Text } from '@mantine/core'
import { formatMs } from './format-numbers.ts'

interface StageTime {
  readonly name: string
  readonly p50_ms: number
  readonly p95_ms: number
  readonly count: number
}

/** Latency of each stage of the pipeline. */
export function StageTimes({ stages }: { readonly stages: readonly StageTime[] }) {
  if (stages.length === 0) return <Text c="dimmed">No requests in this period.</Text>
  return (
    <Table aria-label="Latency by stage" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Stage</Table.Th>
          <Table.Th scope="col" ta="right">
            Median
          </Table.Th>
          <Table.Th scope="col" ta="right">
            95th percentile
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {stages.map(({ name, p50_ms, p95_ms }) => (
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
  )
}
