import type { ItemOf } from '../../api/operations.ts'

export type Provider = ItemOf<'/admin/v1/providers'>
export type Model = ItemOf<'/admin/v1/models'>

/** The names of the kinds that operators read. */
export const KIND_LABELS: Readonly<Record<Provider['kind'], string>> = {
  openai: 'OpenAI, or compatible',
  anthropic: 'Anthropic Messages API',
  'azure-openai': 'Azure OpenAI',
  bedrock: 'Amazon Bedrock',
  gemini: 'Google Gemini',
  vertex: 'Google Vertex AI',
  stub: 'Stub',
}

export const MODEL_API_LABELS: Readonly<Record<Model['api'], string>> = { chat: 'Chat', responses: 'Responses' }

/** Whether the API of each model can be chosen. */
export const hasResponsesApi = (kind: Provider['kind']): boolean => kind === 'openai' || kind === 'azure-openai'
