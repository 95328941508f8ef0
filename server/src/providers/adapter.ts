import type { UpstreamDialect } from '../dialects/upstream-dialect.ts'

/** All that differs between the APIs of providers. */
export interface ProviderAdapter {
  readonly dialect: UpstreamDialect
  /** Headers of every request, besides those of the declaration: name, value, name, value … */
  readonly headers: readonly string[]
  keyHeaders(apiKey: string): readonly string[]
  /** Path of the first page of models. `base`: path of the base URL. `chatPath`: the declared path below it. */
  modelsPath(base: string, chatPath: string): string
  /** The query of the page after a page; undefined: it is the last. */
  nextModels(page: Readonly<Record<string, unknown>>): string | undefined
}
