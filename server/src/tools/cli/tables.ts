import type { Terminal } from './terminal.ts'

/** Prints rows as aligned columns. No cell is empty or contains a tab, so that `cut` and `awk` can read the lines. */
export function printTable({ out }: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('\t', ' ') || '-'))
  const widths = head.map((_, column) => cells.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0))
  for (const row of cells) {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    out(padded.join('  ').trimEnd())
  }
}

/** ISO 8601 in UTC, with seconds; an empty text for null. */
export const formatTime = (date: Date | null): string => date?.toISOString().replace(/\.\d+Z$/, 'Z') ?? ''
