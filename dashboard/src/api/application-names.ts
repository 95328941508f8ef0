import { useAll } from './queries.ts'

type Choices = readonly { readonly value: string; readonly label: string }[]

interface ApplicationNames {
  /** The Workspace has no Application in use. False while the list loads. */
  readonly isEmpty: boolean
  /** Falls back to the id. */
  readonly nameOf: (id: string) => string
  /** Applications in use. */
  readonly choices: Choices
  /** With archived ones, whose records and usage stay. */
  readonly allChoices: Choices
}

export function useApplicationNames(): ApplicationNames {
  const all = useAll('/admin/v1/applications', { params: { query: { archived: 'any' } } })
  const items = all.items ?? []
  const inUse = items.filter(({ archived_at }) => archived_at === null)
  return {
    isEmpty: all.items !== undefined && inUse.length === 0,
    nameOf: (id) => items.find((application) => application.id === id)?.name ?? id,
    choices: choicesOf(inUse),
    allChoices: choicesOf(items),
  }
}

const choicesOf = (items: readonly { readonly id: string; readonly name: string }[]): Choices =>
  items.map(({ id, name }) => ({ value: id, label: name }))
