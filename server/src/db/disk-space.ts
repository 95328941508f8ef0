import { statfsSync } from 'node:fs'

/**
 * Below it the embedded database is about to fail: it takes a new file of 16 MiB whenever its write-ahead log needs one, and
 * stops for good when it can't have it.
 */
export const MIN_FREE_BYTES: number = 32 * 1_048_576

/** That this user may fill, on the disk of `folder`. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

export const megabytes = (bytes: number): number => Math.floor(bytes / 1_048_576)
