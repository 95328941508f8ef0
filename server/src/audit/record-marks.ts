interface ContentFilter {
  readonly model?: string
  readonly provider?: string
  readonly rule?: string
}

/**
 * Texts that the canonical form of a matching record contains: one of each group. A value cannot imitate them, because quotes within
 * strings are escaped. The text is not parsed, so no record can make a search fail.
 */
export function contentMarks({ model, provider, rule }: ContentFilter): string[][] {
  return [
    ...(model === undefined ? [] : [[`"request.model":${JSON.stringify(model)}`, `"model":${JSON.stringify(model)}`]]),
    ...(provider === undefined ? [] : [[`"provider":${JSON.stringify(provider)}`]]),
    ...(rule === undefined ? [] : [[`"id":${JSON.stringify(rule)},"point":`]]),
  ]
}
