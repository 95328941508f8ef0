import { isDeepStrictEqual } from 'node:util'

/** Names of the fields in which two objects differ. */
export const findDifferences = (before: object, after: object): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name as keyof object], after[name as keyof object]),
  )
