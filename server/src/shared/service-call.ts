/** Servers that read texts for searches. */
export const SEARCH_SERVICES = ['embedder', 'reranker'] as const
export type SearchServiceName = (typeof SEARCH_SERVICES)[number]

/** A call of such a server, or why there was none, for the audit record. */
export interface ServiceCall {
  /** With its port, if it is not the default one. */
  readonly host: string
  readonly model: string
  readonly ms: number
  /**
   * ok, or the name of the failure, as for a call of a provider. Nothing was sent because of its limits (`above_ceiling`, `other_region`),
   * because it failed shortly before (`paused`), or because the result of the same query was known (`cached`).
   */
  readonly outcome: string
  /** Absent: the configuration does not state it. */
  readonly region?: string
  readonly service: SearchServiceName
  /** Of texts that are not of a request: the documents and memories, and how many texts of each. */
  readonly sources?: readonly SentSource[]
  /** The stage of the request that made it. */
  readonly stage?: 'retrieve' | 'recall'
  /** HTTP status; 0: none was received. */
  readonly status: number
  /** How many were sent. */
  readonly texts: number
}

export interface SentSource {
  /** `doc_…` or `mem_…`. */
  readonly id: string
  readonly texts: number
  /** Of a document. */
  readonly version?: number
}
