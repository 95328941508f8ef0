import { findNearest } from '../../platform/lib/find-nearest.ts'

/** The end of an error about an unknown name: the known name that was probably meant, or all of them. */
export function didYouMean(name: string, known: readonly string[], label = 'known names'): string {
  const meant = findNearest(name, known, Math.max(1, Math.floor(name.length / 3)))
  if (meant !== undefined) return `. Did you mean ${meant}?`
  return label === '' ? '' : `; ${label}: ${known.join(', ')}`
}
