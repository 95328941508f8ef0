import { useAll } from './queries.ts'

interface ApplicationNames {
  /** The Workspace has no Application. False while the list loads. */
  readonly isEmpty: boolean
  /** Falls back to the id. */
  readonly nameOf: (id: string) => string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
}

export function useApplicationNames(): ApplicationNames {
  const all = useAll('/admin/v1/applications')
  const items = all.items ?? []
  return {
    isEmpty: all.items?.length === 0,
    nameOf: (id) => items.find((application) => application.id === id)?.name ?? id,
    choices: items.map(({ id, name }) => ({ value: id, label: name })),
  }
}
