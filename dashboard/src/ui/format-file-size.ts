const UNITS = ['B', 'kB', 'MB', 'GB'] as const

/** `1.4 MB` */
export function formatFileSize(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const value = bytes / 1_000 ** step
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${UNITS[step]}`
}
