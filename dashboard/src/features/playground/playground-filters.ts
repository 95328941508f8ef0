import { textOf } from '../../routing/location.ts'

/** Options in the page's URL, so that links include them. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  application: textOf(search.application),
  /** Directory user, treated as verified. */
  as: textOf(search.as),
  /** Asserted user, used without a directory user. */
  user: textOf(search.user),
  session: textOf(search.session),
  model: textOf(search.model),
  dry: search.dry === true || undefined,
  stream: search.stream === true || undefined,
})

export type PlaygroundFilters = ReturnType<typeof readFilters>
