/** A draft in session storage, so that it survives a reload. */
export interface StoredDraft {
  /** Id of the version that the draft is based on; empty for the first version. */
  readonly from: string
  /** Id of the version that publishing replaces (`base_version` of the API). */
  readonly base: string
  /** Undefined if the text is unchanged. */
  readonly source?: string
}

export function loadDraft(key: string): StoredDraft | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<StoredDraft> | null
    if (typeof stored?.from !== 'string' || typeof stored.base !== 'string' || typeof stored.source !== 'string') return undefined
    return { from: stored.from, base: stored.base, source: stored.source }
  } catch {
    return undefined
  }
}

export const storeDraft = (key: string, draft: StoredDraft): void => sessionStorage.setItem(key, JSON.stringify(draft))

export const deleteDraft = (key: string): void => sessionStorage.removeItem(key)
