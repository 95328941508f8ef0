import { useAll } from './queries.ts'

interface ApplicationNames {
  /** Falls back to the id. */
  readonly nameOf: (id: string) => string
  /** Options of a select input. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
}

/** Names of the Workspace's Applications. */
export function useApplicationNames(): ApplicationNames {
  const { items = [] } = useAll('/admin/v1/applications')
  return {
    nameOf: (id) => items.find((application) => application.id === id)?.name ?? id,
    choices: items.map(({ id, name }) => ({ value: id, label: name })),
  }
}
