type Json = Readonly<Record<string, unknown>>

/** The stored form of a response, in the client's API: the items that the client sent, and the response that it received. */
export interface StoredContent {
  /** The items of the request's own input. */
  readonly input: readonly Json[]
  /** The response object. Its `output` is a list of items. */
  readonly response: Json & { readonly output: readonly Json[] }
}

export interface NewStoredContent extends StoredContent {
  /** `resp_…`, the id in the response. */
  readonly id: string
}
