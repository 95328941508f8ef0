/** A draft as this window keeps it, so that it survives a reload. */
export interface KeptDraft {
  /** Id of the version that it was begun from; empty for the first one. */
  readonly from: string
  /** The version that it replaces when it is published (`base_version` of the API). */
  readonly base: string
  /** Undefined while nothing was written. */
  readonly source?: string
}

export function readDraft(key: string): KeptDraft | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<KeptDraft> | null
    if (typeof kept?.from !== 'string' || typeof kept.base !== 'string' || typeof kept.source !== 'string') return undefined
    return { from: kept.from, base: kept.base, source: kept.source }
  } catch {
    return undefined
  }
}

export const keepDraft = (key: string, draft: KeptDraft): void => sessionStorage.setItem(key, JSON.stringify(draft))

export const forgetDraft = (key: string): void => sessionStorage.removeItem(key)
