import { Box, Center, Stack, Table, Text } from '@mantine/core'
import i18next from 'i18next'
import { type ReactNode, type UIEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './data-table.module.css'
import { DataTableBody } from './data-table-body.tsx'
import type { Column } from './data-table-column.ts'
import { DataTableHead, type TableSort } from './data-table-head.tsx'
import { ErrorState } from './error-state.tsx'
import { ShowMore } from './show-more.tsx'
import { RowsSkeleton } from './skeletons.tsx'

export type { Column } from './data-table-column.ts'

/** A column of buttons, without a visible header. */
export const actionsColumn = <Row,>(cell: (row: Row) => ReactNode, header?: string): Column<Row> => ({
  header: header ?? i18next.t('ui:table.actions'),
  hiddenHeader: true,
  align: 'right',
  cell,
})

/** A paged list, as `useList` and `useLongList` return it. */
interface PagedList<Row> {
  /** An undefined row is not in memory. */
  readonly items: readonly (Row | undefined)[] | undefined
  readonly error: unknown
  readonly hasMore: boolean
  readonly loadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
  /** Called with the rows that are shown. */
  readonly show?: (first: number, last: number) => void
}

interface DataTableProps<Row> {
  /** Accessible name: "Applications". */
  readonly label: string
  readonly list: PagedList<Row>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Shown if there are no rows. */
  readonly empty: ReactNode
  /** Columns with `sortBy` can be sorted. */
  readonly sort?: TableSort
  /** Page of a row: the first column becomes a link that covers the row, so its cell must not have another link. */
  readonly rowLink?: (row: Row) => string
  /** One line for each row, with little space, for lists that are read like a log. */
  readonly dense?: boolean
}

/** The next page is loaded when fewer pixels than this are below the visible rows. */
const LOAD_AHEAD = 800

/**
 * A table with loading, error and empty state; on phones a card for each row. Its head stays visible. The next page is loaded while one
 * scrolls, and by a button for keyboards and screen readers.
 */
export function DataTable<Row>({ label, list, columns, keyOf, empty, sort, rowLink, dense = false }: DataTableProps<Row>) {
  // A state, because the rows need it when they are first in the page.
  const [scroll, setScroll] = useState<HTMLDivElement | null>(null)
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return list.hasMore ? <NoneYet list={list} /> : empty
  const loadAhead = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent) => {
    const isNear = scrollTop > 0 && scrollHeight - scrollTop - clientHeight < LOAD_AHEAD
    if (isNear && list.hasMore && !list.loadingMore && !list.error) list.loadMore()
  }
  return (
    <>
      <Box ref={setScroll} className={classes.scroll ?? ''} tabIndex={0} role="group" aria-label={label} onScroll={loadAhead}>
        <Table
          role="table"
          className={`${classes.table} ${dense ? classes.dense : ''}`}
          verticalSpacing={dense ? 4 : 'xs'}
          horizontalSpacing={dense ? 7 : 'xs'}
          aria-label={label}
          aria-rowcount={list.hasMore ? -1 : list.items.length + 1}
        >
          <DataTableHead columns={columns} sort={sort} />
          <DataTableBody
            rows={list.items}
            columns={columns}
            keyOf={keyOf}
            rowLink={rowLink}
            dense={dense}
            onShow={list.show}
            scroll={scroll}
          />
        </Table>
      </Box>
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
function NoneYet({ list }: { readonly list: PagedList<unknown> }) {
  const { t } = useTranslation()
  return (
    <Stack align="center">
      <Text c="dimmed">{t('table.noneYet')}</Text>
      <ShowMore list={list} />
    </Stack>
  )
}
