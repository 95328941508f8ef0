import { useApplicationNames } from '../../api/application-names.ts'
import { useTeamNames } from '../../api/team-names.ts'

/** Names of Applications and teams by their ids, which budgets count. Other ids stay. */
export function useMemberNames(): (id: string) => string {
  const { nameOf: application } = useApplicationNames()
  const { nameOf: team } = useTeamNames()
  return (id) => application(team(id))
}
