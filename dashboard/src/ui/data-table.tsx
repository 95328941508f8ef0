import { Center, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { ShowMore } from './show-more.tsx'
import { RowsSkeleton } from './skeletons.tsx'

export interface Column<Row> {
  /** Screen readers read it even with `hiddenHeader`. */
  readonly header: string
  readonly hiddenHeader?: true
  readonly cell: (row: Row) => ReactNode
  /** Hidden on narrower screens. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg'
  readonly align?: 'left' | 'right'
}

/** A column of buttons, without a visible header. */
export const actionsColumn = <Row,>(cell: (row: Row) => ReactNode, header = 'Actions'): Column<Row> => ({
  header,
  hiddenHeader: true,
  align: 'right',
  cell,
})

/** A paged list, as `useList` returns it. */
interface PagedList<Row> {
  readonly items: readonly Row[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

interface DataTableProps<Row> {
  /** Accessible name: "Applications". */
  readonly label: string
  readonly list: PagedList<Row>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Shown if there are no rows. */
  readonly empty: ReactNode
}

/** Links keep enough contrast on it. */
const HOVER_COLOR = 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))'

/** A table with loading, error and empty state and a button for the next page. */
export function DataTable<Row>({ label, list, columns, keyOf, empty }: DataTableProps<Row>) {
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return list.hasMore ? <NoneYet list={list} /> : empty
  return (
    <>
      <Table.ScrollContainer
        minWidth={0}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}
      >
        <Table verticalSpacing="xs" highlightOnHover highlightOnHoverColor={HOVER_COLOR} aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ header, hiddenHeader, from, align }) => (
                <Table.Th key={header} scope="col" {...layoutOf(from, align)}>
                  {hiddenHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.items.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map(({ header, cell, from, align }) => (
                  <Table.Td key={header} {...layoutOf(from, align)}>
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
          <ShowMore list={list} />
        </Center>
      )}
    </>
  )
}

/** A server that reads a bounded number of rows for a page may find none that matches in the first ones. */
const NoneYet = ({ list }: { readonly list: PagedList<unknown> }) => (
  <Stack align="center">
    <Text c="dimmed">No match in the newest entries.</Text>
    <ShowMore list={list} />
  </Stack>
)

const layoutOf = (from: Column<never>['from'], align: Column<never>['align']) => ({
  ...(from && { visibleFrom: from }),
  ...(align && { ta: align }),
})
