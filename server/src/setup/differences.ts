import { isDeepStrictEqual } from 'node:util'

/** Names of the fields in which two records of one thing differ. */
export const differences = (before: object, after: object): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name as keyof object], after[name as keyof object]),
  )
