import type { ItemOf } from '../../api/operations.ts'

export type Provider = ItemOf<'/admin/v1/providers'>
export type Model = ItemOf<'/admin/v1/models'>

export const MODEL_APIS = ['chat', 'responses'] as const satisfies readonly Model['api'][]

/** Whether the API of each model can be chosen. */
export const hasResponsesApi = (kind: Provider['kind']): boolean => kind === 'openai' || kind === 'azure-openai'

/** Any other server with the OpenAI chat API. */
export const OTHER = 'other'

/** The tile of the gallery. */
export const serviceOf = ({ kind, preset }: { readonly kind: Provider['kind']; readonly preset: string | null }): string =>
  kind === 'openai' ? preset || OTHER : kind
