import { useAll } from './queries.ts'

/** The Workspace's teams. */
export function useTeamNames() {
  const { items = [] } = useAll('/admin/v1/teams')
  return {
    /** Falls back to the id. */
    nameOf: (id: string): string => items.find((team) => team.id === id)?.name ?? id,
    choices: items.map(({ id, name }) => ({ value: id, label: name })),
  }
}
