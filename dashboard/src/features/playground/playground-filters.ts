import { textOf } from '../../routing/location.ts'

/** As whom and how it is asked: in the address, so that a case can be handed to a colleague. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  application: textOf(search.application),
  /** Of the directory, as if a token vouched for them. */
  as: textOf(search.as),
  /** Asserted by the Application, as far as nobody is chosen of the directory. */
  user: textOf(search.user),
  session: textOf(search.session),
  model: textOf(search.model),
  dry: search.dry === true || undefined,
  stream: search.stream === true || undefined,
})

export type PlaygroundFilters = ReturnType<typeof readFilters>
