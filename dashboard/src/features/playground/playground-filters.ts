import { textOf } from '../../routing/location.ts'

/** Models side by side. */
export const MAX_MODELS = 4

/** Options in the page's URL, so that links include them. Texts of the chat are never in the URL. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  application: textOf(search.application),
  /** Directory user, treated as verified. */
  as: textOf(search.as),
  /** Asserted user, used without a directory user. */
  user: textOf(search.user),
  session: textOf(search.session),
  /** Models, separated by commas. Undefined: the Application's default. */
  model: textOf(search.model),
  dry: search.dry === true || undefined,
  stream: search.stream === true || undefined,
})

export type PlaygroundFilters = ReturnType<typeof readFilters>

/** The Application's default model. */
export const DEFAULT_MODEL = ''

/** The models that get each message: at least one. */
export const modelsOf = ({ model }: PlaygroundFilters): readonly string[] => {
  const models = (model ?? '').split(',').filter((name) => name !== '')
  return models.length === 0 ? [DEFAULT_MODEL] : models.slice(0, MAX_MODELS)
}
