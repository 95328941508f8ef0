import { useAll } from './queries.ts'
import { useScopes } from './session.ts'

/** Names of the models without a price, each once; none while they load, or if the operator cannot read models. */
export function useUnpricedModels(): readonly string[] {
  const enabled = useScopes().hasScope('providers:read')
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  return unpricedOf(items)
}

export const unpricedOf = (models: readonly { readonly id: string; readonly price: object | null }[]): readonly string[] => [
  ...new Set(models.filter(({ price }) => price === null).map(({ id }) => id)),
]
