import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface FactsTableProps {
  /** Accessible name. */
  readonly label: string
  readonly headers: readonly string[]
  readonly rows: readonly (readonly ReactNode[])[]
  /** Headers of the columns with numbers. */
  readonly numbers?: readonly string[]
}

/** A table of a record's facts, which scrolls sideways on narrow screens. */
export const FactsTable = ({ label, headers, rows, numbers = [] }: FactsTableProps) => (
  <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}>
    <Table aria-label={label} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          {headers.map((header) => (
            <Table.Th
              key={header}
              scope="col"
              ta={numbers.includes(header) ? 'right' : undefined}
              style={{ whiteSpace: 'nowrap' }}
            >
              {header}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: records never change
          <Table.Tr key={row}>
            {cells.map((cell, column) => (
              <Table.Td key={headers[column]} ta={numbers.includes(headers[column] ?? '') ? 'right' : undefined}>
                {cell}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)
