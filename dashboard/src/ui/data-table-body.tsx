import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef } from 'react'
import classes from './data-table.module.css'
import { type Column, layoutOf } from './data-table-column.ts'
import { Link } from './link.tsx'

/** From this many rows (a full page of the API), only the rows around the visible ones are in the page. */
const VIRTUAL_FROM = 100
/** First estimate of the height of a row, in pixels. */
const ROW_HEIGHT = 42
/** Height of a dense row, which is one line. */
const DENSE_HEIGHT = 29
/** Rows above and below the visible ones. Each takes its time of a frame. */
const OVERSCAN = 4
/** Rows are cards (data-table.module.css). */
const PHONE = '(max-width: 37.49em)'

interface BodyProps<Row> {
  /** Undefined: a row that is not in memory. */
  readonly rows: readonly (Row | undefined)[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly rowLink: ((row: Row) => string) | undefined
  readonly dense: boolean
  readonly onShow: ((first: number, last: number) => void) | undefined
  /** Null until it is in the page. */
  readonly scroll: HTMLDivElement | null
}

export function DataTableBody<Row>(props: BodyProps<Row>) {
  const { rows, columns, keyOf, rowLink } = props
  if (rows.length >= VIRTUAL_FROM) return <VirtualRows {...props} />
  return (
    <Table.Tbody role="rowgroup">
      {rows.map(
        (row, index) =>
          row !== undefined && <TableRow key={keyOf(row)} row={row} index={index} columns={columns} rowLink={rowLink} />,
      )}
    </Table.Tbody>
  )
}

function VirtualRows<Row>({ rows, columns, keyOf, rowLink, dense, onShow, scroll }: BodyProps<Row>) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false })
  const isOneLine = dense && !isPhone
  const virtualizer = useVirtualizer({
    // The virtualizer lays all rows out again whenever their count changes, so the count grows in few steps.
    count: 2 ** Math.ceil(Math.log2(rows.length)),
    getScrollElement: () => scroll,
    // Rows were added while one was at the end of a shorter list.
    initialOffset: () => scroll?.scrollTop ?? 0,
    estimateSize: () => (isOneLine ? DENSE_HEIGHT : ROW_HEIGHT),
    overscan: OVERSCAN,
  })
  // Sizes of rows stay known, but cards are taller than lines.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the layout changes
  useEffect(() => {
    virtualizer.measure()
    for (const row of virtualizer.elementsCache.values()) virtualizer.measureElement(row as HTMLElement)
  }, [virtualizer, isPhone])
  const shown = virtualizer.getVirtualItems().filter(({ index }) => index < rows.length)
  const before = shown[0]?.start ?? 0
  const end = virtualizer.measurementsCache[rows.length - 1]?.end ?? 0
  const after = end - (shown.at(-1)?.end ?? 0)
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0]
  const isFast = useIsFast(virtualizer)
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports a range once
  useEffect(() => onShow?.(first, last), [first, last])
  return (
    <Table.Tbody role="rowgroup">
      <Spacer height={before} columns={columns.length} />
      {shown.map(({ index, size }, position) => {
        const row = isFast ? undefined : rows[index]
        // biome-ignore lint/suspicious/noArrayIndexKey: the same elements stay in place while one scrolls
        if (row === undefined) return <MissingRow key={position} columns={columns.length} height={size} />
        return (
          <TableRow
            key={keyOf(row)}
            row={row}
            index={index}
            columns={columns}
            rowLink={rowLink}
            // Measuring takes a third of a frame.
            {...(!isOneLine && { measure: virtualizer.measureElement })}
          />
        )
      })}
      <Spacer height={after} columns={columns.length} />
    </Table.Tbody>
  )
}

/** Whether more than a screen passes in one frame: no row of before is still visible, and rendering the others would take the whole frame. */
function useIsFast({ isScrolling, scrollOffset, scrollRect }: Virtualizer<HTMLDivElement, Element>): boolean {
  const before = useRef({ offset: 0, isFast: false })
  const offset = scrollOffset ?? 0
  const distance = Math.abs(offset - before.current.offset)
  // A page that arrives renders the rows again in between.
  const isFast = isScrolling && (distance === 0 ? before.current.isFast : distance > (scrollRect?.height ?? 0))
  useEffect(() => {
    before.current = { offset, isFast }
  })
  return isFast
}

/** Takes the place of rows that are not in the page. */
const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 && (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0, display: 'block' }} />
    </tr>
  )

/** A row whose page is loading, or that is scrolled past. */
const MissingRow = ({ columns, height }: { readonly columns: number; readonly height: number }) => (
  <tr aria-hidden className={classes.missing ?? ''}>
    <td colSpan={columns} style={{ height, padding: 0 }} />
  </tr>
)

interface RowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly rowLink: ((row: Row) => string) | undefined
  readonly measure?: (element: HTMLElement | null) => void
}

// Cards on phones change the display of table elements, which would end their roles.
const ROW = { role: 'row' } as const
const CELL = { role: 'cell' } as const

/** The head is the first row. */
const FIRST_ROW = 2

// Plain elements: the components of the library take most of the time of a frame while one scrolls.
function PlainRow<Row>({ row, index, columns, rowLink, measure }: RowProps<Row>) {
  const to = rowLink?.(row)
  return (
    <tr
      {...ROW}
      aria-rowindex={index + FIRST_ROW}
      data-index={index}
      className={to === undefined ? '' : (classes.row ?? '')}
      {...(measure && { ref: measure })}
    >
      {columns.map((column, position) => (
        <td key={column.header} {...CELL} data-label={column.header} data-actions={column.hiddenHeader} {...layoutOf(column)}>
          {position === 0 && to !== undefined ? (
            <Link to={to} className={classes.rowLink ?? ''}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  )
}

/** Rows that are already in the page are not rendered again while one scrolls. */
const TableRow = memo(PlainRow) as typeof PlainRow
