import { Group, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react'
import classes from './data-table.module.css'
import { type Column, layoutOf } from './data-table-column.ts'
import { nextSort, type Sort } from './table-sort.ts'

/** How a list is sorted, and what to do when another column is chosen. */
export interface TableSort {
  readonly value: Sort | undefined
  readonly onChange: (sort: Sort | undefined) => void
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sort: TableSort | undefined
}

/** The head of a table: it stays visible, and its sortable columns are buttons. */
export function DataTableHead<Row>({ columns, sort }: HeadProps<Row>) {
  return (
    <Table.Thead role="rowgroup" className={classes.head ?? ''}>
      <Table.Tr role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <HeadCell key={column.header} column={column} sort={sort} />
        ))}
      </Table.Tr>
    </Table.Thead>
  )
}

const ICON = { flex: 'none' } as const
const DIRECTIONS = { asc: 'ascending', desc: 'descending' } as const

function HeadCell<Row>({ column, sort }: { readonly column: Column<Row>; readonly sort: TableSort | undefined }) {
  const { header, hiddenHeader, sortBy } = column
  const label = hiddenHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header
  if (!sort || sortBy === undefined) {
    return (
      <Table.Th role="columnheader" scope="col" {...layoutOf(column)}>
        {label}
      </Table.Th>
    )
  }
  const direction = sort.value?.by === sortBy ? sort.value.direction : undefined
  const Icon = direction === undefined ? IconSelector : direction === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th role="columnheader" scope="col" aria-sort={direction ? DIRECTIONS[direction] : 'none'} {...layoutOf(column)}>
      <UnstyledButton fz="inherit" fw="inherit" ta="inherit" onClick={() => sort.onChange(nextSort(sort.value, sortBy))}>
        <Group gap={4} wrap="nowrap">
          {label}
          {/* A long label wraps before its icon shrinks. */}
          <Icon size={14} style={ICON} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}
