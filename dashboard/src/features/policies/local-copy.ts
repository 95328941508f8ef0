/** A text that the server has not stored yet, in the storage of the browser. */
export interface LocalCopy {
  readonly revision: number
  /** The text of that revision. */
  readonly base: string
  readonly source: string
}

const keyOf = (id: string): string => `gatehouse policy draft ${id}`

export function localCopyOf(id: string): LocalCopy | undefined {
  try {
    const copy = JSON.parse(localStorage.getItem(keyOf(id)) ?? 'null') as Partial<LocalCopy> | null
    if (typeof copy?.source !== 'string' || typeof copy.base !== 'string' || typeof copy.revision !== 'number') return undefined
    return { revision: copy.revision, base: copy.base, source: copy.source }
  } catch {
    return undefined
  }
}

export function keepLocalCopy(id: string, copy: LocalCopy): void {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify(copy))
  } catch {
    // The storage is full or turned off: the server still gets the text.
  }
}

export const deleteLocalCopy = (id: string): void => localStorage.removeItem(keyOf(id))
