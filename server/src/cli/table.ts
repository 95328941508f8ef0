/** Rows as columns for people, and for `cut` and `awk`: no cell is empty or holds a tab. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('\t', ' ') || '-'))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** To the second, for tables. */
export const shownTime = (date: Date | null): string => date?.toISOString().replace(/\.\d+Z$/, 'Z') ?? ''
