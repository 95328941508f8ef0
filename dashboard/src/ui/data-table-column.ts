import type { CSSProperties, ReactNode } from 'react'

export interface Column<Row> {
  /** Screen readers read it even with `hiddenHeader`. */
  readonly header: string
  readonly hiddenHeader?: true
  readonly cell: (row: Row) => ReactNode
  /** Hidden in tables on narrower screens. Cards show it. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg'
  readonly align?: 'left' | 'right'
  /** Name of the column in the list's `sort`; the column cannot be sorted without. */
  readonly sortBy?: string
  /** Name of the column in the column chooser; the column is always shown without. */
  readonly id?: string
  /** Hidden until it is chosen. */
  readonly optional?: true
  /** In pixels. Texts that are longer end with an ellipsis. */
  readonly width?: number
  /** Takes the space that other columns leave, and at least `width`. At most two columns of a table grow. */
  readonly grows?: true
}

/** Attributes of the cells of a column. */
export const layoutOf = ({ from, align, width, grows }: Pick<Column<never>, 'from' | 'align' | 'width' | 'grows'>) => ({
  'data-from': from,
  'data-cut': width === undefined ? undefined : grows ? 'grows' : true,
  style: {
    ...(align && { textAlign: align }),
    ...(width !== undefined && { '--column-width': `${width}px` }),
  } as CSSProperties,
})
