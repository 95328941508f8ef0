import { statfsSync } from 'node:fs'

/** With less free space the embedded database may stop: its write-ahead log grows by files of 16 MiB. */
export const MIN_FREE_BYTES: number = 32 * 1_048_576

/** Free bytes that this process may use on the disk of `folder`. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export const megabytes = (bytes: number): number => Math.floor(bytes / 1_048_576)
