type Json = Readonly<Record<string, unknown>>

/** What is stored of a response, in the form of the client's API: what the client sent, and what it received. */
export interface StoredContent {
  /** The items of the request's own input. */
  readonly input: readonly Json[]
  /** The response object. Its `output` is a list of items. */
  readonly response: Json & { readonly output: readonly Json[] }
}

/** A response that is to be stored. */
export interface NewStoredContent extends StoredContent {
  /** `resp_…`, the id in the response. */
  readonly id: string
}
