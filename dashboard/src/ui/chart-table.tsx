import { Button, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { type ChartSeries, intervalLabel, secondsBetween } from './chart-scale.ts'

const ONE_LINE = { whiteSpace: 'nowrap' } as const

interface ChartTableProps {
  readonly label: string
  readonly times: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
}

/** The values of a chart as a table, which a button shows. Intervals without values are left out. */
export function ChartTable({ label, times, series, format }: ChartTableProps) {
  const { t } = useTranslation('ui')
  const [opened, { toggle }] = useDisclosure()
  const rows = times.map((at, index) => ({ at, values: series.map(({ values }) => values[index] ?? 0) }))
  const seconds = secondsBetween(times)
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        ml={-7}
        onClick={toggle}
        aria-expanded={opened}
        aria-label={opened ? t('chart.hideTableOf', { label }) : t('chart.showTableOf', { label })}
      >
        {opened ? t('chart.hideTable') : t('chart.showTable')}
      </Button>
      {opened && (
        <Table.ScrollContainer
          minWidth={0}
          mah={320}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
        >
          <Table aria-label={label} verticalSpacing={4} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t('chart.time')}</Table.Th>
                {series.map(({ name }) => (
                  <Table.Th key={name} scope="col" ta="right">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows
                .filter(({ values }) => values.some((value) => value !== 0))
                .map(({ at, values }) => (
                  <Table.Tr key={at}>
                    <Table.Th scope="row" fw={400} style={ONE_LINE}>
                      {intervalLabel(at, seconds)}
                    </Table.Th>
                    {values.map((value, index) => (
                      <Table.Td key={series[index]?.name} ta="right">
                        {format(value)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  )
}
