import { Button, Center, Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { RowsSkeleton } from './skeletons.tsx'

export interface Column<Row> {
  /** Names the column; for actions, where nothing is to be seen above them, as `hiddenHeader`. */
  readonly header: string
  readonly hiddenHeader?: true
  readonly cell: (row: Row) => ReactNode
  /** Narrower screens go without it. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg'
  readonly align?: 'left' | 'right'
}

/** A list that is read page by page: what `useList` gives. */
interface Listing<Row> {
  readonly items: readonly Row[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadingMore: boolean
  readonly more: () => void
  readonly retry: () => void
}

interface DataTableProps<Row> {
  /** What the rows are, for those who cannot see the page's title: "Applications". */
  readonly label: string
  readonly list: Listing<Row>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Shown instead, when there is no row. */
  readonly empty: ReactNode
}

/** So that links can still be read. */
const HOVER = 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))'

/** Rows, however many pages of them were asked for. */
export function DataTable<Row>({ label, list, columns, keyOf, empty }: DataTableProps<Row>) {
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return empty
  return (
    <>
      <Table.ScrollContainer
        minWidth={0}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}
      >
        <Table verticalSpacing="xs" highlightOnHover highlightOnHoverColor={HOVER} aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ header, hiddenHeader, from, align }) => (
                <Table.Th key={header} scope="col" {...placed(from, align)}>
                  {hiddenHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.items.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ header, cell, from, align }) => (
                  <Table.Td key={header} {...placed(from, align)}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {list.error ? <ErrorState error={list.error} onRetry={list.retry} /> : null}
      {list.hasMore && (
        <Center>
          <Button variant="default" loading={list.loadingMore} onClick={list.more}>
            Show more
          </Button>
        </Center>
      )}
    </>
  )
}

const placed = (from: Column<never>['from'], align: Column<never>['align']) => ({
  ...(from && { visibleFrom: from }),
  ...(align && { ta: align }),
})
