import { useAll } from './queries.ts'

interface ApplicationNames {
  /** Of an id; the id itself where the name is not known. */
  readonly nameOf: (id: string) => string
  /** To choose from. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
}

/** What the Workspace's Applications are called. */
export function useApplicationNames(): ApplicationNames {
  const { items = [] } = useAll('/admin/v1/applications')
  return {
    nameOf: (id) => items.find((one) => one.id === id)?.name ?? id,
    choices: items.map(({ id, name }) => ({ value: id, label: name })),
  }
}
