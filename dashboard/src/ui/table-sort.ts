/** The column and direction by which a list is sorted. */
export interface Sort {
  readonly by: string
  readonly direction: 'asc' | 'desc'
}

/** Reads a sort as it is in URLs: `latency` or, descending, `-latency`. */
export const parseSort = (text: string | undefined): Sort | undefined =>
  text ? { by: text.replace(/^-/, ''), direction: text.startsWith('-') ? 'desc' : 'asc' } : undefined

/** The sort as it is in URLs. */
export const formatSort = ({ by, direction }: Sort): string => (direction === 'desc' ? `-${by}` : by)

/** The sort after a click on the head of a column: descending, ascending, then that of the list. */
export function nextSort(current: Sort | undefined, by: string): Sort | undefined {
  if (current?.by !== by) return { by, direction: 'desc' }
  return current.direction === 'desc' ? { by, direction: 'asc' } : undefined
}
